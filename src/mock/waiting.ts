import { HttpError, unavailable } from "../http/errors.ts";
import type { Decision } from "./decision.ts";

/** Most clients that have a limit give up before this time. */
const HANG_MS = 60_000;

/** How long a slow body takes without a delay: less than the 5 seconds after which many test runners give up. */
export const SLOW_MS = 2_000;

/** How many responses of an instance wait at a time. In workerd each takes up to 0.1 MB, and an instance has 128 MB. */
const MOST_WAITING = 100;

/** Creates a function that waits as decided, and returns false if too many wait: a stranger can ask for any number of waits. */
export function createWaiting() {
  // If a client disconnects, workerd ends the request without notice. So each has a time after which it no longer counts.
  const ends = new Set<{ at: number }>();
  return async (decision: Decision, signal: AbortSignal): Promise<boolean> => {
    const { before, body } = findWaits(decision);
    if (before + body === 0) return true;
    const now = Date.now();
    for (const end of ends) if (end.at <= now) ends.delete(end);
    if (ends.size >= MOST_WAITING) return false;
    const end = { at: now + before + body };
    ends.add(end);
    await sleep(before, signal);
    // A slow body counts until its time is over, even if the client disconnects.
    if (body === 0) ends.delete(end);
    return true;
  };
}

/** How long to wait before the response, and for how long its body is sent. With `body=slow` the delay is that of the body. */
function findWaits({ delayMs, faults }: Decision): { before: number; body: number } {
  if (faults.hang) return { before: HANG_MS, body: 0 };
  return faults.body === "slow" ? { before: 0, body: delayMs ?? SLOW_MS } : { before: delayMs ?? 0, body: 0 };
}

/** The response to a request that would wait beside too many others. */
export function tooManyWaiting(): HttpError {
  const warning = `${MOST_WAITING} responses wait already, which is the most that may wait at a time.`;
  return new HttpError(503, { headers: { ...unavailable().headers, "Mock-Warning": warning } });
}

/** @param signal ends the wait early, because the client has gone */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || signal?.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
