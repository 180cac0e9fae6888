import { expect } from "vitest";
import { PAGE_SIZE, type PageNumber } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import type { CachedStore } from "../../src/store/cached-store.ts";
import type { MaybeSnapshot } from "../../src/store/snapshot.ts";
import type { Store } from "../../src/store/store.ts";
import { readStatistics } from "../../src/store/stored-statistics.ts";
import { readRecords } from "../../tools/data/export.ts";
import { hashContent } from "../../tools/data/snapshot-content.ts";
import { createStatistics, encodeBlocks, makeRecords } from "./sample-records.ts";

/** Creates sample records, newest first. */
export function makeNewestFirst(count: number): TrafficRecord[] {
  return makeRecords(count).reverse();
}

/**
 * Reads a page as the route of the collection does.
 * @returns undefined if the page is past the end
 */
export async function readPage(cache: CachedStore, number: PageNumber, countHidden?: () => number) {
  const collection = countHidden === undefined ? cache : cache.withoutNewest(countHidden);
  const page = await collection.findPage(number);
  if (page === undefined) return undefined;
  if (page.kind !== "page") throw new Error("This reader has no copies");
  const { snapshot, location, records } = page;
  return { snapshot, number: location.number, count: location.count, results: records };
}

/** Formats the results of a page. */
export function formatResults(newestFirst: readonly TrafficRecord[], page: number): string {
  return JSON.stringify(newestFirst.slice(PAGE_SIZE * (page - 1), PAGE_SIZE * page));
}

/** Reads all records of a store, newest first. Fails if the statistics do not match. */
export async function readAll(store: Store): Promise<{ snapshot: MaybeSnapshot; records: TrafficRecord[] }> {
  const { snapshot } = await store.readCurrent();
  if (snapshot.id === null) return { snapshot, records: [] };
  const records = await Array.fromAsync(readRecords(store, snapshot));
  const statistics = await readStatistics(store, snapshot);
  const records_hash = hashContent("", encodeBlocks(records));
  expect(statistics).toEqual({ ...statistics, ...createStatistics(records), records_hash });
  return { snapshot, records };
}
