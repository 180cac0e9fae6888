import { setTimeout } from "node:timers/promises";
import { TransientError } from "./errors.ts";

/** The time, in milliseconds. Tests replace it. */
export interface Clock {
  now(): number;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  now: Date.now,
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};

/** How often and how long to try. All times are in milliseconds. */
export interface RetryPolicy {
  /** The maximum number of attempts for one request. */
  attempts: number;
  /** The maximum time from the request to the end of the response. */
  timeout: number;
  /** The wait before the second attempt. It doubles before each further attempt. */
  backoff: number;
  maxBackoff: number;
  /** If the server asks clients to wait longer than this, the request fails. */
  maxRetryAfter: number;
}

export interface RetryOptions {
  policy: RetryPolicy;
  clock: Clock;
  signal: AbortSignal;
  /** Called before each wait. */
  onRetry(error: TransientError, attempt: number, wait: number): void;
}

/**
 * Repeats an action while it throws `TransientError`. Waits as long as the server asks, or else twice as long as the
 * last time, reduced by a random part of up to a half so that clients do not all return at once.
 * @param subject what error messages are about, the URL
 * @throws Error if the last attempt fails, or if the server asks for a longer wait than the policy allows
 */
export async function retry<T>(
  subject: string,
  action: () => Promise<T>,
  { policy, clock, signal, onRetry }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      const wait = planWait(subject, error, attempt, policy);
      onRetry(error, attempt, wait);
      await clock.wait(wait, signal);
    }
  }
}

function planWait(subject: string, error: TransientError, attempt: number, policy: RetryPolicy): number {
  const { message, advice } = error;
  const { retryAfter, maxAttempts = policy.attempts, finalError } = advice;
  if (attempt >= Math.min(maxAttempts, policy.attempts)) {
    const tries = attempt === 1 ? "1 attempt" : `${attempt} attempts`;
    throw finalError ?? new Error(`${subject} ${message}; gave up after ${tries}`, { cause: error });
  }
  if (retryAfter !== undefined && retryAfter > policy.maxRetryAfter) {
    const [seconds, limit] = [retryAfter, policy.maxRetryAfter].map((time) => Math.ceil(time / 1_000));
    throw new Error(
      `${subject} ${message} and asked to wait ${seconds} s, longer than the limit of ${limit} s`,
    );
  }
  const backoff = Math.min(policy.backoff * 2 ** (attempt - 1), policy.maxBackoff);
  return retryAfter ?? backoff * (0.5 + Math.random() / 2);
}

/**
 * Parses the header Retry-After: seconds or an HTTP date (RFC 9110, 10.2.3).
 * @param now milliseconds since 1970-01-01 UTC
 * @returns milliseconds from now; undefined if the header is missing or invalid
 */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const time = text.endsWith("GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
