import { HttpError, unavailable } from "../http/errors.ts";
import { type Decision, NO_CHANGE } from "./decision.ts";

/** How many responses of an instance wait at a time. In workerd each takes up to 0.1 MB, and an instance has 128 MB. */
const MOST_WAITING = 100;

/** How many of them one address may ask for, so that others can ask too. */
const MOST_OF_ADDRESS = 50;

interface Wait {
  /** When it no longer counts, in milliseconds since 1970: if a client disconnects, workerd ends the request without notice. */
  until: number;
  /** Who asked for it; undefined if the deployment did. */
  client: string | undefined;
}

/** Creates a function that waits as decided, if not too many wait: a stranger can ask for any number of waits. */
export function createWaiting() {
  const waits = new Set<Wait>();
  /**
   * @param signal ends the wait, because the client has gone
   * @param client who asked for the wait; undefined if the deployment did
   * @returns the decision, or one without a fault if a wait of the deployment is not possible: nobody asked for an error. `end` ends
   *   the wait of a body before its time is over
   * @throws 503 if one that a client asked for is not possible
   */
  return async (decision: Decision, signal: AbortSignal, client: string | undefined) => {
    const { waitMs, bodyMs } = decision;
    const now = Date.now();
    const wait = { until: now + waitMs + bodyMs, client };
    const end = () => void waits.delete(wait);
    if (wait.until === now) return { ...decision, end };
    for (const one of waits) if (one.until <= now) waits.delete(one);
    if (!hasRoom(waits, client)) {
      if (client === undefined) return { ...NO_CHANGE, end };
      throw tooManyWaiting();
    }
    waits.add(wait);
    signal.addEventListener("abort", end);
    await sleep(waitMs, signal);
    if (bodyMs === 0 || signal.aborted) end();
    return { ...decision, end };
  };
}

function hasRoom(waits: Set<Wait>, client: Wait["client"]): boolean {
  const own = Array.from(waits).filter((wait) => wait.client === client);
  // Without an address, all requests are those of one program, with the service in its process.
  return waits.size < MOST_WAITING && own.length < (client ? MOST_OF_ADDRESS : MOST_WAITING);
}

/** The response to a request that would wait beside too many others. */
function tooManyWaiting(): HttpError {
  const warning = `At most ${MOST_WAITING} responses wait at a time, ${MOST_OF_ADDRESS} of them for one client address.`;
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
