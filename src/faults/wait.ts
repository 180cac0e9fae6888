import type { AppContext } from "../bindings.ts";
import { toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { Slot, Slots } from "./slots.ts";

/** The time of `hang`: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** The time of a slow body without `delay`. Shorter than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** What is left of the time of a response after the wait. */
export interface Wait {
  /** Whether the response did not wait, because no slot is free. */
  isRefused: boolean;
  /** How long sending the body takes. */
  bodyMs: number;
  /** Undefined if the response takes no time, or if no slot is free. */
  slot?: Slot;
}

/** Waits before a response, if one of the slots is free for the response and its slow body. */
export async function wait(
  c: AppContext,
  active: OptionValues,
  { slots, random }: { slots: Slots; random(purpose: string): number },
): Promise<Wait> {
  const { beforeMs, bodyMs } = getTimes(active, random);
  if (beforeMs + bodyMs === 0) return { isRefused: false, bodyMs };
  const slot = slots.take(c, beforeMs + bodyMs);
  if (slot === undefined) return { isRefused: true, bodyMs: 0 };
  // A hang does not keep the process alive, because its client usually gives up.
  await sleep(beforeMs, { signal: slot.signal, keepsAlive: !active.hang });
  // A slow body keeps the slot.
  slot.endsAt = Date.now() + bodyMs;
  return { isRefused: false, bodyMs, slot };
}

/** Calculates the time before a response, and the time of its body. With `body=slow`, `delay` is the time of the body. */
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
export function sleep(
  milliseconds: number,
  { signal, keepsAlive = true }: { signal?: AbortSignal | undefined; keepsAlive?: boolean } = {},
): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (!keepsAlive) unref(timer);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** In Node, a timer is an object. In workerd, it is a number, and no process waits for it. */
function unref(timer: number | { unref(): void }): void {
  if (typeof timer === "object") timer.unref();
}
