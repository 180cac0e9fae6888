import type { TrafficRecord } from "../../src/records/record.ts";
import type { Continued, State, Loaded as StoredLoaded } from "../../src/store/store.ts";
import type { Deployment } from "../../tools/wrangler/wrangler.ts";
import type { Range } from "./ranges.ts";

/** What is loaded. */
export interface Loaded extends StoredLoaded {
  /** What the whole store takes; undefined if it does not say. */
  bytes: number | undefined;
}

/** A place that a load writes to, one for each store of the worker. */
export interface Target {
  /**
   * Makes it ready to serve: its tables are up to date, and what was loaded stays.
   * @returns the version that is loaded; 0 if the store itself says that nothing was ever loaded
   * @throws if it does not say, since a caller that takes that for an empty store loads over what is there
   */
  prepare(deployment: Deployment): Promise<number>;
  /**
   * Reads what is loaded, and changes nothing of it; of a local store that was never used, wrangler makes the folder.
   * @returns undefined if nothing was ever loaded
   * @throws if wrangler fails, with its message
   */
  read(deployment: Deployment): Promise<Loaded | undefined>;
  /**
   * Replaces the collection. The records are written beside the current version, and only when all are there the
   * state names them: interrupted anywhere, the current version is served whole, and a later load sweeps up.
   * @param records oldest first; as many as `state.count`
   * @param onProgress called with the number of records written so far
   * @throws if wrangler fails, with its message
   */
  load(
    records: Iterable<TrafficRecord>,
    state: State,
    deployment: Deployment,
    onProgress: (written: number) => void,
  ): Promise<void>;
  /**
   * Adds records behind those that are loaded, which stay where and as they are: the version remains, the count grows.
   * Interrupted anywhere, what is loaded is served as before, and a later load or append sweeps up.
   * @param records oldest first, all newer than what is loaded; `count` less those that are loaded
   * @param count records in the collection afterwards
   * @param onProgress called with the number of records written so far
   * @throws if wrangler fails, with its message, or if something else was loaded meanwhile
   */
  append(
    records: Iterable<TrafficRecord>,
    loaded: Continued,
    count: number,
    deployment: Deployment,
    onProgress: (written: number) => void,
  ): Promise<void>;
  /**
   * Reads records of a state, oldest first.
   * @param range of those that `rangesOf` gives
   * @throws if some are missing, as are all of a version that was replaced
   */
  readRecords(state: State, range: Range, deployment: Deployment): Promise<TrafficRecord[]>;
  /** Gives those of the ids that the records of a state have. Reads all of them for each few thousand ids. */
  findIds(ids: Iterable<number>, state: State, deployment: Deployment): AsyncIterable<number>;
}
