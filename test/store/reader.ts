import { expect } from "vitest";
import { readRecords } from "../../data/load-content.ts";
import { type GetHiddenCount, PAGE_SIZE, type PageNumber } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import type { CachedStore } from "../../src/store/cached-store.ts";
import type { State, Store } from "../../src/store/state.ts";
import { readStatistics } from "../../src/store/stored-statistics.ts";
import { createStatistics, makeRecords } from "../records/sample.ts";

export const waitUntil = () => {};

/** Creates sample records, newest first. */
export function makeNewestFirst(count: number): TrafficRecord[] {
  return makeRecords(count).reverse();
}

/**
 * Reads a page as the route of the collection does.
 * @returns `results` is undefined if the state has no such page
 */
export async function readPage(cache: CachedStore, page: PageNumber, getHiddenCount?: GetHiddenCount) {
  const { state, found } = await cache.getPage(page, getHiddenCount, waitUntil);
  return { state, number: found?.location.number, count: found?.location.count, results: found?.results };
}

/** Formats the results of a page. */
export function formatResults(newestFirst: readonly TrafficRecord[], page: number): string {
  return JSON.stringify(newestFirst.slice(PAGE_SIZE * (page - 1), PAGE_SIZE * page));
}

/** Reads all records of a store, newest first. Fails if the statistics do not match. */
export async function readAll(store: Store): Promise<{ state: State; records: TrafficRecord[] }> {
  const { state } = await store.readState({ fromPrimary: true });
  const records = await Array.fromAsync(readRecords(store, state));
  if (state.load !== "") {
    const statistics = await readStatistics(store, state.load);
    const { sources, source_count } = statistics;
    expect(statistics).toEqual({ ...createStatistics(records), sources, source_count });
  }
  return { state, records };
}
