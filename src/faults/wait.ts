import type { AppContext } from "../bindings.ts";
import { toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { Slot, Slots } from "./slots.ts";

/** The time of `hang`: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** The time of a slow body without `delay`. Shorter than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** What the wait leaves for the body of a response. */
export interface Wait {
  /** Whether the response did not wait, because no slot was free. */
  isRefused: boolean;
  /** How long the body takes. */
  bodyMs: number;
  /** The slot until the end of the body. Undefined if the response takes no time, or did not wait. */
  slot?: Slot;
}

/** Waits before a response, if a slot is free until the end of its body. */
export async function wait(
  c: AppContext,
  active: OptionValues,
  { slots, random }: { slots: Slots; random(purpose: string): number },
): Promise<Wait> {
  const { beforeMs, bodyMs } = getTimes(active, random);
  if (beforeMs + bodyMs === 0) return { isRefused: false, bodyMs: 0 };
  const slot = slots.take(c, beforeMs + bodyMs);
  if (slot === undefined) return { isRefused: true, bodyMs: 0 };
  // A hang does not keep the process alive, because its client usually gives up.
  await sleep(beforeMs, { signal: slot.signal, keepsAlive: !active.hang });
  // From here on, the slot is for the slow body. Without one, it is free.
  slot.endsAt = Date.now() + bodyMs;
  return { isRefused: false, bodyMs, slot };
}

/** Chooses the time before a response, and the time of its body: `delay=500` waits before it, and `body=slow,delay=500` within it. */
export function getTimes({ delay, body, hang, close }: OptionValues, random: (purpose: string) => number) {
  // A connection that closes before the response sends no body.
  const isBodySlow = body === "slow" && !close;
  const { min, max } = toRange(delay ?? (isBodySlow ? SLOW_BODY_MS : 0));
  const ms = min + Math.floor(random("delay") * (max - min + 1));
  const hangMs = hang ? HANG_MS : 0;
  return isBodySlow ? { beforeMs: hangMs, bodyMs: ms } : { beforeMs: hangMs + ms, bodyMs: 0 };
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
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, milliseconds);
  if (!keepsAlive) unref(timer);
  signal?.addEventListener("abort", resolve);
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", resolve);
}

/** In Node, a timer is an object. In workerd, it is a number, and no process waits for it. */
function unref(timer: number | { unref(): void }): void {
  if (typeof timer === "object") timer.unref();
}
