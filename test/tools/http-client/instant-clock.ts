import type { Clock } from "../../../tools/http-client/retry.ts";

/** Creates a clock on which every wait returns immediately and moves the time forward. The time changes only then. */
export function createInstantClock(): { clock: Clock; waits: number[] } {
  const waits: number[] = [];
  let now = Date.now();
  const clock: Clock = {
    now: () => now,
    async wait(milliseconds, signal) {
      signal.throwIfAborted();
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  return { clock, waits };
}
