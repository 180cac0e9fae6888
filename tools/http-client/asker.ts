import { Transient } from "./failures.ts";
import { createPace, type PaceOptions } from "./pace.ts";
import { type Answer, type Asked, request } from "./request.ts";
import { type Clock, type Patience, parseRetryAfter, retry } from "./retry.ts";

export interface AskerOptions extends PaceOptions {
  clock: Clock;
  patience: Patience;
  /** Ends everything that is under way. */
  signal: AbortSignal;
  /** Takes a line for the person who waits. */
  warn(line: string): void;
  /** Whether it is an error at once if there is nobody who could answer the first request. */
  failFast?: boolean;
}

/** Sends requests no faster than allowed, and again where that may help. */
export interface Asker {
  /**
   * Asks, as often as it takes.
   * @param read makes something of the answer; may throw `Transient` to have it asked again
   * @throws Error if the last attempt fails
   */
  ask<T>(asked: Asked, read: (answer: Answer) => T): Promise<T>;
  counters: { retries: number };
}

/** Waits that a person would wonder about. */
const LONG_WAIT_MS = 2_000;

export function createAsker({ clock, patience, signal, warn, ...options }: AskerOptions): Asker {
  const pace = createPace(options, clock);
  const counters = { retries: 0 };
  let isFound = !options.failFast;
  return {
    counters,
    ask(asked, read) {
      const onRetry = ({ message, remedy }: Transient, attempt: number, wait: number) => {
        counters.retries += 1;
        if (remedy.after !== undefined) pace.hold(remedy.after);
        if (wait < LONG_WAIT_MS) return;
        warn(`${asked.url} ${message}; attempt ${attempt + 1} follows in ${Math.ceil(wait / 1_000)} s.`);
      };
      const action = async () => {
        await pace.enter(signal);
        const answer = await request(asked, patience.timeout, signal)
          .finally(pace.leave)
          .catch((error) => Promise.reject(isFound ? error : giveUp(error, asked.url)));
        isFound = true;
        return read(answer);
      };
      return retry(asked.url, action, { patience, clock, signal, onRetry });
    },
  };
}

/** Whoever has never been there will hardly come: the address is wrong. */
function giveUp(error: unknown, url: string): unknown {
  return error instanceof Transient && error.remedy.absent ? new Error(`${url} ${error.message}`) : error;
}

const TRANSIENT_STATUSES = new Set([408, 425, 429]);

/**
 * @param now milliseconds since 1970-01-01 UTC
 * @throws Transient if the status is one that may be another the next time
 */
export function refuseTransient({ status, headers }: Answer, now: number): void {
  if (!TRANSIENT_STATUSES.has(status) && status < 500) return;
  throw new Transient(`answered ${status}`, { after: parseRetryAfter(headers.get("Retry-After"), now) });
}
