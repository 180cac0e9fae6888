import type { PageLocation, PageRequest } from "../records/page.ts";
import type { Source, Statistics } from "../records/statistics.ts";
import { type Block, ContentError, type Range } from "./blocks.ts";

/** What is served. The count and the records of a response always come from one state. */
export interface State {
  /** Names one load, with the time when it began. Appends keep it. Empty if nothing was ever loaded. */
  load: string;
  /** Records in the collection. */
  count: number;
  /** The newest records, which do not fill a block: lines as in a block, oldest first. */
  tail: string;
  /** Identifies the content. Every load and append has a new one; that of a load is its name. */
  revision: string;
  /** The revisions before, newest first, at most eight. */
  previous: string[];
  /** Grows by one with every switch, and says which of two states is newer. */
  sequence: number;
  /** When readers were switched to this state, ISO 8601 in UTC; undefined if nothing was ever loaded. */
  switchedAt: string | undefined;
  /** Where the records come from, as the statistics say. */
  sources: Source[];
  /** In KV only: the state that this one replaced, for locations that do not see the blocks of this one yet. */
  before?: State | undefined;
}

/** The state of an empty store, before its first load. */
export const NOTHING_LOADED: State = {
  load: "",
  count: 0,
  tail: "",
  revision: "",
  previous: [],
  sequence: 0,
  switchedAt: undefined,
  sources: [],
};

/** A page of a state. */
export interface StoredPage extends PageLocation {
  state: State;
  /** Its records as the JSON text of the response's `results`, newest first. */
  results: string;
}

/** The statistics of a state. */
export interface StateStatistics {
  state: State;
  statistics: Statistics;
}

/** What a write switches to; `sequence` and `previous` follow from the state that it replaces. */
export interface NewState extends Pick<State, "load" | "count" | "tail" | "revision"> {
  statistics: Statistics;
}

/** The write that a block belongs to. */
export interface BlockOwner extends Pick<State, "load" | "revision"> {
  /** The state that an append continues; undefined for a load. */
  base?: State | undefined;
}

/** Writes that will never switch, or whose state was replaced: the named ones, and all that began before a time. */
export interface DeadWrites {
  names: string[];
  /** A name that was created at that time (`createName`). */
  before: string;
}

/**
 * A place that holds the collection: what the cache reads through and what the writer (writer.ts) writes through. All
 * methods throw if the store fails.
 */
export interface Store {
  /** How long an instance may trust its copy of the state, in milliseconds. */
  trustMs: number;
  /**
   * How long a reader may see an earlier state after a switch, in milliseconds; 0 if a read with `newest` shows the current
   * one.
   */
  lagMs: number;
  /** Whether a write can be conditional on the state, which an append needs. */
  takesAppends: boolean;
  /** Whether no other writer can be running, so that every unfinished write is dead. */
  isExclusive: boolean;
  /** Bytes of block text that one call of `writeBlocks` should be given. */
  batchBytes: number;
  /** Reads the current state. */
  readState(options?: ReadOptions): Promise<State>;
  /**
   * Reads the state and, in the same moment, those blocks of a page of it that exist. It costs the same at any depth and size.
   * Missing in a store that cannot: its blocks are read with the names in a state.
   */
  readPage?(request: PageRequest, options: ReadOptions): Promise<{ state: State; blocks: Block[] }>;
  /**
   * Reads the blocks that hold a range of positions of a state, tail excluded.
   * @throws MissingBlockError
   */
  readBlocks(state: State, range: Range): Promise<Block[]>;
  /**
   * Reads the current state with its statistics.
   * @param newest true if a replica that may lag behind is not enough
   */
  readStatistics(newest?: boolean): Promise<StateStatistics>;
  /** Stores blocks for a new state, which readers do not see before the switch. */
  writeBlocks(blocks: Block[], owner: BlockOwner): Promise<void>;
  /**
   * Switches readers to a new state, all of whose blocks are stored.
   * @param expected the state that it replaces
   * @throws ConflictError if the store can tell that another state is current; any other error leaves open whether the
   *   switch happened
   */
  switchTo(next: NewState, expected: State): Promise<State>;
  /**
   * Removes data of dead writes, in bounded steps, except what the state as it is at that moment, or a reader that may
   * still see an earlier one, needs.
   */
  sweep(dead: DeadWrites): Promise<void>;
  /** Removes blocks of a write that failed before it could switch. */
  discard(blocks: Pick<Block, "first">[], owner: BlockOwner): Promise<void>;
}

export interface ReadOptions {
  /** The state that the reader knows, whose tail need not be read again. */
  known?: State | undefined;
  /** True if a replica that may lag behind is not enough. */
  newest?: boolean | undefined;
}

/** A write failed because another one came first. */
export class ConflictError extends Error {
  constructor(options?: ErrorOptions) {
    super(
      "Something else changed the collection at the same time, so nothing was written. Try again.",
      options,
    );
  }
}

/** The state is missing or is not a state. A load replaces it. */
export class DamagedStateError extends Error {}

/** A block is missing that a state names: it was removed, or it is not visible here yet. */
export class MissingBlockError extends ContentError {}

/** Revisions that a state remembers. After a switch whose result was lost, they show whether it happened. */
const PREVIOUS_REVISIONS = 8;

/** The state that a write switches to. */
export function createState({ statistics, ...next }: NewState, expected: State): State {
  return {
    ...next,
    previous: [expected.revision, ...expected.previous].slice(0, PREVIOUS_REVISIONS),
    sequence: expected.sequence + 1,
    switchedAt: new Date().toISOString(),
    sources: statistics.sources,
  };
}

/** Whether a later state of a store came from an earlier one by switches, or is the same. */
export function continues(later: State, { revision }: Pick<State, "revision">): boolean {
  return later.revision === revision || later.previous.includes(revision);
}

/** Characters of a name that contain the time when the write began. */
const TIME_LENGTH = 9;

/**
 * A new name for a load or a revision. It begins with the time, so that names are in the order of time and abandoned data can be
 * recognised, and ends with random characters, so that no two writes share a name whatever their clocks say.
 * @param now milliseconds since 1970
 */
export function createName(now: number): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return now.toString(36).padStart(TIME_LENGTH, "0") + random.join("");
}

/** Whether data of a write can be removed. */
export function isDead(name: string, { names, before }: DeadWrites): boolean {
  return name < before || names.includes(name);
}

/**
 * @param text the stored JSON
 * @throws ContentError if it is not the statistics of a state
 */
export function parseStatistics(text: string): Statistics {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = text === "" ? "missing" : `damaged: ${text.slice(0, 100)}`;
    throw new ContentError(`The statistics are ${what}. Load the records again.`, { cause });
  }
}
