import { listBlocks } from "../../data/collection.ts";
import { type Block, lastBlock } from "../../src/store/block.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import type { State, Store } from "../../src/store/state.ts";
import { collectRecords } from "../records/sample.ts";
import { makeNewestFirst, readPage, resultsOf } from "./reader.ts";

/** The state of a load whose name says how many records it has. */
export function makeState(count: number, sequence = 1): State {
  return { load: `of-${count}`, count, loaded_at: "2025-01-01T00:00:00.000Z", sequence, source: "" };
}

/** The page that an instance must serve of a load. */
export function pageOf(count: number, page: number) {
  return { count, number: page, results: resultsOf(makeNewestFirst(count), page) };
}

/** What an instance serves if there is no such page. */
export const NO_PAGE = { count: undefined, number: undefined, results: undefined };

/** The blocks of each load that a test used. */
const loads = new Map<string, Block[]>();

function findBlock(load: string, number: number): string | null {
  const records = () => makeNewestFirst(Number(load.replace("of-", "")));
  const blocks = loads.get(load) ?? [...listBlocks(collectRecords(records()), [])];
  loads.set(load, blocks);
  return blocks.find((block) => block.number === number)?.text ?? null;
}

/** What a test changes while an instance reads. */
interface Control {
  state: State;
  /** The earlier state that a replica, or a location of KV, shows while it lags behind. */
  replica?: State;
  fails: boolean;
  delay: Promise<unknown>;
  /** The load whose blocks are removed, or not visible. */
  hidden?: string;
  /** The number of a block that is damaged. */
  damaged?: number | undefined;
}

/**
 * A cache in front of a store whose delays and failures the test controls, which it could not do with a real store.
 * @param kind `d1` reads the state and a block at once, `kv` in two steps
 */
export function createControlledStore(initial: State, kind: "d1" | "kv" = "d1", keptBytes?: number) {
  const reads: string[] = [];
  const control: Control = { state: initial, fails: false, delay: Promise.resolve() };
  const respond = async <T>(what: string, make: () => T): Promise<T> => {
    reads.push(what);
    const { fails, delay } = control;
    const result = make();
    await delay;
    if (fails) throw new Error("the store fails");
    return result;
  };
  const read = (load: string, number: number) => {
    if (load === control.hidden) return null;
    return number === control.damaged ? "damaged" : findBlock(load, number);
  };
  const store: Store = {
    trustMs: 5_000,
    readState(wanted, isNewest = false) {
      const isJoint = kind === "d1" && wanted !== undefined;
      const what = `state${isJoint ? ` and block ${wanted}` : ""}${isNewest ? " (newest)" : ""}`;
      return respond(what, () => {
        const isLagging = kind === "kv" || !isNewest;
        const state = (isLagging && control.replica) || control.state;
        const number = wanted === "last" ? lastBlock(state.count) : Number(wanted);
        return { state, ...(isJoint && { text: read(state.load, number) }) };
      });
    },
    readBlocks: (load, numbers) =>
      respond(`block ${numbers}`, () => numbers.map((number) => read(load, number))),
  };
  const cache = createCachedStore(store, kind, keptBytes);
  return {
    cache,
    store,
    reads,
    control,
    /** What the instance serves. */
    async read(page: number | "last", hidden?: (count: number) => number) {
      const { count, number, results } = await readPage(cache, page, hidden);
      return { count, number, results };
    },
  };
}
