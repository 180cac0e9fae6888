import { beforeEach, expect, test, vi } from "vitest";
import { readRecords } from "../../../data/stored-records.ts";
import { STORE_NAMES, type StoreName } from "../../../data/stores/configuration.ts";
import { useStore } from "../../../data/stores/open.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { append } from "../../../tools/data/append.ts";
import { load } from "../../../tools/data/load.ts";
import { makeRecords, makeWideRecords } from "../../records/sample.ts";
import { createLocalStore, interrupt, untilWriting } from "./local-store.ts";

/** The number of records at the end: 7 MB for D1 and 3 MB for KV. Both stores write about 1 MB at a time. */
const COUNTS = { d1: 21_000, kv: 9_000 };

/** The number of records at the beginning. The last block is not full, so an append rewrites it. */
const LOADED = 1_000;

const local = createLocalStore();
beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
});

/** Reads everything that is loaded, oldest first. */
const readLoaded = (store: StoreName) =>
  useStore({ store, persistTo: local.folder }, async (opened): Promise<TrafficRecord[]> => {
    return Array.fromAsync(readRecords(opened.store, await opened.store.readState(true)));
  });

/** Starts a load, and kills its process and process group while it writes. */
async function killWhileWriting(store: StoreName, ...args: string[]): Promise<void> {
  const child = local.start("load", "--store", store, ...args);
  await untilWriting(store, local, child);
  expect(await interrupt(child, "SIGKILL", true)).toEqual([null, "SIGKILL"]);
}

test.each(STORE_NAMES)(
  "%s: a load or an append that is killed does not change the served collection",
  async (store) => {
    const records = makeWideRecords(COUNTS[store]);
    const loaded = records.slice(0, LOADED);
    const choice = { store, persistTo: local.folder };
    await load([await local.write(`${store}-loaded.csv`, loaded)], choice);
    const all = await local.write(`${store}-all.csv`, records);
    await killWhileWriting(store, all);
    expect(await readLoaded(store)).toEqual(loaded);
    await killWhileWriting(store, "--append", "--skip-known", all);
    expect(await readLoaded(store)).toEqual(loaded);
    await append([all], { ...choice, skipKnown: true });
    expect(await readLoaded(store)).toEqual(records);
  },
);

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
