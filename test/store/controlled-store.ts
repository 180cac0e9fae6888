import { expect } from "vitest";
import type { GetHiddenCount, PageNumber } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { type Block, getBlockNumber } from "../../src/store/block.ts";
import { createCachedStore } from "../../src/store/cached-store.ts";
import type { BlockSelector, State, StateRead, Store } from "../../src/store/state.ts";
import { toCollection } from "../records/sample.ts";
import { formatResults, makeNewestFirst, readPage } from "./reader.ts";

/**
 * Creates the state of a load. The name of the load determines its records.
 * @param first The index in `RECORDS` of the newest record of the load
 */
export function makeState(count: number, sequence = 1, first = 0): State {
  const load = `${count}-from-${first}`;
  return { load, count, loaded_at: "2025-01-01T00:00:00.000Z", sequence, source: "test" };
}

const RECORDS = makeNewestFirst(2_500);

/** Returns the records of a load, newest first. */
export function getRecords(load: string): TrafficRecord[] {
  const [count = 0, first = 0] = load.split("-from-").map(Number);
  return RECORDS.slice(first, first + count);
}

/** The blocks by load. */
const loads = new Map<string, Block[]>();

export function findBlock(load: string, number: number): string | null {
  const blocks = loads.get(load) ?? [...toCollection(getRecords(load)).blocks()];
  loads.set(load, blocks);
  return blocks.find((block) => block.number === number)?.text ?? null;
}

/**
 * Adds the selected block to a state, as a store does that reads both in one step.
 * @param read Returns the text of a block, or null if it is missing
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

/** The result of reading a page past the end. */
export const NO_PAGE = { count: undefined, number: undefined, results: undefined };

/** The behavior of the store, which a test can change during a read. */
interface Control {
  state: State;
  /** The previous state, if a replica or a KV location still returns it. */
  replica?: State;
  fails: boolean;
  delay: Promise<unknown>;
  /** The duration of each read. */
  delayMs?: number;
  /** The load whose blocks are missing. */
  hidden?: string;
  /** The number of the damaged block. */
  damaged?: number | undefined;
}

/**
 * Creates an instance with a store whose delays and failures the test controls.
 * @param kind `d1` reads the state and a block in one step, `kv` in two steps
 */
export function createControlledStore(initial: State, kind: "d1" | "kv" = "d1", maxBytes?: number) {
  const reads: string[] = [];
  const control: Control = { state: initial, fails: false, delay: Promise.resolve() };
  const respond = async <T>(operation: string, getResult: () => T): Promise<T> => {
    reads.push(operation);
    const { fails, delay, delayMs } = control;
    const result = getResult();
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
      const name = `state${readsBlockWithState ? ` and block ${withBlock}` : ""}${fromPrimary ? " (primary)" : ""}`;
      return respond(name, () => {
        const isLagging = kind === "kv" || !fromPrimary;
        const state = (isLagging && control.replica) || control.state;
        return readsBlockWithState ? readStateWithBlock(state, withBlock, read) : { state };
      });
    },
    readBlocks: (load, numbers, fromPrimary = false) =>
      respond(`block ${numbers}${fromPrimary ? " (primary)" : ""}`, () =>
        numbers.map((number) => read(load, number)),
      ),
  };
  const cache = createCachedStore(store, kind, maxBytes);
  const readServed = async (page: PageNumber, getHiddenCount?: GetHiddenCount) => {
    const { count, number, results } = await readPage(cache, page, getHiddenCount);
    return { count, number, results };
  };
  return {
    cache,
    store,
    reads,
    control,
    read: readServed,
    /** Expects that the instance serves these pages of the load with `count` records. */
    async serves(count: number, ...pages: number[]) {
      const records = getRecords(makeState(count).load);
      for (const number of pages)
        expect(await readServed(number)).toEqual({ count, number, results: formatResults(records, number) });
    },
  };
}
