import { logFailure } from "../log.ts";
import { MissingBlockError } from "./block.ts";
import { createSharing, HANGS_AFTER_MS, type WaitUntil } from "./retry.ts";
import type { Reading, State, Store, WantedBlock } from "./state.ts";

/*
 * Blocks never change, so of all that an instance keeps, only the state can be too old. The first case that is true decides:
 *
 * | The instance                                               | A request gets                                           |
 * |------------------------------------------------------------|----------------------------------------------------------|
 * | knows no state                                             | the state that it reads, or an error                     |
 * | asked for its state within the last 5 seconds              | the known state                                          |
 * | failed to read the state within the last 5 seconds         | the known state                                          |
 * | is refreshing a state of at most 6 seconds, for up to 3    | the known state                                          |
 * | has an older state                                         | the state that it reads or, if that fails, the known one |
 *
 * So while the store works, a state is served for at most 9 seconds after the store was asked for it.
 */

/** A page that does not exist is looked for in the newest state, but not more often than this. */
export const CONFIRMED_MS = 1_000;

/** A store that fails is asked again after this time, not sooner, if the instance can respond without it. */
export const ASK_AGAIN_MS = 5_000;

/** How long an instance trusts a state after it asked for it. */
const TRUST_MS = 5_000;

/**
 * A refresh begins in time if the state is not older than this. That of an instance that was idle for longer can have any age, so nobody
 * else gets it meanwhile.
 */
const IN_TIME_MS = 6_000;

/** How often something is looked for: in the known state, and in newer ones while loads replace each other. */
const ATTEMPTS = 3;

/** What an instance knows of the state of its store. */
export interface KnownState {
  store: Store;
  /** The name of the store, for the log. */
  name: string;
  /** The newest state that was seen, and when the store was asked for it. */
  latest?: { state: State; askedAt: number };
  /** When the store could last not be read. */
  failedAt: number;
  /** When the refresh began that is running, if it began in time. */
  refreshingSince: number;
  /** When something was last looked for in the newest state. */
  confirmedAt: number;
  share: ReturnType<typeof createSharing>;
}

/** What an instance knows, and the request that uses it. */
export interface InstanceContext {
  known: KnownState;
  waitUntil: WaitUntil;
  /** Chooses the block to read with the state, if that must be read. It gets the state that is known. */
  chooseBlock?(latest?: State): WantedBlock | undefined;
}

const NEVER = Number.NEGATIVE_INFINITY;

export function createKnownState(store: Store, name: string): KnownState {
  return { store, name, failedAt: NEVER, refreshingSince: NEVER, confirmedAt: NEVER, share: createSharing() };
}

/** The state to serve, by the cases above. */
export async function takeState(context: InstanceContext): Promise<Reading> {
  const { known } = context;
  const { latest, failedAt, refreshingSince } = known;
  if (!latest) return readState(context);
  const now = Date.now();
  const isTrusted = now - latest.askedAt < TRUST_MS;
  const hasJustFailed = now - failedAt < ASK_AGAIN_MS;
  const isBeingRefreshed = now - refreshingSince < HANGS_AFTER_MS;
  if (isTrusted || hasJustFailed || isBeingRefreshed) return latest;
  const isInTime = now - Math.max(latest.askedAt, failedAt) < IN_TIME_MS;
  known.refreshingSince = isInTime ? now : NEVER;
  try {
    return await readState(context);
  } catch (error) {
    logFailure({ event: "kept_served", store: known.name }, error);
    return latest;
  } finally {
    known.refreshingSince = NEVER;
  }
}

/**
 * Reads the state. If it is behind the known one, because a replica lags or a backup was restored, it is read again, from the primary
 * database if there are replicas, and that is believed.
 */
async function readState(context: InstanceContext): Promise<Reading> {
  const reading = await askStore(context, false);
  return isBehind(reading, context.known) ? askStore(context, true) : reading;
}

function isBehind({ state }: Reading, { latest }: KnownState): boolean {
  return latest !== undefined && state.sequence < latest.state.sequence;
}

/** Asks the store for the state, together with other requests, and remembers it. */
async function askStore(
  { known, waitUntil, chooseBlock }: InstanceContext,
  isNewest: boolean,
): Promise<Reading> {
  const wanted = chooseBlock?.(known.latest?.state);
  const ask = async () => {
    const askedAt = Date.now();
    const reading = await known.store.readState(wanted, isNewest);
    // A response that took longer must not replace one that was asked for later.
    const isOvertaken = askedAt < (known.latest?.askedAt ?? NEVER);
    const isBelieved = isNewest || !isBehind(reading, known);
    if (isBelieved && !isOvertaken) known.latest = { state: reading.state, askedAt };
    if (isNewest) known.confirmedAt = askedAt;
    return reading;
  };
  try {
    return await known.share(`state ${wanted} ${isNewest}`, ask, waitUntil);
  } catch (error) {
    known.failedAt = Date.now();
    throw error;
  }
}

/**
 * Looks for something in the state to serve and, if it is missing there, in the newest one, because another load may be current.
 * @param find returns undefined if the collection does not have it; throws MissingBlockError if a block is missing, which may be
 *   visible later, or may be of a load that was replaced
 * @returns `found` is undefined if the newest state does not have it, or if that was asked for a moment ago
 */
export async function findInCollection<T>(
  context: InstanceContext,
  find: (reading: Reading) => Promise<T>,
): Promise<{ state: State; found: T }> {
  let reading = await takeState(context);
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await find(reading);
      const isConfirmed = attempt > 1 || Date.now() - context.known.confirmedAt < CONFIRMED_MS;
      if (found !== undefined || isConfirmed) return { state: reading.state, found };
    } catch (error) {
      if (!(error instanceof MissingBlockError) || attempt === ATTEMPTS) throw error;
    }
    reading = await askStore(context, true);
  }
}
