import type { AppContext } from "../bindings.ts";
import { findClientKey } from "../http/client-key.ts";
import { toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";

/** How long `hang` waits before its 503: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** How long `body=slow` takes without `delay`: less than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** How the wait before a response has ended. */
export type Wait =
  /** The response can be sent: its time is over, or it takes no time. */
  | { kind: "over" }
  | SlowBody
  /** The response does not wait, because too many others do. */
  | { kind: "refused"; warning: string }
  /** The connection closes, because the client has left, or because the service closes all connections. */
  | { kind: "interrupted" };

/** The response can be sent, with a body that takes time. The slot is taken until its end. */
export type SlowBody = { kind: "slow body"; bodyMs: number; slot: Slot };

/**
 * Waits before a response. Each response that takes time needs a slot, which limits their number.
 * @param options `random` is a number from 0 to below 1, which chooses the time within a range
 */
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
  const hasEnded = slot.signal.aborted;
  if (hasEnded) return { kind: "interrupted" };
  if (bodyMs > 0) return { kind: "slow body", bodyMs, slot };
  slot.end();
  return { kind: "over" };
}

/** Chooses how long a response waits, and how long its body takes: with `body=slow`, the delay is the time of the body. */
export function chooseTimes({ delay, body, hang, close }: OptionValues, random: number) {
  const hangMs = hang ? HANG_MS : 0;
  // A connection that closes before the response sends no body.
  const isBodySlow = body === "slow" && !close;
  const { min, max } = toRange(delay ?? (isBodySlow ? SLOW_BODY_MS : 0));
  const delayMs = min + Math.floor(random * (max - min + 1));
  return isBodySlow ? { beforeMs: hangMs, bodyMs: delayMs } : { beforeMs: hangMs + delayMs, bodyMs: 0 };
}

/**
 * Resolves after a time, or when the signal aborts: the caller looks at the signal.
 * @param options `keepsAlive`: whether the sleep keeps a process of Node alive
 */
export async function sleep(
  milliseconds: number,
  { signal, keepsAlive = true }: { signal?: AbortSignal | undefined; keepsAlive?: boolean } = {},
): Promise<void> {
  if (milliseconds === 0 || signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const timer = setTimeout(wake, milliseconds);
  if (!keepsAlive) unref(timer);
  signal?.addEventListener("abort", wake);
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", wake);
}

/** In Node, a timer is an object. In workerd, it is a number, and no process waits for it. */
function unref(timer: number | { unref(): void }): void {
  if (typeof timer === "object") timer.unref();
}

/** The permission of a response to wait. */
interface Slot {
  /** The key of the client. Undefined for clients without an address, which cannot be told apart, and share all slots. */
  client: string | undefined;
  /** When this slot is free again. We can't rely on an abort: workerd drops the request of a disconnected client silently. */
  endsAt: number;
  /** Aborts when `end` is called: the client has left, its connection must close, or the wait is over. */
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
