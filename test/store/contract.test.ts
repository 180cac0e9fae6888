import { beforeAll, describe, expect, test } from "vitest";
import { lastPage, type PageRequest } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import type { Store } from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { readAll, resultsOf, waitUntil } from "./reader.ts";
import { ALL_STORES, type AnyStore, LOCAL_STORES, openLocalStore, useStores } from "./stores.ts";

/** The results of a page as a new instance serves it, or the reason if there is no such page. */
async function readResults(store: Store, request: PageRequest): Promise<unknown> {
  const page = await createCachedStore(store, "test").page(request, waitUntil);
  return page?.results ?? "past the end";
}

async function expectPages(
  store: Store,
  records: TrafficRecord[],
  hide?: PageRequest["hide"],
): Promise<void> {
  const last = lastPage(records.length);
  for (let page = 1; page <= last; page++)
    expect(await readResults(store, { page, hide })).toBe(resultsOf(records, page));
  expect(await readResults(store, { page: "last", hide })).toBe(resultsOf(records, last));
  expect(await readResults(store, { page: last + 1, hide })).toBe("past the end");
}

// What every store must do. The counts are near the sizes of a page and of a block, where pages span two blocks.
describe.each([...ALL_STORES, ...LOCAL_STORES])("the store %s", (name) => {
  const local = LOCAL_STORES.find((one) => one === name);
  const stores = local ? undefined : useStores();
  let store: Store;
  beforeAll(async () => {
    store = local ? await openLocalStore(local) : stores!.open(name as AnyStore);
  });

  test("is an empty collection before the first load", async () => {
    const { state, statistics } = await store.readStatistics();
    expect(state).toMatchObject({ load: "", count: 0, tail: "", sequence: 0, switchedAt: undefined });
    expect(await store.readState()).toEqual(state);
    expect(statistics).toEqual(statisticsOf([]));
    expect(await readResults(store, { page: 1 })).toBe("[]");
    expect(await readResults(store, { page: "last" })).toBe("[]");
    expect(await readResults(store, { page: 2 })).toBe("past the end");
  });

  test.each([1, 14, 15, 16, 31, 149, 150, 151, 157, 301, 350])(
    "serves every page of %i records",
    async (count) => {
      const records = makeRecords(count);
      const before = await store.readState();
      const state = await load(store, records, { sources: [{ kind: "stated", name: "a 'source'" }] });
      expect(await store.readState()).toEqual(state);
      expect(state).toMatchObject({
        count,
        load: expect.stringMatching(/^[0-9a-z]{19}$/),
        revision: state.load,
        sequence: before.sequence + 1,
        sources: [{ kind: "stated", name: "a 'source'" }],
      });
      expect(state.previous).toEqual([before.revision, ...before.previous].slice(0, 8));
      expect(state.switchedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      await expectPages(store, records);
      expect((await readAll(store)).records).toEqual(records);
      for (const shown of [1, 15, 16, 150, 151].filter((earlier) => earlier <= count))
        await expectPages(store, records.slice(0, shown), () => count - shown);
    },
  );

  test.runIf(!name.endsWith("kv")).each([
    [0, 1],
    [1, 2],
    [140, 155],
    [149, 150],
    [150, 151],
    [151, 460],
  ])("grows from %i to %i records, and keeps the earlier state", async (from, to) => {
    const records = makeRecords(to);
    const before = await load(store, records.slice(0, from));
    const state = await append(store, records.slice(from), await store.readStatistics(true));
    expect(state).toMatchObject({ load: before.load, count: to, sequence: before.sequence + 1 });
    expect(state.previous[0]).toBe(before.revision);
    expect(await store.readState()).toEqual(state);
    await expectPages(store, records);
    await expectPages(store, records.slice(0, from), () => to - from);
    expect((await readAll(store)).records).toEqual(records);
  });

  test.runIf(name.endsWith("kv"))("refuses an append with a sentence that says what to do", async () => {
    const base = await store.readStatistics();
    await expect(append(store, makeRecords(1), base)).rejects.toThrow(
      /^Records cannot be added .* Use D1, or export/,
    );
    expect(await store.readStatistics()).toEqual(base);
  });

  test.each([
    'a"33',
    "a\\33",
    "a/33</script>",
    "ü33",
    "🚗",
    "a\u2028",
    "'; DROP TABLE blocks; --",
    ",\\n",
    "]",
  ])("keeps the camera_ref %j", async (camera_ref) => {
    const records = makeRecords(BLOCK_SIZE + 2).map((record) => ({ ...record, camera_ref }));
    await load(store, records);
    expect((await readAll(store)).records).toEqual(records);
  });

  test("keeps blocks, a tail, statistics and sources that are longer than a statement may be", async () => {
    const refs = ["'", "🚗", '"\\', "ü'ü"].map((part) => "道".repeat(195) + part.repeat(20));
    const records = makeRecords(6 * BLOCK_SIZE - 1).map((record, index) => ({
      ...record,
      camera_pk: index,
      camera_ref: refs[index % refs.length] ?? "",
    }));
    const sources = [{ kind: "stated" as const, name: "道'".repeat(60_000) }];
    const state = await load(store, records, { sources });
    expect(await store.readState()).toEqual(state);
    expect(state.sources).toEqual(sources);
    expect((await readAll(store)).records).toEqual(records);
  });
});
