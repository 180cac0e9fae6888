import type { TrafficRecord } from "../../src/records/record.ts";
import type { State } from "../../src/records/store/store.ts";
import type { Deployment } from "./wrangler.ts";

/** A place that a load writes to, one for each store of the worker. */
export interface Target {
  /**
   * Makes it ready to serve: its tables are up to date, and what was loaded stays.
   * @returns the version that is loaded; 0 if nothing was ever loaded
   */
  prepare(deployment: Deployment): Promise<number>;
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
}
