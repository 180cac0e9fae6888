import { UnavailableError } from "../http/errors.ts";
import type { Wait } from "./wait.ts";

/** Max delayed responses of an instance at a time. Each uses memory, and an instance has 128 MB. */
const MAX_DELAYED = 100;

/** Max delayed responses of one client at a time, so that one client cannot use all slots. */
const MAX_DELAYED_PER_CLIENT = 50;

/** A place among the delayed responses of an instance. */
export interface Slot {
  /** Frees the slot, when the delay is over. Has no effect the second time. */
  release(): void;
}

/** The slot of a response that does not wait. */
export const NO_SLOT: Slot = { release() {} };

/** Creates the slots of an instance. They are limited, because clients can request any number of delayed responses. */
export function createSlots() {
  const taken = new Set<{
    client: string | undefined;
    /** When this slot is free again. We can't rely on an abort: workerd drops the request of a disconnected client silently. */
    endsAt: number;
  }>();

  function isFull(client: string | undefined): boolean {
    const now = Date.now();
    for (const slot of taken) {
      if (slot.endsAt <= now) taken.delete(slot);
    }
    if (taken.size >= MAX_DELAYED) return true;
    if (client === undefined) return false;
    const ofClient = [...taken].filter((slot) => slot.client === client);
    return ofClient.length >= MAX_DELAYED_PER_CLIENT;
  }

  /**
   * Takes a slot.
   * @param client The key of the client, if the delay counts for one
   * @param signal Frees the slot when the client disconnects
   * @returns undefined if no slot is free
   */
  function acquireSlot(
    { beforeMs, bodyMs }: Wait,
    client: string | undefined,
    signal: AbortSignal,
  ): Slot | undefined {
    const durationMs = beforeMs + bodyMs;
    if (durationMs === 0 || signal.aborted) return NO_SLOT;
    if (isFull(client)) return undefined;
    const slot = { client, endsAt: Date.now() + durationMs };
    taken.add(slot);
    const release = () => {
      taken.delete(slot);
      signal.removeEventListener("abort", release);
    };
    signal.addEventListener("abort", release, { once: true });
    return { release };
  }

  return acquireSlot;
}

/** The error for a client that asks for a delayed response while no slot is free. */
export class TooManyDelayedError extends UnavailableError {
  constructor() {
    super({
      "Mock-Warning": `Too many responses are waiting: the limit is ${MAX_DELAYED}, and ${MAX_DELAYED_PER_CLIENT} per client address.`,
    });
  }
}
