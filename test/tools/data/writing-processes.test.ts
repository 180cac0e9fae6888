import { expect, test } from "vitest";
import { readRecords } from "../../../data/stored-records.ts";
import { STORE_NAMES, type StoreName } from "../../../data/stores/configuration.ts";
import { useStore } from "../../../data/stores/open.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { makeRecords } from "../../records/sample.ts";
import { createLocalStore } from "./local-store.ts";

const local = createLocalStore();

/** Reads everything that is loaded, oldest first. */
const readLoaded = (store: StoreName) =>
  useStore({ store, persistTo: local.folder }, async (opened): Promise<TrafficRecord[]> => {
    return Array.fromAsync(readRecords(opened.store, await opened.store.readState({ newest: true })));
  });

test.each(STORE_NAMES)("%s: after two loads at once, one complete collection is served", async (store) => {
  const collections = [makeRecords(2_000), makeRecords(3_000)];
  const loads = collections.map(async (records, index) => {
    const file = await local.write(`${store}-${index}.csv`, records);
    return local.runWithTemporary("load", "--store", store, file);
  });
  const statuses = (await Promise.all(loads)).map(({ status }) => status);
  const served = await readLoaded(store);
  const winner = collections.findIndex(({ length }) => length === served.length);
  expect(served).toEqual(collections[winner]);
  expect(statuses[winner], "the load of what is served").toBe(0);
});
