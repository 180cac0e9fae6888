import { beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { lastPage, type PageRequest, resolvePage } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { decodeRecord, readLines, renderResults } from "../../src/store/blocks.ts";
import type { State, Store } from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { useEmptyStores } from "./empty-stores.ts";

/** The results of a page from the store, or the reason if there is no such page. */
async function readResults(store: Store, request: PageRequest): Promise<unknown> {
  const { state, blocks } = await store.readPage(request, {});
  const location = resolvePage(request, state);
  if (typeof location === "string") return location;
  return JSON.parse(renderResults(location, (start) => blocks.get(start) ?? []));
}

async function expectPages(
  store: Store,
  records: TrafficRecord[],
  asOf?: PageRequest["asOf"],
): Promise<void> {
  const newestFirst = records.toReversed();
  const last = lastPage(records.length);
  for (let page = 1; page <= last; page++)
    expect(await readResults(store, { page, asOf })).toEqual(newestFirst.slice(15 * (page - 1), 15 * page));
  expect(await readResults(store, { page: "last", asOf })).toEqual(newestFirst.slice(15 * (last - 1)));
  expect(await readResults(store, { page: last + 1, asOf })).toBe("past the end");
}

async function readAll(store: Store, state: State): Promise<TrafficRecord[]> {
  const blocks = await store.readBlocks(state, { first: 1, last: state.count });
  return blocks.flatMap((block) => readLines(block, state.count)).map(decodeRecord);
}

// What every store must do. The counts are near the sizes of a page and of a block, where pages span two blocks.
describe.each(STORE_NAMES)("the store %s", (name) => {
  const stores = useEmptyStores();
  let store: Store;
  beforeAll(async () => {
    store = stores.open(name);
  });

  test("is an empty collection before the first load", async () => {
    const state = await store.readState();
    expect(state).toMatchObject({ version: 0, count: 0, switchedAt: undefined });
    expect(await readResults(store, { page: 1 })).toEqual([]);
    expect(await readResults(store, { page: "last" })).toEqual([]);
    expect(await readResults(store, { page: 2 })).toBe("past the end");
    expect(await store.readStatistics(state)).toBeUndefined();
  });

  test.each([1, 14, 15, 16, 31, 599, 600, 601, 607, 1_300])(
    "serves every page of %i records",
    async (count) => {
      const records = makeRecords(count);
      const state = await load(store, records);
      expect(await store.readState()).toEqual(state);
      expect(state).toMatchObject({ count, revision: expect.stringMatching(/^[0-9a-z]{19}$/) });
      expect(state.switchedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      await expectPages(store, records);
      expect(await store.readStatistics(state)).toEqual(statisticsOf(records));
      expect(await readAll(store, state)).toEqual(records);
      for (const asOf of [1, 15, 16, 600, 601].filter((earlier) => earlier <= count))
        await expectPages(store, records.slice(0, asOf), { count: asOf, version: state.version });
    },
  );

  test.each([
    [1, 2],
    [590, 605],
    [599, 600],
    [600, 601],
    [601, 1_210],
  ])("grows from %i to %i records, and keeps the earlier state", async (from, to) => {
    const records = makeRecords(to);
    const before = await load(store, records.slice(0, from));
    const state = await append(store, records.slice(from), {
      state: before,
      statistics: statisticsOf(records.slice(0, from)),
    });
    expect(state).toMatchObject({ version: before.version, count: to, previous: before.revision });
    expect(state.revision).not.toBe(before.revision);
    expect(await store.readState()).toEqual(state);
    await expectPages(store, records);
    await expectPages(store, records.slice(0, from), { count: from });
    expect(await store.readStatistics(state)).toEqual(statisticsOf(records));
  });

  test("does not serve a state that was never reached or that was replaced", async () => {
    const { version } = await load(store, makeRecords(40));
    expect(await readResults(store, { page: 1, asOf: { count: 41 } })).toBe("past the end");
    const state = await load(store, makeRecords(50));
    expect(state.version).toBeGreaterThan(version);
    expect(await readResults(store, { page: 1, asOf: { count: 40, version } })).toBe("replaced");
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
    const records = makeRecords(2).map((record) => ({ ...record, camera_ref }));
    await load(store, records);
    await expectPages(store, records);
  });

  test("keeps blocks and statistics that are longer than a statement may be", async () => {
    const refs = ["'", "🚗".repeat(127), '"\\', "ü'ü".repeat(85), "道".repeat(255)];
    const records = makeRecords(4_000).map((record, index) => ({
      ...record,
      camera_pk: index,
      camera_ref: refs[index % refs.length] ?? "",
    }));
    const state = await load(store, records);
    expect(await readAll(store, state)).toEqual(records);
    expect(await store.readStatistics(state)).toEqual(statisticsOf(records));
  });
});
