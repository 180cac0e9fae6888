import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lastPage } from "../../../src/records/page.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { BLOCK_SIZE, STATE_KEY } from "../../../src/store/blocks.ts";
import { d1Store } from "../../../src/store/d1.ts";
import { appendStatements } from "../../../src/store/d1-statements.ts";
import { kvStore } from "../../../src/store/kv.ts";
import { appendPairs } from "../../../src/store/kv-pairs.ts";
import type { RecordStore, State } from "../../../src/store/store.ts";
import { makeRecords } from "../../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../../worker.ts";
import { readStatistics, statisticsOf } from "../statistics.ts";

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.close());

async function expectServed(store: RecordStore, records: TrafficRecord[], state: State): Promise<void> {
  const newestFirst = records.toReversed();
  for (let page = 1; page <= lastPage(records.length); page++) {
    const results = JSON.stringify(newestFirst.slice(15 * (page - 1), 15 * page));
    expect(await store.page(page)).toEqual({ state, current: state, number: page, results });
  }
}

const all = makeRecords(90);
const before = all.slice(0, 50);
let own = 1_000_000;

describe("an append to d1", () => {
  const statements = (state: State, records: TrafficRecord[]) => {
    own += 1;
    const loaded = { state, statistics: statisticsOf(before) };
    return [...appendStatements(records, loaded, state.count + records.length, own)].map(({ sql }) => sql);
  };
  const run = async (sql: string[]) => {
    for (const statement of sql) await worker.env.DB.prepare(statement).run();
  };
  /** As wrangler executes a file: all of it or nothing. */
  const commit = (sql: string[]) =>
    worker.env.DB.batch(sql.map((statement) => worker.env.DB.prepare(statement)));
  const store = () => d1Store(worker.env.DB);
  const load = (records = before) => loadInto(worker.env, "d1", records);

  test("adds behind what is loaded: the version remains, the count and the statistics grow", async () => {
    const { version } = await load();
    await commit(statements({ version, count: 50 }, all.slice(50)));
    const state = { version, count: 90 };
    await expectServed(store(), all, state);
    expect(await readStatistics(worker.env, "d1")).toEqual([{ state, statistics: statisticsOf(all) }]);
  });

  test("interrupted after any statement serves what was loaded, and the next append succeeds", async () => {
    const state = await load();
    const left = statements(state, all.slice(50, 80));
    const switches = left.findIndex((sql) => sql.includes("INTO state"));
    for (let done = 1; done < switches; done++) {
      await run(left.slice(0, done));
      await expectServed(store(), before, state);
      expect(await readStatistics(worker.env, "d1")).toContainEqual({
        state,
        statistics: statisticsOf(before),
      });
      // The next one ends at the same count, with other records.
      const next = statements(state, all.slice(60));
      await commit(next.toSpliced(-2, 2));
      await expectServed(store(), before, state);
    }
    await commit(statements(state, all.slice(60)));
    await expectServed(store(), [...before, ...all.slice(60)], { ...state, count: 80 });
    const rows = await worker.env.DB.prepare("SELECT count(*) AS count FROM records").first();
    expect(rows).toEqual({ count: 80 });
  });

  test.each([
    ["a load", async () => ({ records: all.slice(0, 20), state: await load(all.slice(0, 20)) })],
    [
      "another append",
      async (state: State) => {
        await commit(statements(state, all.slice(50, 90)));
        return { records: all, state: { ...state, count: 90 } };
      },
    ],
  ])("fails if %s came in between, and leaves what that loaded", async (_, comeInBetween) => {
    const state = await load();
    for (const done of [0, 5, 6]) {
      await load();
      const begun = { version: (await store().state()).version, count: state.count };
      const late = statements(begun, all.slice(50));
      await run(late.slice(0, done));
      const other = await comeInBetween(begun);
      await expect(commit(late.slice(done))).rejects.toThrow("NOT NULL constraint failed: state.count");
      await expectServed(store(), other.records, other.state);
      await expect(run(late.slice(done)), "not even one by one").rejects.toThrow("NOT NULL");
      await expectServed(store(), other.records, other.state);
    }
  });

  test("that lacks a record does not switch", async () => {
    const state = await load();
    const loaded = { state, statistics: statisticsOf(before) };
    const lacking = [...appendStatements(all.slice(51), loaded, 90, 9_999_999)].map(({ sql }) => sql);
    await expect(run(lacking)).rejects.toThrow("NOT NULL constraint failed: state.count");
    await expectServed(store(), before, state);
  });

  test("reads the rows that it adds, however many are loaded", async () => {
    const many = makeRecords(20_000);
    const state = await load(many);
    const added = many.slice(0, 40);
    const results = await commit(statements(state, added));
    const read = results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
    expect(read).toBeLessThan(500);
  });
});

describe("an append to kv", () => {
  test.each([
    [1, 2],
    [590, 605],
    [599, 600],
    [600, 601],
    [601, 1_210],
  ])("from %i to %i records adds blocks and a longer last one", async (from, to) => {
    const records = makeRecords(to);
    const { version } = await loadInto(worker.env, "kv", records.slice(0, from));
    const state = { version, count: from };
    const loaded = { state, statistics: statisticsOf(records.slice(0, from)) };
    const tail = records.slice(from - (from % BLOCK_SIZE), from);
    for (const { key, value } of appendPairs(tail, records.slice(from), loaded, to)) {
      expect(await worker.env.KV.get(key), `${key} is a new key`).toBeNull();
      await worker.env.KV.put(key, value);
    }
    await expectServed(kvStore(worker.env.KV), records.slice(0, from), state);
    await worker.env.KV.put(STATE_KEY, JSON.stringify({ version, count: to }));
    await expectServed(kvStore(worker.env.KV), records, { version, count: to });
    expect(await readStatistics(worker.env, "kv")).toContainEqual({
      state: { version, count: to },
      statistics: statisticsOf(records),
    });
  });
});
