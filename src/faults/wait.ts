import type { AppContext } from "../bindings.ts";
import { toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { Slot, Slots } from "./slots.ts";

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
  | { kind: "refused" }
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
  if (slot === undefined) return { kind: "refused" };
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
