/**
 * What is served. A collection is only ever replaced, by a load: its blocks and its statistics are stored under a new name, and
 * then the state names it. So what a name refers to never changes.
 */
export interface State {
  /** Names the load whose blocks are served; empty if nothing was ever loaded. */
  load: string;
  /** Records in the collection. */
  count: number;
  /** When readers were switched to this load, ISO 8601 in UTC; null if it is not known. */
  loaded_at: string | null;
  /** One more than that of the state that it replaced. */
  sequence: number;
  /** Where the records come from, at most 100 printable ASCII characters; `generated` for the seed. */
  source: string;
}

/** The state of an empty store, before its first load. */
export const NOTHING_LOADED: State = { load: "", count: 0, loaded_at: null, sequence: 0, source: "" };

/** The number of a block, or the last one of the load that is served. */
export type BlockSelector = number | "last";

/** A state and, if the store could read both at once and has it, the selected block of its load. */
export interface StateRead {
  state: State;
  block?: { number: number; text: string };
}

/** Where the collection is read from. All methods throw if it fails. */
export interface Store {
  /**
   * Reads the current state.
   * @param options.withBlock a block of its load to read in the same moment, if the store can do that
   * @param options.fromPrimary true if a replica that may lag behind is not enough
   * @throws DamagedStateError
   */
  readState(options?: { withBlock?: BlockSelector | undefined; fromPrimary?: boolean }): Promise<StateRead>;
  /**
   * Reads blocks of a load by their numbers. Those from 0 downwards are the pieces of its statistics.
   * @param fromPrimary true if a replica that may lag behind is not enough
   * @returns null for a block that is missing, or that is not visible here yet
   */
  readBlocks(load: string, numbers: number[], fromPrimary?: boolean): Promise<(string | null)[]>;
}

/** The state is missing or is not a state. A load replaces it. */
export class DamagedStateError extends Error {}

/**
 * Checks what a store holds as its state.
 * @throws DamagedStateError
 */
export function requireState(value: unknown): State {
  const { load, count, loaded_at, sequence, source } = Object(value);
  const areStrings = [load, loaded_at ?? "", source].every((value) => typeof value === "string");
  if (!areStrings || ![count, sequence].every((number) => Number.isSafeInteger(number) && number >= 0))
    throw new DamagedStateError(`The stored state is damaged: ${JSON.stringify(value)}`);
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
    throw new DamagedStateError(`The stored state is damaged: ${text.slice(0, 100)}`, { cause });
  }
}
