import type { AppContext } from "../bindings.ts";
import { toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { Slot, Slots } from "./slots.ts";

/** The time of `hang`: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** The time of a slow body without `delay`. Shorter than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** What is left after the wait before a response. */
export interface Wait {
  /** The options that still apply: all of them or, if no slot was free, those that take no time. */
  options: OptionValues;
  /** Why the response did not wait. */
  warnings: string[];
  /** Whether the wait was ended before its time, because the client has left, or because all connections close. */
  isInterrupted: boolean;
  /** How long the body takes. */
  bodyMs: number;
  /** The slot of a body that takes time. */
  slot?: Slot;
}

/** Waits before a response, if a slot is free until the end of its body. */
export async function wait(
  c: AppContext,
  options: OptionValues,
  { slots, random }: { slots: Slots; random(purpose: string): number },
): Promise<Wait> {
  const { beforeMs, bodyMs } = getTimes(options, random);
  const withoutSlot = { options, warnings: [], isInterrupted: false, bodyMs: 0 };
  if (beforeMs + bodyMs === 0) return withoutSlot;
  const slot = slots.take(c, beforeMs + bodyMs);
  if (slot === undefined) return { ...withoutSlot, options: withoutWait(options), warnings: [slots.warning] };
  // A hang does not keep the process alive, because its client usually gives up.
  await sleep(beforeMs, { signal: slot.signal, keepsAlive: !options.hang });
  const isInterrupted = slot.signal.aborted;
  if (bodyMs === 0) slot.end();
  return { options, warnings: [], isInterrupted, bodyMs, slot };
}

/** Removes the options that only take time. `hang` stays: without its wait, it is a 503 at once. */
function withoutWait(options: OptionValues): OptionValues {
  const body = options.body === "slow" ? undefined : options.body;
  return { ...options, delay: undefined, body };
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
