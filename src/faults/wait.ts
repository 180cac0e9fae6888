import type { AppContext } from "../bindings.ts";
import { type NumberOrRange, toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { Slot, Slots } from "./slots.ts";

/** How long `hang` waits before its 503: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** How long `body=slow` takes without `delay`: less than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** How the wait before a response has ended. `waitMs` is the time that it adds to the response, with its body. */
export type Wait =
  /** The response can be sent: its time is over, or it takes no time. */
  | { kind: "over"; waitMs: number }
  | SlowBody
  /** The response is sent without the wait, because too many others wait. */
  | { kind: "refused" }
  /** The connection closes, because the client has left, or because the service closes all connections. */
  | { kind: "interrupted" };

/** The response can be sent, with a body that takes time. Whoever sends the body frees the slot. */
export type SlowBody = { kind: "slow body"; waitMs: number; bodyMs: number; slot: Slot };

/**
 * Waits before a response. Each response that takes time needs a slot, which limits their number.
 * @param random A number from 0 to below 1, which chooses the time within a range
 */
export async function wait(
  c: AppContext,
  options: OptionValues,
  { slots, random }: { slots: Slots; random: number },
): Promise<Wait> {
  const { beforeMs, bodyMs } = chooseTimes(options, random);
  const waitMs = beforeMs + bodyMs;
  if (waitMs === 0) return { kind: "over", waitMs };
  const slot = slots.take(c, waitMs);
  if (slot === undefined) return { kind: "refused" };
  // For the package, which ends waits when its server closes.
  c.executionCtx.props.onWait?.();
  await sleep(beforeMs, slot.signal);
  // The interruption has freed the slot, too.
  if (slot.signal.aborted) return { kind: "interrupted" };
  if (bodyMs > 0) return { kind: "slow body", waitMs, bodyMs, slot };
  slot.free();
  return { kind: "over", waitMs };
}

/** Chooses how long a response waits, and how long its body then takes. With `body=slow`, the delay is the time of the body. */
export function chooseTimes({ hang, delay, body }: OptionValues, random: number) {
  const hangMs = hang ? HANG_MS : 0;
  if (body === "slow") return { beforeMs: hangMs, bodyMs: chooseNumber(delay ?? SLOW_BODY_MS, random) };
  return { beforeMs: hangMs + chooseNumber(delay ?? 0, random), bodyMs: 0 };
}

function chooseNumber(choices: NumberOrRange, random: number): number {
  const { min, max } = toRange(choices);
  return min + Math.floor(random * (max - min + 1));
}

/** Resolves after a time, or when the signal aborts. It never rejects. Like a socket, its timer keeps a process of Node alive. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds === 0 || signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const timer = setTimeout(wake, milliseconds);
  signal?.addEventListener("abort", wake);
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", wake);
}
