import { type NumberOrRange, toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";

/** How long `hang` waits before its 503: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** How long `body=slow` takes without `delay`: less than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/**
 * Chooses how long a response waits, and how long its body then takes.
 * @param random A number from 0 to below 1, which chooses the time within a range
 */
export function chooseTimes({ delay, body, hang, close }: OptionValues, random: number) {
  const hangMs = hang ? HANG_MS : 0;
  const sendsBody = !close;
  // With `body=slow`, the delay is the time of the body.
  if (body === "slow" && sendsBody)
    return { beforeMs: hangMs, bodyMs: chooseNumber(delay ?? SLOW_BODY_MS, random) };
  return { beforeMs: hangMs + chooseNumber(delay ?? 0, random), bodyMs: 0 };
}

function chooseNumber(choices: NumberOrRange, random: number): number {
  const { min, max } = toRange(choices);
  return min + Math.floor(random * (max - min + 1));
}

/**
 * Resolves after a time, or when the signal aborts. It never rejects.
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

/** Lets a process end before the timer. In workerd, where no process waits, a timer is a number. */
function unref(timer: number | { unref(): void }): void {
  if (typeof timer === "object") timer.unref();
}
