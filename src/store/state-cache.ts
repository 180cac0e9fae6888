import { logFailure } from "../log.ts";
import { MissingBlockError } from "./block.ts";
import { createSingleFlight, READ_TIMEOUT_MS, type WaitUntil } from "./retry.ts";
import type { State } from "./state.ts";

/*
 * Blocks never change, so of all that an instance keeps, only the state can be too old. The first case that is true decides:
 *
 * | The instance                                               | A request gets                                           |
 * |------------------------------------------------------------|----------------------------------------------------------|
 * | knows no state                                             | the state that is read, or an error                      |
 * | asked for its state within the last 5 seconds              | the known state                                          |
 * | failed to read the state within the last 5 seconds         | the known state                                          |
 * | began to refresh within a second after that, for up to 3   | the known state                                          |
 * | has an older state                                         | the state that is known after a read, also if that fails |
 *
 * So while the store works, a state is served for at most 9 seconds after the store was asked for it. Other requests can change what
 * is known during any wait, so what is known after the wait decides.
 */

/** An answer of the primary database is new enough for a request that began at most this long after the question. */
export const CONFIRMATION_MAX_AGE_MS = 1_000;

/** How long an instance serves a state after it asked for it, or after the store failed, without asking again. */
export const STATE_MAX_AGE_MS = 5_000;

/** A refresh that begins later than this is that of an idle instance, whose state can have any age. So nobody gets it meanwhile. */
const STALE_WHILE_REFRESHING_MS = 1_000;

/** How often something is looked for: in the known state, and in newer ones while loads replace each other. */
const MAX_ATTEMPTS = 3;

/** What an instance knows of the state of its store. */
export interface StateCache {
  /** The name of the store, for the log. */
  name: string;
  /** The newest state that was seen. */
  latest?: State;
  /** Until when the cached state is served without another read. */
  expiresAt: number;
  /** The load that the primary database named last, and when it was asked. */
  confirmed?: { load: string; startedAt: number };
  share: ReturnType<typeof createSingleFlight>;
}

/** What an instance knows, and the request that uses it. */
export interface InstanceContext {
  stateCache: StateCache;
  waitUntil: WaitUntil;
  /**
   * Reads the state from the store.
   * @param fromPrimary true if a replica that may lag behind is not enough
   */
  readState(fromPrimary: boolean): Promise<State>;
}

export function createStateCache(name: string): StateCache {
  return { name, expiresAt: Number.NEGATIVE_INFINITY, share: createSingleFlight() };
}

/** The state to serve, by the cases above. */
export async function getState(context: InstanceContext): Promise<State> {
  const { stateCache } = context;
  const now = Date.now();
  if (stateCache.latest && now < stateCache.expiresAt) return stateCache.latest;
  if (now < stateCache.expiresAt + STALE_WHILE_REFRESHING_MS) stateCache.expiresAt = now + READ_TIMEOUT_MS;
  try {
    await refreshState(context, false);
  } catch (error) {
    if (!stateCache.latest) throw error;
    stateCache.expiresAt = Date.now() + STATE_MAX_AGE_MS;
    logFailure({ event: "kept_served", store: stateCache.name }, error);
  }
  return stateCache.latest as State;
}

/**
 * Asks the store for the state and remembers it, together with all who ask at the same time. A usual answer that is behind what is known,
 * because a replica lags or a backup was restored, is not believed before the primary database says the same.
 */
function refreshState(
  { stateCache, waitUntil, readState }: InstanceContext,
  fromPrimary: boolean,
): Promise<void> {
  const read = async (fromPrimary: boolean): Promise<void> => {
    const before = stateCache.latest;
    const startedAt = Date.now();
    const state = await readState(fromPrimary);
    if (fromPrimary) stateCache.confirmed = { load: state.load, startedAt };
    const { latest } = stateCache;
    const isBehind = latest !== undefined && state.sequence < latest.sequence;
    if (isBehind && !fromPrimary) return share(true);
    // Of two reads that overlap in time, either can show the newer state, so only a higher sequence decides between them.
    if (latest && latest !== before && state.sequence <= latest.sequence) return;
    stateCache.latest = state;
    stateCache.expiresAt = startedAt + STATE_MAX_AGE_MS;
  };
  const share = (fromPrimary: boolean) =>
    stateCache.share(fromPrimary ? "newest state" : "state", () => read(fromPrimary), waitUntil);
  return share(fromPrimary);
}

/**
 * Looks for something in the state to serve and, if it is missing there, in the newest one, because another load may be current.
 * @param read returns undefined if the state does not have it; throws MissingBlockError if its load may have been replaced
 * @returns `found` is undefined if the state does not have it, which the primary database confirmed
 */
export async function readWithCurrentState<T>(
  context: InstanceContext,
  read: (state: State) => Promise<T>,
): Promise<{ state: State; found: T }> {
  const beganAt = Date.now();
  let failure: unknown;
  for (let attempt = 1; ; attempt++) {
    const state = await getState(context);
    let missing: MissingBlockError | undefined;
    try {
      const found = await read(state);
      const { confirmed } = context.stateCache;
      const isConfirmed =
        confirmed?.load === state.load && beganAt - confirmed.startedAt < CONFIRMATION_MAX_AGE_MS;
      if (found !== undefined || isConfirmed) return { state, found };
    } catch (error) {
      if (!(error instanceof MissingBlockError)) throw error;
      missing = error;
    }
    if (failure || attempt === MAX_ATTEMPTS)
      throw failure ?? missing ?? new Error("The collection was replaced again and again");
    failure = await refreshState(context, true).catch((error) => error);
  }
}
