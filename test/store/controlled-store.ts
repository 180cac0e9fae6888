import { expect } from "vitest";
import type { HiddenCount, PageNumber } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { type Block, getBlockNumber } from "../../src/store/block.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import type { BlockSelector, State, StateRead, Store } from "../../src/store/state.ts";
import { toCollection } from "../records/sample.ts";
import { formatResults, makeNewestFirst, readPage } from "./reader.ts";

/**
 * The state of a load whose name says which records it has.
 * @param first the place of the newest one in `RECORDS`
 */
export function makeState(count: number, sequence = 1, first = 0): State {
  const load = `${count}-from-${first}`;
  return { load, count, loaded_at: "2025-01-01T00:00:00.000Z", sequence, source: "test" };
}

const RECORDS = makeNewestFirst(2_500);

/** The records of a load, newest first. */
export function getRecords(load: string): TrafficRecord[] {
  const [count = 0, first = 0] = load.split("-from-").map(Number);
  return RECORDS.slice(first, first + count);
}

/** The blocks of each load that a test used. */
const loads = new Map<string, Block[]>();

export function findBlock(load: string, number: number): string | null {
  const blocks = loads.get(load) ?? [...toCollection(getRecords(load)).blocks()];
  loads.set(load, blocks);
  return blocks.find((block) => block.number === number)?.text ?? null;
}

/**
 * Reads a state and a block of its load in one step.
 * @param read the text of a block, or null if it is missing
 */
export function readStateWithBlock(
  state: State,
  withBlock: BlockSelector,
  read: (load: string, number: number) => string | null,
): StateRead {
  const number = withBlock === "last" ? getBlockNumber(state.count) : withBlock;
  const text = read(state.load, number);
  return text === null ? { state } : { state, block: { number, text } };
}

/** What an instance serves if there is no such page. */
export const NO_PAGE = { count: undefined, number: undefined, results: undefined };

/** What a test changes while an instance reads. */
interface Control {
  state: State;
  /** The earlier state that a replica, or a location of KV, shows while it lags behind. */
  replica?: State;
  fails: boolean;
  delay: Promise<unknown>;
  /** How long each read takes, in milliseconds. */
  delayMs?: number;
  /** The load whose blocks are removed, or not visible. */
  hidden?: string;
  /** The number of a block that is damaged. */
  damaged?: number | undefined;
}

/**
 * A cache in front of a store whose delays and failures the test controls, which it could not do with a real store.
 * @param kind `d1` reads the state and a block at once, `kv` in two steps
 */
export function createControlledStore(initial: State, kind: "d1" | "kv" = "d1", maxBytes?: number) {
  const reads: string[] = [];
  const control: Control = { state: initial, fails: false, delay: Promise.resolve() };
  const respond = async <T>(what: string, make: () => T): Promise<T> => {
    reads.push(what);
    const { fails, delay, delayMs } = control;
    const result = make();
    await delay;
    if (delayMs) await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
    if (fails) throw new Error("the store fails");
    return result;
  };
  const read = (load: string, number: number) => {
    if (load === control.hidden) return null;
    return number === control.damaged ? "damaged" : findBlock(load, number);
  };
  const store: Store = {
    readState({ withBlock, fromPrimary = false } = {}) {
      const readsBlockWithState = kind === "d1" && withBlock !== undefined;
      const what = `state${readsBlockWithState ? ` and block ${withBlock}` : ""}${fromPrimary ? " (newest)" : ""}`;
      return respond(what, () => {
        const isLagging = kind === "kv" || !fromPrimary;
        const state = (isLagging && control.replica) || control.state;
        return readsBlockWithState ? readStateWithBlock(state, withBlock, read) : { state };
      });
    },
    readBlocks: (load, numbers, fromPrimary = false) =>
      respond(`block ${numbers}${fromPrimary ? " (newest)" : ""}`, () =>
        numbers.map((number) => read(load, number)),
      ),
  };
  const cache = createCachedStore(store, kind, maxBytes);
  /** What the instance serves. */
  const readServed = async (page: PageNumber, hide?: HiddenCount) => {
    const { count, number, results } = await readPage(cache, page, hide);
    return { count, number, results };
  };
  return {
    cache,
    store,
    reads,
    control,
    read: readServed,
    /** Expects that the instance serves these pages of the load that has so many records. */
    async serves(count: number, ...pages: number[]) {
      const records = getRecords(makeState(count).load);
      for (const number of pages)
        expect(await readServed(number)).toEqual({ count, number, results: formatResults(records, number) });
    },
  };
}
