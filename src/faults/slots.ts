import { HttpError, unavailable } from "../http/errors.ts";
import type { Wait } from "./option.ts";

/** The maximum number of waits in an instance. Each wait uses memory, and an instance has 128 MB. */
const MAX_WAITS = 100;

/** The maximum number of waits of one client, so that one client cannot use all waits. */
const MAX_WAITS_PER_CLIENT = 50;

/** A response that waits, or whose body is being sent slowly. */
interface ActiveWait {
  /** The time after which the wait no longer counts, because workerd ends the request of a disconnected client without notice. */
  endsAt: number;
  client: string | undefined;
}

/** Creates a function that waits before a response. The number of waits is limited, because clients can request any number. */
export function createWaitLimiter() {
  const waits = new Set<ActiveWait>();
  /**
   * @param signal Ends the wait when the client disconnects
   * @param client The key of the client that set the options; undefined if the deployment did
   * @returns A function that ends the wait of a slow body early; undefined if there is no room for a wait that the deployment set
   * @throws 503 if there is no room for a wait that the client set
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
  // Requests from inside the process have no client address. Their key is empty, and these requests can use all waits.
  const clientWaits = Array.from(waits).filter((wait) => wait.client === client);
  return waits.size < MAX_WAITS && clientWaits.length < (client ? MAX_WAITS_PER_CLIENT : MAX_WAITS);
}

function tooManyWaits(): HttpError {
  const warning = `Too many responses are waiting: the limit is ${MAX_WAITS}, and ${MAX_WAITS_PER_CLIENT} per client address.`;
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
