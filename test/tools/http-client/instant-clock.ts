import type { Clock } from "../../../tools/http-client/retry.ts";

/** A clock on which every wait ends at once, at the time at which it should end. Time stands still otherwise. */
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
