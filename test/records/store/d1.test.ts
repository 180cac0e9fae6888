import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadStatements } from "../../../data/targets/d1.ts";
import { lastPage, type PageNumber } from "../../../src/records/page.ts";
import { d1Store, PAGE_QUERY } from "../../../src/records/store/d1.ts";
import { loadInto, type RunningWorker, startWorker } from "../../worker.ts";
import { makeRecords } from "../sample.ts";

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.close());

/** Rows that D1 counts, and bills, for a page. */
async function countRowsRead(page: PageNumber): Promise<number> {
  const statement = worker.env.DB.prepare(PAGE_QUERY).bind(page === "last" ? null : page);
  return (await statement.all()).meta.rows_read;
}

describe("an empty collection", () => {
  test.each([1, "last"] as const)("page %s holds nothing", async (page) => {
    expect(await d1Store(worker.env.DB).page(page)).toEqual({
      state: { version: 0, count: 0 },
      number: 1,
      results: "[]",
    });
  });
});

describe.each([100, 100_000])("%i records", (count) => {
  const records = makeRecords(count);
  let version: number;
  beforeAll(async () => {
    version = await loadInto(worker.env.DB, records);
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
  });

  test.each([1, 2, Math.ceil(lastPage(count) / 2), lastPage(count)])(
    "page %i holds its range",
    async (page) => {
      expect(await d1Store(worker.env.DB).page(page)).toEqual({
        state: { version, count },
        number: page,
        results: JSON.stringify(records.toReversed().slice(15 * (page - 1), 15 * page)),
      });
    },
  );

  test("past the end there are no records", async () => {
    const page = lastPage(count) + 1;
    expect(await d1Store(worker.env.DB).page(page)).toEqual({
      state: { version, count },
      number: page,
      results: "[]",
    });
  });
});

describe("text that JSON must escape", () => {
  test.each(['a"33', "a\\33", "a/33</script>", "ü33", "🚗", "a\u2028", "'; DROP TABLE records; --"])(
    "%j",
    async (camera_ref) => {
      const records = makeRecords(1).map((record) => ({ ...record, camera_ref }));
      await loadInto(worker.env.DB, records);
      expect((await d1Store(worker.env.DB).page(1)).results).toBe(JSON.stringify(records));
    },
  );
});

describe("a load", () => {
  const oldRecords = makeRecords(40);
  const newRecords = makeRecords(20);
  let version: number;
  beforeAll(async () => {
    version = await loadInto(worker.env.DB, oldRecords);
  });

  test("that lacks a record does not switch", async () => {
    const lacking = loadStatements(newRecords.slice(1), {
      version: version + 1_000,
      count: newRecords.length,
    });
    const run = async () => {
      for (const { sql } of lacking) await worker.env.DB.prepare(sql).run();
    };
    await expect(run()).rejects.toThrow(/NOT NULL constraint failed: state.count/);
    expect((await d1Store(worker.env.DB).page("last")).state).toEqual({ version, count: 40 });
  });

  test("removes what it replaces and what an interrupted one left", async () => {
    const next = await loadInto(worker.env.DB, newRecords);
    const left = await worker.env.DB.prepare("SELECT DISTINCT version FROM records").all();
    expect(left.results).toEqual([{ version: next }]);
  });

  test("a page with records missing is a failure, not a shorter page", async () => {
    await worker.env.DB.prepare("DELETE FROM records WHERE position = 3").run();
    await expect(d1Store(worker.env.DB).page("last")).rejects.toThrow(
      "D1 holds 4 of the 5 records of page 2 of 20",
    );
  });
});
