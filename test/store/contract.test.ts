import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES, type StoreName } from "../../data/targets/targets.ts";
import type { Env } from "../../src/env.ts";
import { lastPage } from "../../src/records/page.ts";
import { d1Store } from "../../src/store/d1.ts";
import { kvStore } from "../../src/store/kv.ts";
import type { RecordStore, State } from "../../src/store/store.ts";
import { statisticsOf } from "../data/statistics.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";

const stores: Record<StoreName, (env: Env) => RecordStore> = {
  d1: ({ DB }) => d1Store(DB),
  kv: ({ KV }) => kvStore(KV),
};

// What every store promises. Counts around the sizes of a page and of a block, where pages span two blocks.
describe.each(STORE_NAMES)("the store %s", (name) => {
  let worker: RunningWorker;
  let store: RecordStore;
  beforeAll(async () => {
    worker = await startWorker();
    store = stores[name](worker.env);
  });
  afterAll(() => worker.close());

  describe.each([1, 14, 15, 16, 31, 599, 600, 601, 607, 1_300])("with %i records", (count) => {
    const newestFirst = makeRecords(count).reverse();
    let state: State;
    beforeAll(async () => {
      state = await loadInto(worker.env, name, newestFirst.toReversed());
    });

    test("knows its state", async () => expect(await store.state()).toEqual(state));

    test("gives every page, newest first, in the JSON of the answer", async () => {
      for (let page = 1; page <= lastPage(count); page++) {
        const results = JSON.stringify(newestFirst.slice(15 * (page - 1), 15 * page));
        expect(await store.page(page)).toEqual({ state, current: state, number: page, results });
      }
    });

    test.each([0, 1, 15, 16, 600, 601])("gives the pages as of its first %i records", async (asOf) => {
      if (asOf > count) return;
      const oldestFirst = newestFirst.toReversed().slice(0, asOf);
      for (let page = 1; page <= lastPage(asOf); page++) {
        const results = JSON.stringify(oldestFirst.toReversed().slice(15 * (page - 1), 15 * page));
        const expected = { state: { ...state, count: asOf }, current: state, number: page, results };
        expect(await store.page(page, asOf)).toEqual(expected);
        if (page === lastPage(asOf)) expect(await store.page("last", asOf)).toEqual(expected);
      }
    });

    test("has no page of a state that it has not reached", async () => {
      const { state: asked, current, results } = await store.page(1, count + 1);
      expect({ asked, current, results }).toEqual({
        asked: { ...state, count: count + 1 },
        current: state,
        results: "[]",
      });
    });

    test("knows what the load stored", async () => {
      expect(await store.loaded()).toEqual({
        state,
        loadedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        statistics: statisticsOf(newestFirst.toReversed()),
      });
    });

    test("knows the last page", async () => {
      expect(await store.page("last")).toEqual(await store.page(lastPage(count)));
    });

    test.each([lastPage(count) + 1, 600_479_950_316_066])("page %i is past the end", async (page) => {
      expect(await store.page(page)).toEqual({ state, current: state, number: page, results: "[]" });
    });
  });

  test.each(['a"33', "a\\33", "a/33</script>", "ü33", "🚗", "a\u2028", "'; DROP TABLE records; --"])(
    "writes %j as JSON does",
    async (camera_ref) => {
      const records = makeRecords(2).map((record) => ({ ...record, camera_ref }));
      await loadInto(worker.env, name, records);
      expect((await store.page(1)).results).toBe(JSON.stringify(records.toReversed()));
    },
  );
});
