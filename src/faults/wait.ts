import type { AppContext } from "../bindings.ts";
import { findClientKey } from "../http/client-key.ts";
import { type NumberOrRange, toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { RandomSource } from "./random.ts";
import { sleep } from "./sleep.ts";
import {
  type DelayLimits,
  describeLimits,
  NO_SLOT,
  type Slot,
  type Slots,
  TooManyDelayedError,
} from "./slots.ts";

/** The time of `hang`: longer than the timeouts that clients usually set. */
const HANG_MS = 60_000;

/** The time of a slow body without `delay`. Shorter than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** How long a response waits, and how long sending its body takes. */
interface Wait {
  beforeMs: number;
  bodyMs: number;
}

interface WaitContext {
  acquireSlot: Slots["acquireSlot"];
  limits: DelayLimits;
  /** Whether the client asked for the options, and not the deployment. */
  isFromClient: boolean;
  random: RandomSource;
}

interface WaitResult {
  /** The options that still apply after the wait. */
  active: OptionValues;
  /** How long sending the body takes. */
  bodyMs: number;
  /** A slow body keeps its slot until its end. */
  slot: Slot;
  /** Why the response did not wait, although PREFER asked for it. */
  warnings: string[];
}

/**
 * Waits before the response, in one of a limited number of slots. A response that does not wait needs none.
 * @returns The options that still apply. Without a free slot, the options of the setting PREFER lose their wait, with a warning
 * @throws TooManyDelayedError if no slot is free for a client that asked for the wait
 */
export async function waitInSlot(
  c: AppContext,
  active: OptionValues,
  { acquireSlot, limits, isFromClient, random }: WaitContext,
): Promise<WaitResult> {
  // The runtime sends no body after HEAD, so nothing would read a slow one to its end.
  const { beforeMs, bodyMs } = getWait(active, { hasBody: c.req.method !== "HEAD", random });
  const client = isFromClient ? findClientKey(c) : undefined;
  const slot = acquireSlot(beforeMs + bodyMs, { client, limits, request: c.req.raw });
  if (slot === undefined) {
    if (isFromClient) throw new TooManyDelayedError(limits);
    return { active: withoutWait(active), bodyMs: 0, slot: NO_SLOT, warnings: [describeLimits(limits)] };
  }
  // Ends early if the client leaves. If it stays, a hang does not keep the process alive.
  await sleep(beforeMs, { signal: slot.signal, keepsAlive: !active.hang });
  if (bodyMs === 0) slot.release();
  // A reset of the service closes the connections that wait.
  return { active: slot.wasReset() ? { ...active, close: true } : active, bodyMs, slot, warnings: [] };
}

/** Calculates the wait for the active options. With `body=slow`, `delay` is the time of the body, not of a wait before it. */
export function getWait(
  { delay, body, hang, close }: OptionValues,
  { hasBody, random }: { hasBody: boolean; random: RandomSource },
): Wait {
  // A connection that closes before the response sends no body.
  const isBodySlow = body === "slow" && !close;
  const hangMs = hang ? HANG_MS : 0;
  if (isBodySlow) {
    const bodyMs = hasBody ? chooseTime(delay ?? SLOW_BODY_MS, random) : 0;
    return { beforeMs: hangMs, bodyMs };
  }
  return { beforeMs: hang ? hangMs : chooseTime(delay ?? 0, random), bodyMs: 0 };
}

/** Chooses a time from a range, including both ends. */
function chooseTime(time: NumberOrRange, random: RandomSource): number {
  const { min, max } = toRange(time);
  return min + Math.floor(random("delay") * (max - min + 1));
}

/** Removes the options that only take time. `hang` stays: it is also the 503 after its wait. */
function withoutWait(values: OptionValues): OptionValues {
  const body = values.body === "slow" ? undefined : values.body;
  return { ...values, delay: undefined, body };
}
