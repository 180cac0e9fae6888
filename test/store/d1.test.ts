import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lastPage, type PageNumber } from "../../src/records/page.ts";
import { d1Store, LOADED_QUERY, PAGE_QUERY } from "../../src/store/d1.ts";
import { loadStatements } from "../../src/store/d1-statements.ts";
import type { State } from "../../src/store/store.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.close());

/** Rows that D1 counts, and bills, for a page. */
async function countRowsRead(page: PageNumber, asOf: number | null = null): Promise<number> {
  const statement = worker.env.DB.prepare(PAGE_QUERY).bind(page === "last" ? null : page, asOf);
  return (await statement.all()).meta.rows_read;
}

test("a database in which nothing was loaded is an empty collection", async () => {
  const state = { version: 0, count: 0 };
  expect(await d1Store(worker.env.DB).page(1)).toEqual({ state, current: state, number: 1, results: "[]" });
  expect(await d1Store(worker.env.DB).page("last")).toEqual({
    state,
    current: state,
    number: 1,
    results: "[]",
  });
});

describe.each([100, 100_000])("of %i records", (count) => {
  beforeAll(async () => {
    await loadInto(worker.env, "d1", makeRecords(count));
  });

  test.each([
    ["first", 1],
    ["middle", Math.ceil(lastPage(count) / 2)],
    ["last by number", lastPage(count)],
    ["last", "last"],
    ["past the end", lastPage(count) + 1],
    ["far past the end", 600_479_950_316_066],
  ] as const)("the %s page reads at most 32 rows", async (_, page) => {
    expect(await countRowsRead(page)).toBeLessThanOrEqual(32);
    expect(await countRowsRead(page, count - 7), "of an earlier state").toBeLessThanOrEqual(32);
    expect(await countRowsRead(page, count + 1), "of a state to come").toBeLessThanOrEqual(32);
  });

  test("what a load stored is read without any record", async () => {
    const { meta } = await worker.env.DB.prepare(LOADED_QUERY).all();
    expect(meta.rows_read).toBeLessThanOrEqual(6);
  });
});

describe("a load", () => {
  const newRecords = makeRecords(20);
  let old: State;
  beforeAll(async () => {
    old = await loadInto(worker.env, "d1", makeRecords(40));
  });

  test("that lacks a record does not switch", async () => {
    const lacking = loadStatements(newRecords.slice(1), { version: old.version + 1_000, count: 20 });
    const run = async () => {
      for (const { sql } of lacking) await worker.env.DB.prepare(sql).run();
    };
    await expect(run()).rejects.toThrow(/NOT NULL constraint failed: state.count/);
    expect(await d1Store(worker.env.DB).state()).toEqual(old);
  });

  test("removes what it replaces and what an interrupted one left", async () => {
    const { version } = await loadInto(worker.env, "d1", newRecords);
    const left = await worker.env.DB.prepare("SELECT DISTINCT version FROM records").all();
    expect(left.results).toEqual([{ version }]);
  });

  test("a page with records missing is a failure, not a shorter page", async () => {
    await worker.env.DB.prepare("DELETE FROM records WHERE position = 3").run();
    await expect(d1Store(worker.env.DB).page("last")).rejects.toThrow(
      "D1 holds 4 of the 5 records of page 2 of 20",
    );
  });
});
