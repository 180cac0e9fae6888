import type { Clock } from "./retry.ts";

/** How fast to ask. */
export interface PaceOptions {
  /** Requests at a time. */
  concurrency: number;
  /** Milliseconds from the beginning of one request to that of the next. */
  delay: number;
}

/** Lets requests through: a number of them at a time, and each some time after the one before. */
export interface Pace {
  /** Waits until a request may begin. */
  enter(signal: AbortSignal): Promise<void>;
  /** To be called at the end of each request. */
  leave(): void;
  /** Lets nothing through for some milliseconds, because the server asked for it. */
  hold(milliseconds: number): void;
}

export function createPace({ concurrency, delay }: PaceOptions, clock: Clock): Pace {
  let free = concurrency;
  let openAt = 0;
  const queue: (() => void)[] = [];
  return {
    async enter(signal) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => queue.push(resolve));
      for (let wait = openAt - clock.now(); wait > 0; wait = openAt - clock.now())
        await clock.wait(wait, signal);
      openAt = clock.now() + delay;
    },
    leave() {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    },
    hold(milliseconds) {
      openAt = Math.max(openAt, clock.now() + milliseconds);
    },
  };
}
