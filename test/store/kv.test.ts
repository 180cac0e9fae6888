import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import { createKvStore, GRACE_MS, type KeyValueStore } from "../../src/store/kv.ts";
import { createName } from "../../src/store/store.ts";
import { load, SPARED_MS, UnknownOutcomeError } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { readAll, resultsOf, waitUntil } from "./reader.ts";
import { createSimulatedKv } from "./simulated-stores.ts";
import { useStores } from "./stores.ts";

const records = makeRecords(1_300);
const stores = useStores();
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await stores.namespace.delete(await stores.namespace.list());
});
afterEach(() => vi.useRealTimers());

const passTime = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

/** The namespace with some methods replaced. */
function createWith(methods: Partial<KeyValueStore>, isExclusive = false) {
  return createKvStore({ ...stores.namespace, ...methods }, isExclusive);
}

describe("a location that sees a new state before its blocks", () => {
  /** Reads from a location in which some keys are not visible yet. */
  function hideKeys(isHidden: (key: string) => boolean) {
    const ttls: number[] = [];
    const store = createWith({
      async get(keys, cacheTtl) {
        ttls.push(cacheTtl);
        const values = await stores.namespace.get(keys, cacheTtl);
        return values.map((value, index) => (isHidden(keys[index] ?? "") ? null : value));
      },
    });
    return { cache: createCachedStore(store, "kv"), ttls };
  }

  test("serves the newest state that was current for a minute, also after two loads at once", async () => {
    const store = createWith({});
    await load(store, records.slice(0, 700));
    passTime(60_000);
    const visible = new Set(await stores.namespace.list());
    for (const count of [1_300, 1_000]) {
      await load(store, records.slice(0, count));
      passTime(1_000);
      let isLate = true;
      const { cache, ttls } = hideKeys((key) => isLate && !visible.has(key));
      await cache.page({ page: 45 }, waitUntil);
      for (const page of [1, 2, 47]) {
        const results = resultsOf(records.slice(0, 700), page);
        expect(await cache.page({ page }, waitUntil)).toMatchObject({ count: 700, results });
      }
      expect(await cache.statistics(waitUntil)).toMatchObject({
        state: { count: 700 },
        statistics: { records: 700 },
      });
      expect(Math.max(...ttls), "that a key is missing is kept briefly").toBe(30);
      isLate = false;
      passTime(5_000);
      const results = resultsOf(records.slice(0, count), 30);
      expect(await cache.page({ page: 30 }, waitUntil)).toMatchObject({ count, results });
    }
  });

  test("fails if there is no earlier state", async () => {
    await load(createWith({}), records);
    const { cache } = hideKeys((key) => key.startsWith("blocks/"));
    await expect(cache.page({ page: 30 }, waitUntil)).rejects.toThrow(/KV has no key blocks\//);
  });
});

describe("a switch that reports a failure", () => {
  // Between attempts there are pauses, so the clock is set, which the real namespace does not allow.
  const namespace = createSimulatedKv(() => Date.now()).openLocation();
  beforeEach(() => void vi.useFakeTimers());

  /** @param apply whether a write that reports a failure has happened all the same */
  const createFailing = (apply: boolean, failures: number) => {
    let left = failures;
    return createKvStore({
      ...namespace,
      async replace(pair) {
        if (apply || left === 0) await namespace.replace(pair);
        if (left-- > 0) throw new Error("KV PUT failed: 500 Internal Server Error");
      },
    });
  };
  const finish = async <T>(work: Promise<T>): Promise<T> => {
    work.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    return work;
  };

  test.each([
    ["has happened if the state is there", true, 1_300],
    ["is repeated if the state is not there", false, 700],
  ])("%s", async (_, apply, count) => {
    const { sequence } = await createFailing(false, 0).readState();
    const loading = load(createFailing(apply, 1), records.slice(0, count));
    expect(await finish(loading)).toMatchObject({ count, sequence: sequence + 1 });
    expect((await readAll(createKvStore(namespace))).records).toEqual(records.slice(0, count));
  });

  test("is reported as unknown if it goes on, and its blocks stay, because it may still show", async () => {
    const countBlocks = async () =>
      (await namespace.list()).filter((key) => key.startsWith("blocks/")).length;
    const before = await countBlocks();
    await expect(finish(load(createFailing(false, 100), records))).rejects.toThrow(UnknownOutcomeError);
    expect(await countBlocks()).toBe(before + Math.floor(records.length / BLOCK_SIZE));
  });
});

test("a sweep keeps other programs' keys, what readers may need, and the blocks of loads that may still run", async () => {
  const store = createWith({});
  const first = await load(store, records);
  passTime(2 * GRACE_MS);
  const second = await load(store, records);
  const names = { running: createName(Date.now()), abandoned: createName(Date.now() - SPARED_MS) };
  await stores.namespace.put(
    [`blocks/${names.running}/1`, `blocks/${names.abandoned}/1`, "notes"].map((key) => ({ key, value: "" })),
  );
  const left = async () => new Set((await stores.namespace.list()).map((key) => key.split("/")[1] ?? key));
  const sweep = () => store.sweep({ names: [], before: createName(Date.now() - SPARED_MS) });
  passTime(1_000);
  await sweep();
  const all = [first.load, second.load, names.running, names.abandoned, "notes", "collection"];
  expect(await left(), "readers may still need what was replaced").toEqual(new Set(all));
  passTime(GRACE_MS);
  await sweep();
  const kept = [first.load, second.load, names.running, "notes", "collection"];
  expect(await left(), "the state before may still be served").toEqual(new Set(kept));
  passTime(GRACE_MS);
  const third = await load(store, records);
  passTime(GRACE_MS);
  await sweep();
  expect(await left(), "a load that was replaced is not running").toEqual(
    new Set([second.load, third.load, names.running, "notes", "collection"]),
  );
});

test("in a local namespace, which is locked, unfinished and replaced loads are removed at once", async () => {
  const store = createWith({}, true);
  await load(store, records);
  await stores.namespace.put([{ key: `blocks/${createName(Date.now())}/1`, value: "" }]);
  const second = await load(store, records);
  const third = await load(store, records.slice(0, 10));
  const kept = new Set((await stores.namespace.list()).map((key) => key.split("/")[1] ?? key));
  expect(kept).toEqual(new Set([second.load, third.load, "collection"]));
});
