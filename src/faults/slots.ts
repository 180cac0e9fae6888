import { UnavailableError } from "../http/errors.ts";

/** How many responses may wait at a time. */
export interface DelayLimits {
  total: number;
  /** Of one client address, so that one client cannot use all slots. At most `total`. */
  perClient: number;
}

/** The limits of an instance of the worker. Each response that waits uses memory, and an instance has 128 MB. */
export const WORKER_LIMITS: DelayLimits = { total: 100, perClient: 50 };

/** A place among the delayed responses of an instance. */
export interface Slot {
  /** Ends the wait, because the client has disconnected, or because of `release` or `endWaits`. Undefined if the response does not wait. */
  signal?: AbortSignal;
  /** Whether a reset of the service has ended the wait. Then the connection closes. */
  wasReset(): boolean;
  /** Frees the slot, and ends the rest of the wait. Has no effect the second time. */
  release(): void;
}

/** The slot of a response that does not wait. */
export const NO_SLOT: Slot = { wasReset: () => false, release() {} };

interface DelayedRequest {
  /** The key of the client, if the delay counts for one. */
  client: string | undefined;
  limits: DelayLimits;
  /** Has the signal of the client's connection. */
  request: Request;
}

interface TakenSlot {
  client: string | undefined;
  /** When this slot is free again. We can't rely on an abort: workerd drops the request of a disconnected client silently. */
  endsAt: number;
  end(): void;
}

/** Creates the slots of an instance. They are limited, because clients can request any number of delayed responses. */
export function createSlots() {
  const taken = new Set<TakenSlot>();

  function isFull({ total, perClient }: DelayLimits, client: string | undefined): boolean {
    if (taken.size < perClient) return false;
    const now = Date.now();
    for (const slot of taken) {
      if (slot.endsAt <= now) taken.delete(slot);
    }
    if (taken.size >= total) return true;
    if (client === undefined) return false;
    const ofClient = [...taken].filter((slot) => slot.client === client);
    return ofClient.length >= perClient;
  }

  return {
    /** Takes a slot for a time. Returns undefined if none is free. */
    acquireSlot(durationMs: number, { client, limits, request }: DelayedRequest): Slot | undefined {
      if (durationMs === 0) return NO_SLOT;
      if (isFull(limits, client)) return undefined;
      // Read only for a wait: in the package, it costs as much as a page.
      const { signal: connection } = request;
      const wait = new AbortController();
      let wasReset = false;
      const release = () => {
        taken.delete(slot);
        connection.removeEventListener("abort", release);
        wait.abort();
      };
      const end = () => {
        wasReset = true;
        release();
      };
      const slot = { client, endsAt: Date.now() + durationMs, end };
      taken.add(slot);
      connection.addEventListener("abort", release, { once: true });
      if (connection.aborted) release();
      return { signal: wait.signal, wasReset: () => wasReset, release };
    },
    /** Ends all waits. Their connections close. */
    endWaits(): void {
      for (const slot of taken) slot.end();
    },
  };
}

export type Slots = ReturnType<typeof createSlots>;

/** The error for a client that asks for a delayed response while no slot is free. */
export class TooManyDelayedError extends UnavailableError {
  constructor(limits: DelayLimits) {
    super({ "Mock-Warning": describeLimits(limits) });
  }
}

/** Says why a response does not wait. */
export function describeLimits({ total, perClient }: DelayLimits): string {
  return `Too many responses are waiting: the limit is ${total}, and ${perClient} per client address.`;
}
