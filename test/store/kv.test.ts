import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createCachedStore, FRESH_MS } from "../../src/store/cache.ts";
import { createKvStore } from "../../src/store/kv.ts";
import { GRACE_MS } from "../../src/store/kv-state.ts";
import { bindNamespace, type KeyValueStore } from "../../src/store/namespace.ts";
import { ABANDONED_MS, createRevision } from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { useWorker } from "../worker.ts";

const records = makeRecords(1_300);
const waitUntil = () => {};

const worker = useWorker();
let namespace: KeyValueStore;
beforeAll(async () => {
  namespace = bindNamespace(worker.env.KV);
});
beforeEach(async () => {
  await worker.env.KV.list().then(({ keys }) => namespace.delete(keys.map(({ name }) => name)));
});
afterEach(() => vi.useRealTimers());

/** The namespace as seen by a location where some keys are not visible yet. */
function hideKeys(isHidden: (key: string) => boolean) {
  const read: { keys: string[]; cacheTtl: number }[] = [];
  const location: KeyValueStore = {
    ...namespace,
    async get(keys, cacheTtl) {
      read.push({ keys, cacheTtl });
      const values = await namespace.get(keys, cacheTtl);
      return values.map((value, index) => (isHidden(keys[index] ?? "") ? null : value));
    },
  };
  return { location, read };
}

const pageOf = (count: number, page: number) =>
  JSON.stringify(
    records
      .slice(0, count)
      .reverse()
      .slice(15 * (page - 1), 15 * page),
  );

describe("a location that sees a new state before its blocks", () => {
  test.each([
    ["a load", () => load(createKvStore(namespace), records)],
    [
      "an append",
      async () => {
        const store = createKvStore(namespace);
        const state = await store.readState();
        const statistics = statisticsOf(records.slice(0, 700));
        return append(store, records.slice(700), { state, statistics });
      },
    ],
  ])("serves the complete state before %s until the blocks are visible", async (_, write) => {
    await load(createKvStore(namespace), records.slice(0, 700));
    const before = new Set(await namespace.list());
    const { count } = await write();
    let isLate = true;
    const { location, read } = hideKeys((key) => isLate && !before.has(key));
    vi.useFakeTimers({ toFake: ["Date"] });
    const cache = createCachedStore(createKvStore(location), "kv");
    for (const page of [1, 2, 47])
      expect(await cache.page({ page }, waitUntil)).toMatchObject({ count: 700, results: pageOf(700, page) });
    expect(await cache.state(waitUntil)).toMatchObject({ count: 700 });
    expect(Math.max(...read.map(({ cacheTtl }) => cacheTtl)), "that a key is missing is kept briefly").toBe(
      30,
    );
    isLate = false;
    vi.setSystemTime(Date.now() + FRESH_MS);
    expect(await cache.page({ page: 1 }, waitUntil)).toMatchObject({ count, results: pageOf(count, 1) });
  });

  test("fails for a request for the new state, rather than reporting that the state does not exist", async () => {
    await load(createKvStore(namespace), records.slice(0, 700));
    const before = new Set(await namespace.list());
    const { count, version } = await load(createKvStore(namespace), records);
    const { location } = hideKeys((key) => !before.has(key));
    const cache = createCachedStore(createKvStore(location), "kv");
    await expect(cache.page({ page: 1, asOf: { count, version } }, waitUntil)).rejects.toThrow(
      /KV has no key/,
    );
    await expect(cache.page({ page: 87 }, waitUntil)).rejects.toThrow(/KV has no key/);
  });

  test("fails if there is no earlier state", async () => {
    await load(createKvStore(namespace), records);
    const { location } = hideKeys((key) => key.startsWith("blocks/"));
    const cache = createCachedStore(createKvStore(location), "kv");
    await expect(cache.page({ page: 1 }, waitUntil)).rejects.toThrow(/KV has no key blocks\//);
  });
});

test("while the state is fresh, only the block is read", async () => {
  const store = createKvStore(namespace);
  await load(store, records);
  const { location, read } = hideKeys(() => false);
  const cache = createCachedStore(createKvStore(location), "kv");
  for (const page of [1, 2, 60, 87]) await cache.page({ page }, waitUntil);
  expect(read.map(({ keys }) => keys.map((key) => key.replace(/\/.*\//, "/")))).toEqual(
    [["state"], ["blocks/1201"], ["blocks/1"]].slice(0, read.length),
  );
});

describe("a key that was written and is not visible at once", () => {
  /** A namespace without timers of its own, so that the test can advance the clock. */
  function createMapNamespace(isHidden: (key: string) => boolean): KeyValueStore {
    const values = new Map<string, string>();
    return {
      get: async (keys) => keys.map((key) => (isHidden(key) ? null : (values.get(key) ?? null))),
      async put(pairs) {
        for (const { key, value } of pairs) values.set(key, value);
      },
      async delete(keys) {
        for (const key of keys) values.delete(key);
      },
      list: async () => [...values.keys()],
      batchBytes: 1_000_000,
    };
  }
  beforeEach(() => void vi.useFakeTimers());

  test("is read again until it is visible", async () => {
    const appearsAt = Date.now() + 45_000;
    const store = createKvStore(
      createMapNamespace((key) => key.startsWith("blocks/") && Date.now() < appearsAt),
    );
    const loaded = load(store, records);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await loaded).toMatchObject({ count: records.length });
  });

  test("makes the load fail if it never appears, and the state is not changed", async () => {
    let isHidden = false;
    const store = createKvStore(createMapNamespace((key) => isHidden && key.startsWith("blocks/")));
    const before = await load(store, records.slice(0, 100));
    isHidden = true;
    const failing = expect(load(store, records)).rejects.toThrow(
      /KV does not show 3 keys that were written, first blocks\//,
    );
    await vi.advanceTimersByTimeAsync(120_000);
    await failing;
    expect(await store.readState()).toEqual(before);
  });
});

test("an append reads and writes the keys of the last block only, however many there are", async () => {
  const many = makeRecords(12_100);
  const store = createKvStore(namespace);
  const state = await load(store, many.slice(0, 12_050));
  const { location, read } = hideKeys(() => false);
  const written: string[] = [];
  const counting: KeyValueStore = {
    ...location,
    async put(pairs) {
      written.push(...pairs.map(({ key }) => key));
      await namespace.put(pairs);
    },
  };
  const statistics = statisticsOf(many.slice(0, 12_050));
  await append(createKvStore(counting), many.slice(12_050), { state, statistics });
  // One block, the statistics and the state.
  expect(written).toHaveLength(3);
  expect(read.flatMap(({ keys }) => keys).length).toBeLessThan(10);
});

test("a sweep keeps the keys of other programs, and the blocks of a load that may still run", async () => {
  const store = createKvStore(namespace);
  await load(store, records);
  const abandoned = `blocks/${createRevision(Date.now() - ABANDONED_MS)}/1`;
  const running = `blocks/${createRevision(Date.now())}/1`;
  await namespace.put([abandoned, running, "notes"].map((key) => ({ key, value: "" })));
  await store.sweep("everything");
  expect(await namespace.list(), "readers may still need what was replaced").toContain(abandoned);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + GRACE_MS);
  await store.sweep("everything");
  const keys = await namespace.list();
  expect(keys).not.toContain(abandoned);
  expect(keys).toEqual(expect.arrayContaining([running, "notes"]));
  expect((await store.readPage({ page: 1 }, {})).state.count).toBe(records.length);
});
