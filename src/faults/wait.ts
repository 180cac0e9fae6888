import { type NumberOrRange, toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { RandomSource } from "./random.ts";

/** The time of `hang`: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** The time of a slow body without `delay`. Shorter than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** How long a response waits, and how long sending its body takes. */
export interface Wait {
  beforeMs: number;
  bodyMs: number;
}

export const NO_WAIT: Wait = { beforeMs: 0, bodyMs: 0 };

/** Calculates the wait for the active options. With `body=slow`, `delay` is the time of the body, not of a wait before it. */
export function getWait(
  { delay, body, hang, close }: OptionValues,
  { hasBody, random }: { hasBody: boolean; random: RandomSource },
): Wait {
  // A connection that closes before the response sends no body.
  const isBodySlow = body === "slow" && !close;
  const delayMs = isBodySlow ? 0 : chooseTime(delay ?? 0, random);
  const beforeMs = hang ? HANG_MS : delayMs;
  const bodyMs = isBodySlow && hasBody ? chooseTime(delay ?? SLOW_BODY_MS, random) : 0;
  return { beforeMs, bodyMs };
}

/** Removes what only waits. A hang is a 503 without its wait. */
export function withoutWait(values: OptionValues): OptionValues {
  const body = values.body === "slow" ? undefined : values.body;
  return { ...values, delay: undefined, body };
}

/** Chooses a time from a range, including both ends. */
function chooseTime(time: NumberOrRange, random: RandomSource): number {
  const { min, max } = toRange(time);
  return min + Math.floor(random("delay") * (max - min + 1));
}

interface SleepOptions {
  /** Ends the wait early. */
  signal?: AbortSignal | undefined;
  /** Whether the wait keeps the process alive in Node. */
  keepsAlive?: boolean;
}

/**
 * Waits. When the signal ends the wait, the promise resolves, too: the caller looks at the signal.
 * @param milliseconds At most the 60,000 of `hang`, because the syntax of `delay` allows 10,000
 */
export function sleep(milliseconds: number, { signal, keepsAlive = true }: SleepOptions = {}): Promise<void> {
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
