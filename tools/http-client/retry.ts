import { setTimeout } from "node:timers/promises";
import { Transient } from "./failures.ts";

/** Time, in milliseconds. Tests have their own. */
export interface Clock {
  now(): number;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  now: Date.now,
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};

/** How long to put up with a server, in milliseconds. */
export interface Patience {
  /** How often a page is asked for until it counts as failed. */
  attempts: number;
  /** From the request to the end of the answer. */
  timeout: number;
  /** About as long before the second attempt, and twice as long before each further one, ... */
  backoff: number;
  /** ... but no longer than this. */
  longestBackoff: number;
  /** A server that wants to be left alone for longer ends the crawl. */
  longestRetryAfter: number;
}

/** Two minutes of attempts outlast a restart of the service. */
export const PATIENCE: Patience = {
  attempts: 8,
  timeout: 30_000,
  backoff: 1_000,
  longestBackoff: 60_000,
  longestRetryAfter: 3_600_000,
};

export interface Trial {
  patience: Patience;
  clock: Clock;
  signal: AbortSignal;
  /** Called before each wait. */
  onRetry(failure: Transient, attempt: number, wait: number): void;
}

/**
 * Does something again as long as it fails with `Transient`: after twice the time of the last attempt, less up to a
 * half by chance so that clients do not come back all at once, or when the server says.
 * @param subject what the messages are about, the URL
 * @throws Error if the last attempt fails, or the server wants to be left alone for too long
 */
export async function retry<T>(subject: string, action: () => Promise<T>, trial: Trial): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof Transient)) throw error;
      const wait = planWait(subject, error, attempt, trial.patience);
      trial.onRetry(error, attempt, wait);
      await trial.clock.wait(wait, trial.signal);
    }
  }
}

function planWait(subject: string, { message, remedy }: Transient, attempt: number, patience: Patience) {
  const { after, attempts = patience.attempts, outcome } = remedy;
  if (attempt >= Math.min(attempts, patience.attempts)) {
    throw outcome ?? new Error(`${subject} ${message}, after ${attempt} attempts`);
  }
  if (after !== undefined && after > patience.longestRetryAfter) {
    throw new Error(`${subject} ${message} and wants to be left alone for ${Math.ceil(after / 1_000)} s`);
  }
  const backoff = Math.min(patience.backoff * 2 ** (attempt - 1), patience.longestBackoff);
  return after ?? backoff * (0.5 + Math.random() / 2);
}

/**
 * Reads the header Retry-After: seconds or an HTTP date (RFC 9110, 10.2.3).
 * @param now milliseconds since 1970-01-01 UTC
 * @returns milliseconds from now; undefined if it says nothing
 */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const time = text.endsWith("GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
