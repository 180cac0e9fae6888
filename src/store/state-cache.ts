import { logFailure } from "../log.ts";
import { MissingBlockError } from "./block.ts";
import { createSingleFlight, READ_TIMEOUT_MS, type WaitUntil } from "./retry.ts";
import { DamagedStateError, type State } from "./state.ts";

// Blocks never change, so only the cached state can be too old. docs/architecture.md, "The cached state", lists the cases.

/** Max time from the start of the primary database read that confirms a state to the start of the request that needs the confirmation. */
export const CONFIRMATION_MAX_AGE_MS = 1_000;

/** Max age of the cached state since the start of the read. After a failed read, the cached state is served for the same time again. */
export const STATE_MAX_AGE_MS = 5_000;

/** If a refresh starts within this time after the expiry, other requests get the expired state. Otherwise, all requests wait for the refresh. */
const STALE_WHILE_REFRESHING_MS = 1_000;

/** Max attempts of a request: one with the cached state, and more while loads keep replacing each other. */
const MAX_ATTEMPTS = 3;

/** The cached state of an instance, and the reads of the store that its requests share. */
export interface StateCache {
  storeName: string;
  latest?: State;
  /** When the cached state must be read again. */
  expiresAt: number;
  /** The latest state that the primary database confirmed. */
  confirmed?: { load: string; startedAt: number };
  singleFlight: ReturnType<typeof createSingleFlight>;
}

/** An instance, and the request that uses it. */
export interface ReadContext {
  stateCache: StateCache;
  waitUntil: WaitUntil;
  /**
   * Reads the state from the store.
   * @param fromPrimary Whether to read from the primary database
   */
  readState(fromPrimary: boolean): Promise<State>;
}

export function createStateCache(storeName: string): StateCache {
  return { storeName, expiresAt: Number.NEGATIVE_INFINITY, singleFlight: createSingleFlight() };
}

/** Returns the cached state while it is fresh, and otherwise the state of the store. If the store fails, returns the cached state. */
export async function getState(context: ReadContext): Promise<State> {
  const { stateCache } = context;
  const now = Date.now();
  if (stateCache.latest && now < stateCache.expiresAt) return stateCache.latest;
  if (now < stateCache.expiresAt + STALE_WHILE_REFRESHING_MS) stateCache.expiresAt = now + READ_TIMEOUT_MS;
  try {
    return await refreshState(context);
  } catch (error) {
    // A different request may have cached a state during the wait.
    if (!stateCache.latest) throw error;
    stateCache.expiresAt = Date.now() + STATE_MAX_AGE_MS;
    logFailure({ event: "stale_served", store: stateCache.storeName }, error);
    return stateCache.latest;
  }
}

/** Reads the state, updates the cache, and returns the cached state. Concurrent requests share the read. */
function refreshState(context: ReadContext): Promise<State> {
  const { stateCache, waitUntil, readState } = context;
  const read = async () => {
    const [previous, startedAt] = [stateCache.latest, Date.now()];
    const state = await readState(false);
    const isBehind = stateCache.latest && state.sequence < stateCache.latest.sequence;
    // A sequence below the cached sequence means that a replica lags or a backup was restored. Only the primary database can tell which.
    return isBehind ? readFromPrimary(context) : cacheState(stateCache, state, previous, startedAt);
  };
  return stateCache.singleFlight("state", read, waitUntil);
}

/** Reads the state from the primary database, updates the cache, and returns the cached state. Concurrent requests share the read. */
function readFromPrimary({ stateCache, waitUntil, readState }: ReadContext): Promise<State> {
  const read = async () => {
    const [previous, startedAt] = [stateCache.latest, Date.now()];
    const state = await readState(true);
    // Loads never remove the state. A store that had a load, and now has no state, has lost its data.
    if (state.load === "" && stateCache.latest?.load)
      throw new DamagedStateError(`The store has no state, although it had load ${stateCache.latest.load}`);
    stateCache.confirmed = { load: state.load, startedAt };
    return cacheState(stateCache, state, previous, startedAt);
  };
  return stateCache.singleFlight("primary state", read, waitUntil);
}

/**
 * Caches a state and returns the cached state. If an overlapping read has replaced `previous` in the meantime, only a state with a higher
 * sequence is cached, because the earlier of two overlapping reads can return the newer state.
 */
function cacheState(stateCache: StateCache, state: State, previous: State | undefined, startedAt: number) {
  const { latest } = stateCache;
  if (latest && latest !== previous && state.sequence <= latest.sequence) return latest;
  stateCache.latest = state;
  stateCache.expiresAt = startedAt + STATE_MAX_AGE_MS;
  return state;
}

/**
 * Calls `read` with the cached state and, if `read` finds nothing, with newer states, because a load may have replaced the cached state.
 * @param read Returns undefined if it finds nothing, and throws MissingBlockError if the load may have been removed
 * @returns The result of `read` and its state. The result is undefined only if the primary database confirmed the state
 */
export async function readWithCurrentState<T>(
  context: ReadContext,
  read: (state: State) => Promise<T>,
): Promise<{ state: State; found: T }> {
  const requestedAt = Date.now();
  let failure: unknown;
  for (let attempt = 1; ; attempt++) {
    const state = await getState(context);
    let missing: MissingBlockError | undefined;
    try {
      const found = await read(state);
      if (found !== undefined || isConfirmed(context.stateCache, state, requestedAt)) return { state, found };
    } catch (error) {
      if (!(error instanceof MissingBlockError)) throw error;
      missing = error;
    }
    // A failed read allows one more attempt, because a different request may have cached a newer state.
    if (failure || attempt === MAX_ATTEMPTS)
      throw failure ?? missing ?? new Error("The collection was replaced again and again");
    failure = await readFromPrimary(context).then(
      () => undefined,
      (error) => error,
    );
  }
}

/** Whether the primary database confirmed a state recently enough for a request. */
function isConfirmed({ confirmed }: StateCache, { load }: State, requestedAt: number): boolean {
  return confirmed?.load === load && requestedAt - confirmed.startedAt < CONFIRMATION_MAX_AGE_MS;
}
