import { expect } from "vitest";
import type { PageNumber } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { type Block, getBlockNumber } from "../../src/store/block.ts";
import { type CacheLimits, createCachedStore } from "../../src/store/cached-store.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import type { Store } from "../../src/store/store.ts";
import { formatResults, makeNewestFirst, readPage } from "./reader.ts";
import { toContent } from "./sample-records.ts";

/** Creates a snapshot with `count` records. */
export function makeSnapshot(count: number): Snapshot {
  return { id: `of-${count}`, count, loaded_at: "2025-01-01T00:00:00.000Z", source: "test" };
}

const RECORDS = makeNewestFirst(2_500);

/** Returns the records of a snapshot, newest first. */
function getRecords(id: string): TrafficRecord[] {
  return RECORDS.slice(-Number(id.replace("of-", "")));
}

/** The blocks by snapshot. */
const blocks = new Map<string, Block[]>();

function findBlock(id: string, number: number): string | null {
  const found = blocks.get(id) ?? [...toContent(getRecords(id)).blocks()];
  blocks.set(id, found);
  return found.find((block) => block.number === number)?.text ?? null;
}

/** The behavior of the store, which a test can change during a read. */
interface Control {
  current: Snapshot;
  fails: boolean;
  /** The duration of each read. */
  delayMs?: number;
  /** The snapshot whose blocks are missing. */
  hidden?: string | undefined;
  /** The number of the damaged block. */
  damaged?: number | undefined;
}

/**
 * Creates an instance with a store whose delays and failures the test controls.
 * @param kind `d1` reads the current snapshot and a block in one step, `kv` in two steps
 */
export function createControlledStore(initial: Snapshot, kind: "d1" | "kv" = "d1", limits?: CacheLimits) {
  const reads: string[] = [];
  const control: Control = { current: initial, fails: false };
  const respond = async <T>(operation: string, getResult: () => T): Promise<T> => {
    reads.push(operation);
    const { fails, delayMs } = control;
    const result = getResult();
    if (delayMs) await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
    if (fails) throw new Error("the store fails");
    return result;
  };
  const read = (id: string, number: number) => {
    if (id === control.hidden) return null;
    return number === control.damaged ? "damaged" : findBlock(id, number);
  };
  const store: Store = {
    readCurrent: ({ wanted } = {}) =>
      respond("current", () => {
        const { current: snapshot } = control;
        if (kind === "kv" || wanted === undefined) return { snapshot };
        const number = wanted === "last" ? getBlockNumber(snapshot.count) : wanted;
        const text = read(snapshot.id, number);
        return text === null ? { snapshot } : { snapshot, block: { number, text } };
      }),
    readBlocks: (id, numbers) => respond(`block ${numbers}`, () => numbers.map((number) => read(id, number))),
  };
  const cache = createCachedStore(store, { limits });
  return {
    cache,
    store,
    reads,
    control,
    read: (page: PageNumber, countHidden?: () => number) => readPage(cache, page, countHidden),
    /** Expects that the instance serves these pages of the snapshot with `count` records. */
    async serves(count: number, ...pages: number[]) {
      const snapshot = makeSnapshot(count);
      for (const number of pages) {
        const results = formatResults(getRecords(snapshot.id), number);
        expect(await readPage(cache, number)).toEqual({ snapshot, count, number, results });
      }
    },
  };
}
