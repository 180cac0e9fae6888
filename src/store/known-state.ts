import { logFailure } from "../log.ts";
import { MissingBlockError } from "./block.ts";
import { createSharing, HANGS_AFTER_MS, limitTime, type WaitUntil } from "./retry.ts";
import type { Reading, State, Store, WantedBlock } from "./state.ts";

// Blocks never change, so of all that an instance keeps, only the state can be too old.

/** A page that does not exist is looked for in the newest state, but not more often than this. */
export const CONFIRMED_MS = 1_000;

/** A store that fails is asked again after this time, not sooner, if the instance can respond without it. */
export const ASK_AGAIN_MS = 5_000;

/**
 * While a refresh runs, others use the known state if the refresh began within this part of the time for which that state is trusted.
 * An instance that was idle for longer waits, because its state can be of any age.
 */
const REFRESHED_IN_TIME = 1.2;

/** How often something is looked for: in the known state, and in newer ones while loads replace each other. */
const ATTEMPTS = 3;

/** What an instance knows of the state of its store. */
export interface KnownState {
  store: Store;
  /** The name of the store, for the log. */
  name: string;
  /** The newest state that was seen, and when the store was asked for it. */
  latest?: { state: State; askedAt: number };
  /** When the store last failed to give a state. */
  failedAt: number;
  /** When the refresh began that is running. */
  refreshingSince: number;
  /** When something was last looked for in the newest state. */
  confirmedAt: number;
  share: ReturnType<typeof createSharing>;
}

/** What an instance knows, and the request that uses it. */
export interface InstanceContext {
  known: KnownState;
  waitUntil: WaitUntil;
}

/** Chooses the block to read with the state. Called only if the state must be read, with the state that is known. */
export type ChooseBlock = (known?: State) => WantedBlock | undefined;

const NEVER = Number.NEGATIVE_INFINITY;

export function createKnownState(store: Store, name: string): KnownState {
  return { store, name, failedAt: NEVER, refreshingSince: NEVER, confirmedAt: NEVER, share: createSharing() };
}

/** The state to serve: the known one while it is trusted, or while the store fails. */
export async function takeState(context: InstanceContext, chooseBlock: ChooseBlock): Promise<Reading> {
  const { known } = context;
  const { latest, store, failedAt, refreshingSince } = known;
  if (!latest) return readState(context, chooseBlock(), false);
  const now = Date.now();
  if (now - latest.askedAt < store.trustMs || now - failedAt < ASK_AGAIN_MS) return latest;
  const triedAt = Math.max(latest.askedAt, failedAt);
  const isInTime = refreshingSince - triedAt < REFRESHED_IN_TIME * store.trustMs;
  if (now - refreshingSince < HANGS_AFTER_MS && isInTime) return latest;
  known.refreshingSince = now;
  try {
    return await readState(context, chooseBlock(latest.state), false);
  } catch (error) {
    logFailure({ event: "kept_served", store: known.name }, error);
    return latest;
  } finally {
    known.refreshingSince = NEVER;
  }
}

/**
 * Reads the current state. A state with a lower sequence than the known one is asked for once more, from the primary database if there
 * are replicas, and then believed: a backup may have been restored.
 */
async function readState(
  context: InstanceContext,
  wanted: WantedBlock | undefined,
  isNewest: boolean,
): Promise<Reading> {
  const { known, waitUntil } = context;
  const read = async () => {
    const askedAt = Date.now();
    const reading = await limitTime(known.store.readState(wanted, isNewest));
    const isBehind = reading.state.sequence < Number(known.latest?.state.sequence);
    if (isBehind && !isNewest) return undefined;
    // A response that took longer must not replace one that was asked for later.
    if (askedAt >= (known.latest?.askedAt ?? NEVER)) known.latest = { state: reading.state, askedAt };
    if (isNewest) known.confirmedAt = askedAt;
    return reading;
  };
  try {
    const reading = await known.share(`state ${wanted} ${isNewest}`, read, waitUntil);
    return reading ?? (await readState(context, wanted, true));
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
  chooseBlock: ChooseBlock,
  find: (reading: Reading) => Promise<T>,
): Promise<{ state: State; found: T }> {
  let reading = await takeState(context, chooseBlock);
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await find(reading);
      const isConfirmed = attempt > 1 || Date.now() - context.known.confirmedAt < CONFIRMED_MS;
      if (found !== undefined || isConfirmed) return { state: reading.state, found };
    } catch (error) {
      if (!(error instanceof MissingBlockError) || attempt === ATTEMPTS) throw error;
    }
    reading = await readState(context, chooseBlock(context.known.latest?.state), true);
  }
}
