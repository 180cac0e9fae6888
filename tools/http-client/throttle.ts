import type { Clock } from "./retry.ts";

export interface ThrottleOptions {
  /** The maximum number of requests at the same time. */
  concurrency: number;
  /** The minimum time from the start of one request to the start of the next, in milliseconds. */
  delay: number;
}

/** Limits how many requests run at the same time, and how soon one follows another. */
export interface Throttle {
  /** Waits until a request may start. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Must be called when a request has ended. */
  release(): void;
  /** Starts no request for some milliseconds, because the server asked clients to wait. */
  pause(milliseconds: number): void;
}

export function createThrottle({ concurrency, delay }: ThrottleOptions, clock: Clock): Throttle {
  let free = concurrency;
  let nextStart = 0;
  const queue: (() => void)[] = [];
  return {
    async acquire(signal) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => queue.push(resolve));
      // The start may be postponed again during the wait.
      for (let wait = nextStart - clock.now(); wait > 0; wait = nextStart - clock.now())
        await clock.wait(wait, signal);
      nextStart = clock.now() + delay;
    },
    release() {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    },
    pause(milliseconds) {
      nextStart = Math.max(nextStart, clock.now() + milliseconds);
    },
  };
}
