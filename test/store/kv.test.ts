import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  createWritableKv,
  GRACE_MS,
  SPARED_MS,
  type WritableNamespace,
} from "../../data/stores/kv-writer.ts";
import { createName, UnknownOutcomeError } from "../../data/stores/writer.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import { STATE_KEY } from "../../src/store/kv.ts";
import { makeNewestFirst, readAll, readPage } from "./reader.ts";
import { listLoads, loadRecords, openLocalStores } from "./stores.ts";

const records = makeNewestFirst(1_300);
const stores = await openLocalStores();
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(async () => {
  vi.useRealTimers();
  await stores.clear();
});

const passTime = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

/** The namespace as a deployed one, with some methods replaced. */
function openWith(methods: Partial<WritableNamespace> = {}, settleMs = 0) {
  return createWritableKv({ ...stores.namespace, ...methods }, false, settleMs);
}

test("a page of an instance that knows the state reads one key, otherwise two, and a load writes few", async () => {
  const read: string[] = [];
  const written: string[] = [];
  const { namespace } = stores;
  const store = openWith({
    get: (keys, cacheTtl) => {
      read.push(...keys);
      return namespace.get(keys, cacheTtl);
    },
    put: (pairs) => {
      written.push(...pairs.map(({ key }) => key));
      return namespace.put(pairs);
    },
  });
  const name = await loadRecords(store, records);
  expect(written).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 0].map((number) => `block/${name}/${number}`),
    STATE_KEY,
  ]);
  read.length = 0;
  const cache = createCachedStore(store, "kv");
  for (const page of [1, 2, 11, 12]) await readPage(cache, page);
  expect(read).toEqual([STATE_KEY, `block/${name}/1`, `block/${name}/2`]);
});

test("a switch that reports a failure is of unknown outcome, and its blocks stay, because it may still show", async () => {
  const store = openWith({
    async put(pairs) {
      if (pairs[0]?.key === STATE_KEY) throw new Error("KV PUT failed: 500");
      await stores.namespace.put(pairs);
    },
  });
  await expect(loadRecords(store, records)).rejects.toThrow(UnknownOutcomeError);
  expect(await listLoads(stores, "kv")).toHaveLength(1);
});

test("a load waits until its blocks are visible, and says for how long", async () => {
  vi.useFakeTimers();
  let isDone = false;
  const waits: number[] = [];
  const store = createWritableKv({ ...stores.namespace, batchBytes: 10_000_000 }, false);
  const loading = loadRecords(store, records, { onWait: (seconds) => waits.push(seconds) }).then(() => {
    isDone = true;
  });
  while (waits.length === 0) await vi.advanceTimersByTimeAsync(0);
  expect(waits).toEqual([70]);
  await vi.advanceTimersByTimeAsync(69_000);
  expect(isDone).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  await loading;
});

test("a load that fails removes its own blocks only", async () => {
  const before = await loadRecords(openWith(), records);
  passTime(2 * GRACE_MS);
  let puts = 0;
  const store = openWith({
    batchBytes: 1,
    put: async (pairs) => {
      if (++puts === 4) throw new Error("KV PUT failed: 413");
      await stores.namespace.put(pairs);
    },
  });
  await expect(loadRecords(store, records)).rejects.toThrow("413");
  expect(await listLoads(stores, "kv")).toEqual([before]);
  expect((await readAll(store)).records).toEqual(records);
});

test("a sweep keeps other programs' keys, what readers may need, and the blocks of loads that may still run", async () => {
  const store = openWith();
  const running = createName(Date.now());
  const put = (key: string) => stores.namespace.put([{ key, value: "" }]);
  await put("notes");
  await put(`block/${running}/1`);
  await store.sweep();
  expect(await listLoads(stores, "kv"), "without a state, nothing is removed").toEqual([running]);

  const first = await loadRecords(store, records);
  passTime(SPARED_MS - GRACE_MS);
  const second = await loadRecords(store, records);
  passTime(GRACE_MS - 1);
  await store.sweep();
  expect(await listLoads(stores, "kv")).toEqual([running, first, second].sort());
  passTime(2);
  await store.sweep();
  expect(await listLoads(stores, "kv"), "a day after they began").toEqual([second]);
  passTime(-SPARED_MS);
  await store.sweep();
  expect(await stores.namespace.list()).toContain("notes");
});

test("in a local namespace, which is locked, unfinished loads are removed before a load, and the replaced one after", async () => {
  const seen: string[][] = [];
  const put: WritableNamespace["put"] = async (pairs) => {
    seen.push(await listLoads(stores, "kv"));
    await stores.namespace.put(pairs);
  };
  const store = createWritableKv({ ...stores.namespace, put }, true);
  const first = await loadRecords(store, records);
  await stores.namespace.put([{ key: `block/${createName(Date.now())}/1`, value: "" }]);
  const name = await loadRecords(store, records.slice(0, 10));
  expect(seen.at(-2)).toEqual([first]);
  expect(await listLoads(stores, "kv")).toEqual([name]);
});

test.each([
  "",
  "no JSON",
  "null",
  "7",
  "[]",
  "{}",
  '"state"',
  '{"load":"a","count":340',
  '{"load":"a","count":1}',
])("the state %j is damaged", async (value) => {
  const store = openWith();
  await stores.namespace.put([{ key: STATE_KEY, value }]);
  await expect(store.readState()).rejects.toThrow("The stored state is");
});
