import { HttpError, unavailable } from "../http/errors.ts";
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
  const beforeMs = isBodySlow ? 0 : delayMs;
  return { beforeMs: hang ? HANG_MS : beforeMs, bodyMs: isBodySlow ? delayMs : 0 };
}

/** A slot for a delayed response. `release` frees the slot when the delay is over. */
export type Slot = { isFree: true; release(): void } | { isFree: false };

/** Creates a function that acquires a slot. Slots are limited, because clients can request any number of delayed responses. */
export function createSlots() {
  const taken = new Set<{
    /** When this slot is free again. We can't rely on an abort: workerd drops the request of a disconnected client silently. */
    endsAt: number;
    client: string | undefined;
  }>();

  /**
   * @param client The key of a client with a limit of its own
   * @param signal Frees the slot when the client disconnects
   */
  return ({ beforeMs, bodyMs }: Wait, client: string | undefined, signal: AbortSignal): Slot => {
    const now = Date.now();
    const slot = { endsAt: now + beforeMs + bodyMs, client };
    if (slot.endsAt === now) return { isFree: true, release: () => {} };
    for (const other of taken) if (other.endsAt <= now) taken.delete(other);
    const ofClient = Array.from(taken).filter((other) => other.client === client);
    const isClientFull = client !== undefined && ofClient.length >= MAX_DELAYED_PER_CLIENT;
    if (isClientFull || taken.size >= MAX_DELAYED) return { isFree: false };
    taken.add(slot);
    const release = () => void taken.delete(slot);
    signal.addEventListener("abort", release);
    return { isFree: true, release };
  };
}

/** The error for a client that asks for a delayed response while no slot is free. */
export function tooManyDelayed(): HttpError {
  const warning = `Too many responses are waiting: the limit is ${MAX_DELAYED}, and ${MAX_DELAYED_PER_CLIENT} per client address.`;
  return new HttpError(503, { headers: { ...unavailable().headers, "Mock-Warning": warning } });
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
