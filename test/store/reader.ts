import { expect } from "vitest";
import { readRecords } from "../../data/load-content.ts";
import { type Hide, lastPage, PAGE_SIZE, type PageNumber } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { readStatistics } from "../../src/store/block.ts";
import { type CachedStore, createCachedStore } from "../../src/store/cache.ts";
import type { State, Store } from "../../src/store/state.ts";
import { makeRecords, statisticsOf } from "../records/sample.ts";

export const waitUntil = () => {};

/** Records of the sample in the order of the collection, newest first. */
export function makeNewestFirst(count: number): TrafficRecord[] {
  return makeRecords(count).reverse();
}

/**
 * Reads a page as the route of the collection does.
 * @param hidden how many of the newest records are not shown
 * @returns `results` is undefined if the state has no such page
 */
export async function readPage(cache: CachedStore, page: PageNumber, hidden?: Hide) {
  const { state, found } = await cache.page(page, hidden, waitUntil);
  return { state, number: found?.location.number, count: found?.location.count, results: found?.results };
}

/** The JSON text of a page's results. */
export function resultsOf(newestFirst: readonly TrafficRecord[], page: number): string {
  return JSON.stringify(newestFirst.slice(PAGE_SIZE * (page - 1), PAGE_SIZE * page));
}

/** All records that a store serves, newest first. Fails if the statistics do not match. */
export async function readAll(store: Store): Promise<{ state: State; records: TrafficRecord[] }> {
  const { state } = await store.readState({ isNewest: true });
  const records = await Array.fromAsync(readRecords(store, state));
  if (state.load !== "") {
    const statistics = await readStatistics(store, state.load);
    const { sources, source_count } = statistics;
    expect(statistics).toEqual({ ...statisticsOf(records), sources, source_count });
  }
  return { state, records };
}

/**
 * Remembers the content of each load that a store ever served, which is what any page of it must show.
 * @returns functions that note the current content, and that open an instance, which compares every page that it serves
 */
export function createWitness(store: Store) {
  const contents = new Map<string, TrafficRecord[]>([["", []]]);
  return {
    async note(): Promise<void> {
      const { load } = (await store.readState({ isNewest: true })).state;
      if (!contents.has(load)) contents.set(load, (await readAll(store)).records);
    },
    openInstance(): () => Promise<void> {
      const cache = createCachedStore(store, "test");
      return async () => {
        for (let page = 1, last = 1; page <= last; page++) {
          const { state, count, results } = await readPage(cache, page);
          const records = contents.get(state.load);
          // The collection can become smaller between two pages.
          if (results === undefined) expect(page).toBeGreaterThan(lastPage(state.count));
          else if (!records || count !== records.length || results !== resultsOf(records, page))
            expect({ load: state.load, page, count, results }).toBe("a page of a state that was served");
          last = lastPage(state.count);
        }
      };
    },
  };
}
