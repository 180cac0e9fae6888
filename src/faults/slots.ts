import { UNKNOWN_CLIENT } from "../http/client-key.ts";
import { UnavailableError } from "../http/errors.ts";
import { toRange } from "./option-syntax.ts";
import type { OptionValues } from "./option-table.ts";
import type { RandomSource } from "./random.ts";

/** The time of `hang`: longer than the timeout of most clients. */
const HANG_MS = 60_000;

/** The time of a slow body without `delay`. Shorter than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** Max delayed responses of an instance at a time. Each uses memory, and an instance has 128 MB. */
const MAX_DELAYED = 100;

/** Max delayed responses of one client at a time, so that one client cannot use all slots. */
const MAX_DELAYED_PER_CLIENT = 50;

/** How long a response waits, and how long sending its body takes. */
export interface Wait {
  beforeMs: number;
  bodyMs: number;
}

/** Calculates the wait for the active options. */
export function getWait({ delay, body, hang, close }: OptionValues, random: RandomSource): Wait {
  const isBodySlow = body === "slow" && !close;
  const { min, max } = toRange(delay ?? (isBodySlow ? SLOW_BODY_MS : 0));
  const delayMs = min + Math.floor(random("delay") * (max - min + 1));
  if (isBodySlow) return { beforeMs: hang ? HANG_MS : 0, bodyMs: delayMs };
  return { beforeMs: hang ? HANG_MS : delayMs, bodyMs: 0 };
}

/** A slot for a delayed response. `release` frees the slot when the delay is over. */
export type Slot = { isAcquired: true; release(): void } | { isAcquired: false };

/** Creates a function that acquires a slot. Slots are limited, because clients can request any number of delayed responses. */
export function createSlots() {
  const taken = new Set<{
    client: string;
    /** When this slot is free again. We can't rely on an abort: workerd drops the request of a disconnected client silently. */
    endsAt: number;
  }>();

  /**
   * @param client The key of the client. Unknown clients have no limit of their own, because they cannot be told apart
   * @param signal Frees the slot when the client disconnects
   */
  return ({ beforeMs, bodyMs }: Wait, client: string, signal: AbortSignal): Slot => {
    const durationMs = beforeMs + bodyMs;
    if (durationMs === 0) return { isAcquired: true, release: () => {} };
    const now = Date.now();
    for (const slot of taken) {
      if (slot.endsAt <= now) taken.delete(slot);
    }
    const ofClient = [...taken].filter((slot) => slot.client === client);
    const isClientFull = client !== UNKNOWN_CLIENT && ofClient.length >= MAX_DELAYED_PER_CLIENT;
    if (isClientFull || taken.size >= MAX_DELAYED) return { isAcquired: false };
    const slot = { client, endsAt: now + durationMs };
    taken.add(slot);
    const release = () => void taken.delete(slot);
    signal.addEventListener("abort", release);
    return { isAcquired: true, release };
  };
}

/** The error for a client that asks for a delayed response while no slot is free. */
export class TooManyDelayedError extends UnavailableError {
  constructor() {
    super({
      "Mock-Warning": `Too many responses are waiting: the limit is ${MAX_DELAYED}, and ${MAX_DELAYED_PER_CLIENT} per client address.`,
    });
  }
}

/** @param signal Ends the wait early, because the client has disconnected */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || signal?.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
