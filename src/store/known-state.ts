import { logFailure } from "../log.ts";
import { MissingBlockError } from "./block.ts";
import { createSharing, HANGS_AFTER_MS, type WaitUntil } from "./retry.ts";
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
export const CONFIRMED_MS = 1_000;

/** How long an instance serves a state after it asked for it, or after the store failed, without asking again. */
export const TRUST_MS = 5_000;

/** A refresh that begins later than this is that of an idle instance, whose state can have any age. So nobody gets it meanwhile. */
const IN_TIME_MS = 1_000;

/** How often something is looked for: in the known state, and in newer ones while loads replace each other. */
const LOOKS = 3;

/** What an instance knows of the state of its store. */
export interface KnownState {
  /** The name of the store, for the log. */
  name: string;
  /** The newest state that was seen. */
  latest?: State;
  /** Until when the known state is served without another read. */
  servedUntil: number;
  /** The load that the primary database named last, and when it was asked. */
  confirmed?: { load: string; askedAt: number };
  share: ReturnType<typeof createSharing>;
}

/** What an instance knows, and the request that uses it. */
export interface InstanceContext {
  known: KnownState;
  waitUntil: WaitUntil;
  /**
   * Reads the state from the store.
   * @param isNewest true if a replica that may lag behind is not enough
   */
  readState(isNewest: boolean): Promise<State>;
}

export function createKnownState(name: string): KnownState {
  return { name, servedUntil: Number.NEGATIVE_INFINITY, share: createSharing() };
}

/** The state to serve, by the cases above. */
export async function takeState(context: InstanceContext): Promise<State> {
  const { known } = context;
  const now = Date.now();
  if (known.latest && now < known.servedUntil) return known.latest;
  if (now < known.servedUntil + IN_TIME_MS) known.servedUntil = now + HANGS_AFTER_MS;
  try {
    await ask(context, false);
  } catch (error) {
    if (!known.latest) throw error;
    known.servedUntil = Date.now() + TRUST_MS;
    logFailure({ event: "kept_served", store: known.name }, error);
  }
  return known.latest as State;
}

/**
 * Asks the store for the state and remembers it, together with all who ask at the same time. A usual answer that is behind what is known,
 * because a replica lags or a backup was restored, is not believed before the primary database says the same.
 */
function ask({ known, waitUntil, readState }: InstanceContext, isNewest: boolean): Promise<void> {
  const read = async (isNewest: boolean): Promise<void> => {
    const before = known.latest;
    const askedAt = Date.now();
    const state = await readState(isNewest);
    if (isNewest) known.confirmed = { load: state.load, askedAt };
    const { latest } = known;
    const isBehind = latest !== undefined && state.sequence < latest.sequence;
    if (isBehind && !isNewest) return share(true);
    // Of two reads that overlap in time, either can show the newer state, so only a higher sequence decides between them.
    if (latest && latest !== before && state.sequence <= latest.sequence) return;
    known.latest = state;
    known.servedUntil = askedAt + TRUST_MS;
  };
  const share = (isNewest: boolean) =>
    known.share(isNewest ? "newest state" : "state", () => read(isNewest), waitUntil);
  return share(isNewest);
}

/**
 * Looks for something in the state to serve and, if it is missing there, in the newest one, because another load may be current.
 * @param take returns undefined if the state does not have it; throws MissingBlockError if its load may have been replaced
 * @returns `found` is undefined if the state does not have it, which the primary database confirmed
 */
export async function readFromCollection<T>(
  context: InstanceContext,
  take: (state: State) => Promise<T>,
): Promise<{ state: State; found: T }> {
  const beganAt = Date.now();
  let failure: unknown;
  for (let look = 1; ; look++) {
    const state = await takeState(context);
    let missing: MissingBlockError | undefined;
    try {
      const found = await take(state);
      const { confirmed } = context.known;
      const isConfirmed = confirmed?.load === state.load && beganAt - confirmed.askedAt < CONFIRMED_MS;
      if (found !== undefined || isConfirmed) return { state, found };
    } catch (error) {
      if (!(error instanceof MissingBlockError)) throw error;
      missing = error;
    }
    if (failure || look === LOOKS)
      throw failure ?? missing ?? new Error("The collection was replaced again and again");
    failure = await ask(context, true).catch((error) => error);
  }
}
