import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../../data/targets/targets.ts";
import { loadStatements } from "../../../src/store/d1-statements.ts";
import { makeRecords } from "../../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../../worker.ts";
import { readStatistics, statisticsOf } from "../statistics.ts";

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.close());

/** So many cameras that their refs fill several rows of D1, and take several bytes a character or an escape. */
const records = makeRecords(4_000).map((record, index) => ({
  ...record,
  camera_pk: index,
  camera_ref: ["'", "🚗".repeat(20), '"\\', "ü'ü"][index % 4]!,
}));

describe.each(STORE_NAMES)("a load into %s", (store) => {
  test("stores what its records come to", async () => {
    const state = await loadInto(worker.env, store, records);
    const stored = await readStatistics(worker.env, store);
    expect(stored.find(({ state: { version } }) => version === state.version)).toEqual({
      state,
      statistics: statisticsOf(records),
    });
  });
});

describe("a load into d1", () => {
  test("keeps the statistics under the limits of a statement and a row", async () => {
    const statements = [...loadStatements(records, { version: 1, count: records.length })];
    const parts = statements.filter(({ sql }) => sql.startsWith("INSERT INTO statistics"));
    expect(parts.length).toBeGreaterThan(1);
    for (const { sql } of statements) expect(Buffer.byteLength(sql)).toBeLessThan(100_000);
  });

  test("removes those of the version that it replaces", async () => {
    const before = await loadInto(worker.env, "d1", makeRecords(20));
    const state = await loadInto(worker.env, "d1", makeRecords(20));
    expect(state.version).not.toBe(before.version);
    expect((await readStatistics(worker.env, "d1")).map((stored) => stored.state)).toEqual([state]);
  });

  test("that does not switch leaves those of what is served", async () => {
    const state = await loadInto(worker.env, "d1", makeRecords(20));
    const lacking = loadStatements(makeRecords(19), { version: 9_999, count: 20 });
    const run = async () => {
      for (const { sql } of lacking) await worker.env.DB.prepare(sql).run();
    };
    await expect(run()).rejects.toThrow("NOT NULL");
    expect((await readStatistics(worker.env, "d1")).map((stored) => stored.state)).toContainEqual(state);
    const next = await loadInto(worker.env, "d1", makeRecords(20));
    expect((await readStatistics(worker.env, "d1")).map((stored) => stored.state)).toEqual([next]);
  });
});
