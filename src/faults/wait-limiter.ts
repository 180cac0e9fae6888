import { HttpError, unavailable } from "../http/errors.ts";
import type { Wait } from "./option.ts";

/** How many responses of an instance wait at a time. In workerd each takes up to 0.1 MB, and an instance has 128 MB. */
const MAX_WAITS = 100;

/** A client address can have only some of them, so that others can wait too. */
const MAX_WAITS_PER_CLIENT = 50;

/** A response that waits, or whose body is being sent slowly. */
interface ActiveWait {
  /** When it no longer counts, in milliseconds since 1970: if a client disconnects, workerd ends the request without notice. */
  endsAt: number;
  client: string | undefined;
}

/** Creates a function that waits before a response if not too many wait, because a client can ask for any number of waits. */
export function createWaitLimiter() {
  const waits = new Set<ActiveWait>();
  /**
   * @param signal Ends the wait when the client disconnects
   * @param client The key of the client that asked for the wait; undefined if the deployment did
   * @returns a function that ends the wait of a body before its time is over; undefined if a wait of the deployment is not possible
   * @throws 503 if the wait of a client is not possible
   */
  return async (
    { beforeMs = 0, bodyMs = 0 }: Wait,
    signal: AbortSignal,
    client: string | undefined,
  ): Promise<(() => void) | undefined> => {
    const now = Date.now();
    const wait = { endsAt: now + beforeMs + bodyMs, client };
    const end = () => void waits.delete(wait);
    if (wait.endsAt === now) return end;
    for (const one of waits) if (one.endsAt <= now) waits.delete(one);
    if (!canWait(waits, client)) {
      if (client === undefined) return undefined;
      throw tooManyWaits();
    }
    waits.add(wait);
    signal.addEventListener("abort", end);
    await sleep(beforeMs, signal);
    if (bodyMs === 0 || signal.aborted) end();
    return end;
  };
}

function canWait(waits: Set<ActiveWait>, client: string | undefined): boolean {
  const clientWaits = Array.from(waits).filter((wait) => wait.client === client);
  // Without an address, all requests come from the process of the service.
  return waits.size < MAX_WAITS && clientWaits.length < (client ? MAX_WAITS_PER_CLIENT : MAX_WAITS);
}

function tooManyWaits(): HttpError {
  const warning = `At most ${MAX_WAITS} responses wait at a time, ${MAX_WAITS_PER_CLIENT} of them for one client address.`;
  return new HttpError(503, { headers: { ...unavailable().headers, "Mock-Warning": warning } });
}

/** @param signal Ends the wait early, because the client has disconnected */
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
