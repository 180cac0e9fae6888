import type { AppContext } from "../bindings.ts";
import { findClientKey } from "../http/client-key.ts";

/** The permission of a response to wait. */
export interface Slot {
  /** The key of the client. Undefined for clients without an address, which cannot be told apart, and share all slots. */
  client: string | undefined;
  /** When this slot is free again. We can't rely on an abort: workerd drops the request of a disconnected client silently. */
  endsAt: number;
  /** Aborts when the slot is ended before its time: the client has left, its connection must close, or the wait is over. */
  signal: AbortSignal;
  /** Ends the slot before its time. */
  end(): void;
}

export type Slots = ReturnType<typeof createSlots>;

/** Creates the slots of an instance. Each response that waits uses memory, so they are limited. One client can have half of them. */
export function createSlots(limit: number) {
  const taken = new Set<Slot>();

  /** Frees the slots whose time is over. Returns whether the client can have one more. */
  function makeRoom(client: string | undefined): boolean {
    const now = Date.now();
    let ofClient = 0;
    for (const slot of taken) {
      if (slot.endsAt <= now) taken.delete(slot);
      else if (slot.client === client) ofClient += 1;
    }
    const isClientFull = client !== undefined && ofClient >= limit / 2;
    return taken.size < limit && !isClientFull;
  }

  return {
    /** Why a response did not get a slot. */
    warning: `Too many responses are waiting, so this one did not wait: the limit is ${limit}, and ${limit / 2} per client address.`,
    /** Takes a slot for a time, or until the client leaves. Returns undefined if none is free. */
    take(c: AppContext, durationMs: number): Slot | undefined {
      const client = findClientKey(c);
      if (!makeRoom(client)) return undefined;
      const controller = new AbortController();
      const end = () => {
        taken.delete(slot);
        controller.abort();
      };
      const slot = { client, endsAt: Date.now() + durationMs, signal: controller.signal, end };
      taken.add(slot);
      // Only a response that waits reads the signal: in the package, that costs as much as a page.
      const connection = c.req.raw.signal;
      connection.addEventListener("abort", end, { once: true });
      if (connection.aborted) end();
      return slot;
    },
    /** Closes the connections of all responses that wait. */
    closeAll(): void {
      for (const slot of taken) slot.end();
    },
  };
}
