import type { PageNumber } from "../records/page.ts";
import type { Statistics } from "../records/statistics.ts";

/** What names the current content of a collection; count and records of an answer always come from the same one. */
export interface State {
  /** Names one load and is never used for another: when it began, in milliseconds since 1970. */
  version: number;
  /** Records in the collection. */
  count: number;
}

/** One page as a store gives it. */
export interface StoredPage {
  /** The state that it is a page of: the current one, or the earlier one that was asked for. */
  state: State;
  /** What the store holds now; fewer records than `state` has if that was never loaded. */
  current: State;
  /** The page's number, also where the last one was asked for. */
  number: number;
  /**
   * The records as the JSON text of the answer's `results`, newest first: no record is parsed and printed again on
   * its way to the client. `[]` past the last page and in an empty collection.
   */
  results: string;
}

/** What a load says of what it loaded. */
export interface Loaded {
  state: State;
  /** When the state was switched to, ISO 8601 in UTC; undefined where nothing was ever loaded. */
  loadedAt: string | undefined;
  /** Undefined in a collection that was loaded before loads stored them. */
  statistics: Statistics | undefined;
}

/** What an append goes on from. */
export interface Continued {
  state: State;
  statistics: Statistics;
}

/** A place that holds the collection. All methods throw if it cannot be read or what it holds is incomplete. */
export interface RecordStore {
  /** Reads the current state alone, which costs less than a page. */
  state(): Promise<State>;
  /**
   * Reads one page; costs the same at any depth and size.
   * @param asOf the page as it was when the collection had this many records: appends renumber nothing, so each
   *   earlier state is still there, until a load replaces the collection
   */
  page(page: PageNumber, asOf?: number): Promise<StoredPage>;
  /** Reads what the load of the current state stored besides its records. */
  loaded(): Promise<Loaded>;
}
