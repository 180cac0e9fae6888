import type { AppContext } from "../bindings.ts";
import { findClientKey } from "../http/client-key.ts";
import type { OptionValues } from "./option-table.ts";
import { chooseTimes, sleep } from "./wait.ts";

/** How the wait before a response has ended. */
export type Wait =
  /** The response can be sent: its time is over, or it takes no time. */
  | { kind: "over" }
  | SlowBody
  /** The response does not wait, because too many others do. */
  | { kind: "refused"; warning: string }
  /** The connection closes, because the client has left, or because the service closes all connections. */
  | { kind: "interrupted" };

/** The response can be sent, with a body that takes time. The slot is taken until this time is over. */
export type SlowBody = { kind: "slow body"; bodyMs: number; slot: Slot };

/** Waits before a response. Each response that takes time needs a slot, which limits their number. */
export async function wait(
  c: AppContext,
  options: OptionValues,
  { slots, random }: { slots: Slots; random: number },
): Promise<Wait> {
  const { beforeMs, bodyMs } = chooseTimes(options, random);
  const takesTime = beforeMs > 0 || bodyMs > 0;
  if (!takesTime) return { kind: "over" };
  const slot = slots.take(c, beforeMs + bodyMs);
  if (slot === undefined) return { kind: "refused", warning: slots.warning };
  // A hang does not keep the process alive, because its client usually gives up.
  await sleep(beforeMs, { signal: slot.signal, keepsAlive: !options.hang });
  if (slot.signal.aborted) return { kind: "interrupted" };
  if (bodyMs > 0) return { kind: "slow body", bodyMs, slot };
  slot.free();
  return { kind: "over" };
}

/** The permission of a response to wait. */
interface Slot {
  /** The key of the client. Undefined for clients without an address, which cannot be told apart, and share all slots. */
  client: string | undefined;
  /** When this slot is free again. We can't rely on an abort: workerd drops the request of a disconnected client silently. */
  endsAt: number;
  /** Aborts when the slot is interrupted. */
  signal: AbortSignal;
  /** Gives the slot back. */
  free(): void;
  /** Gives the slot back before its time: the client has left, or its connection must close. */
  interrupt(): void;
}

export type Slots = ReturnType<typeof createSlots>;

/** Creates the slots of an instance. Each response that waits uses memory, so they are limited. One client can have half of them. */
export function createSlots(limit: number) {
  const taken = new Set<Slot>();

  /** Whether the client can have one more slot. Frees those whose time is over. */
  function hasRoom(client: string | undefined): boolean {
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
      if (!hasRoom(client)) return undefined;
      const controller = new AbortController();
      const { signal } = controller;
      const free = () => taken.delete(slot);
      const interrupt = () => {
        free();
        controller.abort();
      };
      const slot: Slot = { client, endsAt: Date.now() + durationMs, signal, free, interrupt };
      taken.add(slot);
      // Only a response that waits reads this signal: Hono's server for Node creates it then, which takes as long as a page.
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
