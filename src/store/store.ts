import type { PageLocation, PageRequest } from "../records/page.ts";
import type { Source, Statistics } from "../records/statistics.ts";
import type { Block, Range } from "./blocks.ts";

/** What is served. The count and the records of a response always come from one state. */
export interface State {
  /** Identifies one load: when it began, in milliseconds since 1970. Appends keep it. 0 if nothing was ever loaded. */
  version: number;
  /** Records in the collection. */
  count: number;
  /**
   * Identifies the content. Every load and append makes a new one, so even after a backup was restored no content is
   * mistaken for other content.
   */
  revision: string;
  /** The revision before this one. */
  previous: string;
  /** When readers were switched to this state, ISO 8601 in UTC; undefined if nothing was ever loaded. */
  switchedAt: string | undefined;
  /** Where the records come from, as the statistics say; undefined if it was not recorded. */
  sources?: Source[] | undefined;
}

/** A page of a state. */
export interface StoredPage extends PageLocation {
  state: State;
  /** Its records as the JSON text of the response's `results`, newest first. */
  results: string;
}

/** The lines of blocks, by the position of the first record. */
export type Blocks = Map<number, readonly string[]>;

/** What a write makes. */
export interface NewState {
  version: number;
  count: number;
  revision: string;
  statistics: Statistics;
  /** What an append continues; undefined for a load, which replaces the collection. */
  base?: State | undefined;
  /** The position of the first record of the first block that this write stored. */
  firstWritten: number;
}

/**
 * A place that holds the collection: what the cache reads through and what the writer (writer.ts) writes through. All
 * methods throw if the store fails or if what it holds is incomplete.
 */
export interface Store {
  /**
   * Reads the current state.
   * @param newest true if a replica that may lag behind is not enough
   */
  readState(newest?: boolean): Promise<State>;
  /**
   * Reads the current state and the blocks in which a page of it lies; costs the same at any depth and size.
   */
  readPage(request: PageRequest, options: ReadOptions): Promise<{ state: State; blocks: Blocks }>;
  /** Reads the blocks that hold a range of positions of a state. Throws `MissingBlockError` if one is missing. */
  readBlocks(state: State, range: Range): Promise<Block[]>;
  /** Reads the statistics of a state; undefined if the collection changed meanwhile or nothing was ever loaded. */
  readStatistics(state: State): Promise<Statistics | undefined>;
  /** Bytes of block text that one call of `writeBlocks` should be given. */
  batchBytes: number;
  /** Stores blocks for a new state, which readers do not see before the switch. */
  writeBlocks(blocks: Block[], target: Pick<NewState, "version" | "revision" | "base">): Promise<void>;
  /**
   * Switches readers to a new state, all of whose blocks are stored.
   * @returns the state
   * @throws ConflictError if something else was written meanwhile; the state then stays as it was
   */
  switchTo(state: NewState): Promise<State>;
  /**
   * Removes data that neither the state, as it is at that moment, nor a reader within the grace period can need, in
   * bounded steps. What another command may be writing at this moment is kept.
   * @param scope `replaced` for what the latest append replaced only, which takes no listing of all data
   */
  sweep(scope: "replaced" | "everything"): Promise<void>;
}

export interface ReadOptions {
  /** A state that can still be trusted, so that it need not be read again. */
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
export class MissingBlockError extends Error {}

/**
 * Data of a write that never reached its switch is removed once the write began this long ago: until then it may still
 * be running.
 */
export const ABANDONED_MS = 3_600_000;

/** Characters of a revision that contain the time when the write began. */
const TIME_LENGTH = 9;

/** A new revision: the time, so that abandoned data can be recognised, and a random part. */
export function createRevision(now: number): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return now.toString(36).padStart(TIME_LENGTH, "0") + random.join("");
}

/** When the write of a revision began, in milliseconds since 1970. */
export function revisionTime(revision: string): number {
  return Number.parseInt(revision.slice(0, TIME_LENGTH), 36);
}
