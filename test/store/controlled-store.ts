import { afterEach, beforeEach, vi } from "vitest";
import { resolvePage } from "../../src/records/page.ts";
import {
  BLOCK_SIZE,
  type Block,
  blockStarts,
  countInBlocks,
  encodeBlocks,
  type Range,
} from "../../src/store/blocks.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import { MissingBlockError, type State, type Store } from "../../src/store/store.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { resultsOf, waitUntil } from "./reader.ts";

const BEGIN = Date.UTC(2025, 0, 1);

/** Uses a fake clock for the tests of a file, and silences the log. */
export function useClock(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.setSystemTime(BEGIN + 3_600_000);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

const RECORDS = makeRecords(6_000);

/** A state of the first records of the sample. */
export function makeState(count: number, changes: Partial<State> = {}): State {
  const tail = [...RECORDS.slice(countInBlocks(count), count)];
  return {
    load: "a",
    count,
    tail: String(encodeBlocks(tail).next().value ?? ""),
    revision: `r${count}`,
    previous: [],
    sequence: count,
    switchedAt: new Date(BEGIN).toISOString(),
    sources: [],
    ...changes,
  };
}

/** The page that an instance must serve of the first records of the sample. */
export function pageOf(count: number, page: number) {
  return { count, number: page, results: resultsOf(RECORDS.slice(0, count), page) };
}

/** What a test changes while an instance reads. */
interface Control {
  state: State;
  /** The earlier state that a replica shows while it lags behind. */
  replica: State | undefined;
  fails: boolean;
  delay: Promise<unknown>;
  /** The load whose blocks are not visible yet. */
  hidden: string | undefined;
  /** The position of a block that is damaged. */
  damaged: number | undefined;
}

/**
 * A cache in front of a store whose delays and failures the test controls, which it could not do with a real store. The store
 * contains the first records of the sample, as many as the state counts.
 * @param kind `kv` for a store that lags and reads the state and its blocks in two steps
 */
export function createControlledStore(initial: State, kind: "d1" | "kv" = "d1", keptBytes?: number) {
  const reads: string[] = [];
  const control: Control = {
    state: initial,
    replica: undefined,
    fails: false,
    delay: Promise.resolve(),
    hidden: undefined,
    damaged: undefined,
  };
  const respond = async <T>(what: string, newest = false, make: (state: State) => T): Promise<T> => {
    reads.push(newest && kind === "d1" ? `${what} (newest)` : what);
    const state = newest ? control.state : (control.replica ?? control.state);
    const { fails, delay } = control;
    await delay;
    if (fails) throw new Error("the store fails");
    return make(state);
  };
  const blocksOf = (state: State, range: Range): Block[] =>
    blockStarts(range).map((first) => {
      if (control.hidden === state.load) throw new MissingBlockError(`no block ${first} of ${state.load}`);
      const [block] = encodeBlocks(RECORDS.slice(first - 1, first - 1 + BLOCK_SIZE), "", first);
      if (!block) throw new MissingBlockError(`no block ${first}`);
      return first === control.damaged ? { first, text: "damaged" } : block;
    });
  const inBlocks = (state: State, { first, last }: Range) =>
    blocksOf(state, { first, last: Math.min(last, countInBlocks(state.count)) });
  const readPage: Store["readPage"] = (request, { newest }) =>
    respond(`page ${request.page}`, newest, (state) => {
      const location = resolvePage(request, state.count);
      return { state, blocks: location ? inBlocks(state, location) : [] };
    });
  const unused = () => Promise.reject(new Error("the cache does not need this"));
  const store: Store = {
    trustMs: 5_000,
    lagMs: kind === "kv" ? 70_000 : 0,
    takesAppends: kind === "d1",
    isExclusive: false,
    batchBytes: 1,
    readState: ({ newest } = {}) => respond("state", newest, (state) => state),
    ...(kind === "d1" && { readPage }),
    readBlocks: (state, range) =>
      respond(`blocks ${blockStarts(range).join()}`, true, () => blocksOf(state, range)),
    readStatistics: (newest) =>
      respond("statistics", newest, (state) => ({
        state,
        statistics: statisticsOf(RECORDS.slice(0, state.count)),
      })),
    writeBlocks: unused,
    switchTo: unused,
    sweep: unused,
    discard: unused,
  };
  const cache = createCachedStore(store, kind, keptBytes);
  /** What the instance serves: a page, or why there is none. */
  const read = async (page: number | "last", hide?: (count: number) => number) => {
    const found = await cache.page({ page, hide }, waitUntil);
    if (!found) return "past the end";
    return { count: found.count, number: found.number, results: found.results };
  };
  return { cache, read, reads, control };
}
