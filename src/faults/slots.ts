import type { AppContext } from "../bindings.ts";
import { findClientKey } from "../http/client-key.ts";

/** The permission of a response to wait. */
export interface Slot {
  /** The key of the client. Undefined for clients without an address, which cannot be told apart, and share all slots. */
  client: string | undefined;
  /**
   * When this slot is free again, by `performance.now`, because a test may set only `Date`. We can't rely on an abort: workerd drops the
   * request of a disconnected client silently.
   */
  endsAt: number;
  /** Aborts when the slot is interrupted. */
  signal: AbortSignal;
  /** Gives the slot back. */
  free(): void;
  /** Gives the slot back, and aborts its signal: the client has left, or its connection must close. */
  interrupt(): void;
}

export type Slots = ReturnType<typeof createSlots>;

/** Creates the slots of an instance. Each response that waits uses memory, so they are limited. One client can have half of them. */
export function createSlots(limit: number) {
  const taken = new Set<Slot>();

  function freeExpired(): void {
    const now = performance.now();
    for (const slot of taken) {
      if (slot.endsAt <= now) taken.delete(slot);
    }
  }

  function hasRoom(client: string | undefined): boolean {
    if (taken.size >= limit) return false;
    const ofClient = Array.from(taken).filter((slot) => slot.client === client);
    return client === undefined || ofClient.length < limit / 2;
  }

  return {
    /** Why a response did not get a slot. */
    warning: `Too many responses are waiting, so this one did not wait: the limit is ${limit}, and ${limit / 2} per client address.`,
    /** Takes a slot for a time, or until the client leaves. Returns undefined if none is free. */
    take(c: AppContext, durationMs: number): Slot | undefined {
      const client = findClientKey(c);
      freeExpired();
      if (!hasRoom(client)) return undefined;
      const controller = new AbortController();
      const { signal } = controller;
      const free = () => taken.delete(slot);
      const interrupt = () => {
        free();
        controller.abort();
      };
      const slot: Slot = { client, endsAt: performance.now() + durationMs, signal, free, interrupt };
      taken.add(slot);
      // Read only now: Hono's server for Node creates this signal at the first access, which takes as long as a page.
      const connection = c.req.raw.signal;
      connection.addEventListener("abort", interrupt, { once: true });
      if (connection.aborted) interrupt();
      return slot;
    },
    /** Interrupts all responses that wait, so that their connections close. */
    interruptAll(): void {
      for (const slot of taken) slot.interrupt();
    },
  };
}
