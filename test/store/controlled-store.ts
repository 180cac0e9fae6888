import { afterEach, beforeEach, vi } from "vitest";
import { resolvePage } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { blockStarts, encodeBlocks, readLines } from "../../src/store/blocks.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import type { State, Store } from "../../src/store/store.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";

export const waitUntil = () => {};

const BEGIN = Date.UTC(2025, 0, 1);

/** A state of the sample records. */
export function makeState(count: number, changes: Partial<State> = {}): State {
  const switchedAt = new Date(BEGIN).toISOString();
  return { version: 1, count, revision: `r${count}`, previous: "", switchedAt, ...changes };
}

/** Uses a fake clock for the tests of a file, and silences the log. */
export function useClock(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

export const RECORDS = makeRecords(2_000);

/** The records of a page, newest first. */
export function pageOf(count: number, page: number): TrafficRecord[] {
  const newestFirst = RECORDS.slice(0, count).reverse();
  return newestFirst.slice(15 * (page - 1), 15 * page);
}

/**
 * A cache in front of a store whose delays and failures the test controls, which it could not do with a real store. The
 * store contains the first records of the sample, as many as the state counts.
 */
export function createControlledStore(initial: State, keptBytes?: number) {
  const reads: string[] = [];
  const control = {
    state: initial,
    /** The earlier state that a replica shows while it lags behind. */
    replica: undefined as State | undefined,
    fails: false,
    delay: Promise.resolve(),
  };
  const respond = async <T>(
    what: string,
    newest: boolean | undefined,
    make: (state: State) => T,
  ): Promise<T> => {
    reads.push(newest ? `${what} (newest)` : what);
    const state = newest ? control.state : (control.replica ?? control.state);
    const { fails, delay } = control;
    await delay;
    if (fails) throw new Error("the store fails");
    return make(state);
  };
  const blocksOf = (state: State) =>
    new Map(
      [...encodeBlocks(RECORDS.slice(0, state.count))].map((block) => [block.first, readLines(block, 0)]),
    );
  const unused = () => Promise.reject(new Error("the cache does not need this"));
  const store: Store = {
    readState: (newest) => respond("state", newest, (state) => state),
    readPage: (request, { newest }) =>
      respond(`page ${request.page}`, newest, (state) => {
        const location = resolvePage(request, state);
        const all = blocksOf(state);
        const starts = typeof location === "string" ? [] : blockStarts(location);
        return { state, blocks: new Map(starts.map((start) => [start, all.get(start) ?? []])) };
      }),
    readStatistics: (state) =>
      respond("statistics", false, () => statisticsOf(RECORDS.slice(0, state.count))),
    readBlocks: unused,
    batchBytes: 1,
    writeBlocks: unused,
    switchTo: unused,
    sweep: unused,
  };
  return { cache: createCachedStore(store, "d1", keptBytes), reads, control };
}
