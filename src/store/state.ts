/**
 * The current collection. A load replaces it: the load stores its blocks and statistics under a new name, and then switches the state
 * to this name. So the content of a load never changes.
 */
export interface State {
  /** The name of the current load; empty if nothing was ever loaded. */
  load: string;
  /** The number of records in the collection. */
  count: number;
  /** The time of the switch to this load, ISO 8601 in UTC; null if unknown. */
  loaded_at: string | null;
  /** One more than the sequence of the previous state. */
  sequence: number;
  /** The source of the records, at most 100 printable ASCII characters; `generated` for the seed. */
  source: string;
}

/** The state of an empty store, before its first load. */
export const NOTHING_LOADED: State = { load: "", count: 0, loaded_at: null, sequence: 0, source: "" };

/** The number of a block, or the last block of the current load. */
export type BlockSelector = number | "last";

/** A state, with the selected block of its load if the store could read both in one step and has the block. */
export interface StateRead {
  state: State;
  block?: { number: number; text: string };
}

/** A store to read from. All methods throw if the store fails. */
export interface Store {
  /**
   * Reads the current state.
   * @param options.withBlock A block to read in the same step, if the store can do that
   * @param options.fromPrimary Whether to read from the primary database, because a replica may lag
   * @throws DamagedStateError
   */
  readState(options?: { withBlock?: BlockSelector | undefined; fromPrimary?: boolean }): Promise<StateRead>;
  /**
   * Reads blocks of a load by their numbers. The blocks 0, -1, ... are the pieces of the statistics.
   * @returns null for a block that is missing or not visible yet
   */
  readBlocks(load: string, numbers: number[], fromPrimary?: boolean): Promise<(string | null)[]>;
}

/** Thrown if the stored state is missing or invalid. A load repairs it. */
export class DamagedStateError extends Error {}

/**
 * Checks a stored state.
 * @throws DamagedStateError
 */
export function requireState(value: unknown): State {
  const { load, count, loaded_at, sequence, source } = Object(value);
  const areStrings = [load, loaded_at ?? "", source].every((value) => typeof value === "string");
  if (!areStrings || ![count, sequence].every((number) => Number.isSafeInteger(number) && number >= 0))
    throw createDamagedStateError(JSON.stringify(value) ?? "it is missing");
  return { load, count, loaded_at: loaded_at ?? null, sequence, source };
}

/**
 * Parses a stored state.
 * @throws DamagedStateError
 */
export function parseState(text: string): State {
  try {
    return requireState(JSON.parse(text));
  } catch (cause) {
    throw createDamagedStateError(text.slice(0, 100), cause);
  }
}

function createDamagedStateError(value: string, cause?: unknown): DamagedStateError {
  return new DamagedStateError(`The stored state is damaged: ${value}. Load the records again.`, { cause });
}
