import { expect } from "vitest";
import { lastPage } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { countInBlocks, decodeLines, openBlock, openTail } from "../../src/store/blocks.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import type { State, Store } from "../../src/store/store.ts";
import { statisticsOf } from "../tools/data/statistics.ts";

export const waitUntil = () => {};

/** The records of the state that a store contains, oldest first. Fails if something is missing or does not match. */
export async function readAll(store: Store): Promise<{ state: State; records: TrafficRecord[] }> {
  const { state, statistics } = await store.readStatistics(true);
  const blocks = await store.readBlocks(state, { first: 1, last: countInBlocks(state.count) });
  const lines = [...blocks.map(openBlock), openTail(state.tail, state.count)];
  const records = lines.flatMap(decodeLines);
  expect(records).toHaveLength(state.count);
  const { sources, source_count } = statistics;
  expect(statistics).toEqual({ ...statisticsOf(records), sources, source_count });
  return { state, records };
}

/** The JSON text of a page's results. */
export function resultsOf(records: readonly TrafficRecord[], page: number): string {
  const last = records.length - 15 * (page - 1);
  return JSON.stringify(records.slice(Math.max(0, last - 15), last).reverse());
}

/**
 * Remembers the content of each revision that a store ever had, which is what any page of it must show.
 * @returns functions that note the current content, and that check what an instance serves
 */
export function createWitness(store: Store) {
  const contents = new Map<string, TrafficRecord[]>();
  const pages = new Map<string, string>();
  const pageOf = (revision: string, page: number) => {
    const key = `${revision} ${page}`;
    const records = contents.get(revision);
    if (!records) throw new Error(`The store never had the revision ${revision}`);
    if (!pages.has(key)) pages.set(key, resultsOf(records, page));
    return { count: records.length, results: pages.get(key) };
  };
  return {
    async note(): Promise<void> {
      const { revision } = await store.readState({ newest: true });
      if (!contents.has(revision)) contents.set(revision, (await readAll(store)).records);
    },
    /** An instance that asks for all pages, each of which must be a page of the revision that it names. */
    createReader(through = store): () => Promise<void> {
      const cache = createCachedStore(through, "test");
      return async () => {
        for (let page = 1, last = 1; page <= last; page++) {
          const found = await cache.page({ page }, waitUntil);
          if (!found) throw new Error(`Page ${page} of ${last} is past the end`);
          const { count, results, state } = found;
          if (
            results !== pageOf(state.revision, page).results ||
            count !== pageOf(state.revision, page).count
          )
            expect({ page, count, results }).toEqual({ page, ...pageOf(state.revision, page) });
          last = lastPage(count);
        }
      };
    },
  };
}
