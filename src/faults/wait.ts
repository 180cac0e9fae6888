import { toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";

/** How long `hang` waits before its 503: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** How long `body=slow` takes without `delay`: less than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/**
 * Chooses how long a response waits, and how long its body takes. A `delay` is part of the wait or, with `body=slow`, the time of the body.
 * @param random A number from 0 to below 1, which chooses the time within a range
 */
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
