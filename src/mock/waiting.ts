import { HttpError, unavailable } from "../http/errors.ts";
import type { Decision } from "./decision.ts";

/** Most clients that have a limit give up before this time. */
const HANG_MS = 60_000;

/** How long a slow body takes without a delay: less than the 5 seconds after which many test runners give up. */
export const SLOW_MS = 2_000;

/** How many responses of an instance wait at a time. In workerd each takes up to 0.1 MB, and an instance has 128 MB. */
const MOST_WAITING = 100;

/** How many of them one client may ask for, so that others can ask too. */
const MOST_OF_CLIENT = 50;

interface Wait {
  /** When it no longer counts, in milliseconds since 1970: if a client disconnects, workerd ends the request without notice. */
  end: number;
  /** Who asked for it; undefined if the deployment did. */
  client: string | undefined;
}

/** Creates a function that waits as decided, if not too many wait: a stranger can ask for any number of waits. */
export function createWaiting() {
  const waits = new Set<Wait>();
  /**
   * @param client who asked for the wait; undefined if the deployment did
   * @returns the decision, or one without a fault if a wait of the deployment is not possible: nobody asked for an error
   * @throws 503 if one that a client asked for is not possible
   */
  return async (decision: Decision, signal: AbortSignal, client: string | undefined): Promise<Decision> => {
    const { duration, isSlow } = findWait(decision);
    if (duration === 0) return decision;
    const now = Date.now();
    for (const wait of waits) if (wait.end <= now) waits.delete(wait);
    if (!hasRoom(waits, client)) {
      if (client === undefined) return { faults: {} };
      throw tooManyWaiting();
    }
    const wait = { end: now + duration, client };
    waits.add(wait);
    // A slow body counts until its time is over, even if the client disconnects.
    if (isSlow) return decision;
    await sleep(duration, signal);
    waits.delete(wait);
    return decision;
  };
}

function hasRoom(waits: Set<Wait>, client: Wait["client"]): boolean {
  const own = Array.from(waits).filter((wait) => wait.client === client);
  return waits.size < MOST_WAITING && (client === undefined || own.length < MOST_OF_CLIENT);
}

/** How long a response waits. If it is slow, its body is sent over this time instead. */
function findWait({ delayMs, faults }: Decision): { duration: number; isSlow: boolean } {
  if (faults.hang) return { duration: HANG_MS, isSlow: false };
  const isSlow = faults.body === "slow";
  return { duration: delayMs ?? (isSlow ? SLOW_MS : 0), isSlow };
}

/** The response to a request that would wait beside too many others. */
function tooManyWaiting(): HttpError {
  const warning = `At most ${MOST_WAITING} responses wait at a time, ${MOST_OF_CLIENT} of them for one client.`;
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
