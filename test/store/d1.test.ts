import { beforeAll, describe, expect, test } from "vitest";
import { lastPage, type PageNumber } from "../../src/records/page.ts";
import { bindDatabase, createD1Store, PAGE_QUERY } from "../../src/store/d1.ts";
import { sweepStatement } from "../../src/store/sql.ts";
import { ABANDONED_MS, type State } from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { loadInto, useWorker } from "../worker.ts";

// D1 bills for the rows that are read and written.

const worker = useWorker();

async function countRowsRead(page: PageNumber, asOf: number | null = null): Promise<number> {
  const statement = worker.env.DB.prepare(PAGE_QUERY).bind(page === "last" ? null : page, asOf);
  return (await statement.all()).meta.rows_read;
}

/** A store that counts the rows that are written or removed through it. */
function createCountingStore() {
  const counted = { rows: 0 };
  const database = bindDatabase(worker.env.DB);
  const store = createD1Store({
    ...database,
    async write(statements) {
      const { DB } = worker.env;
      const results = await DB.batch(statements.map((sql) => DB.prepare(sql)));
      for (const { meta } of results) counted.rows += meta.rows_written;
      return results.at(-1)?.meta.changes ?? 0;
    },
  });
  return { store, counted };
}

/** The most rows that are written in addition to blocks, for the state and the statistics. */
const FEW = 10;

describe.each([100, 100_000])("in a collection of %i records,", (count) => {
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
  ] as const)("the %s page reads at most 3 rows", async (_, page) => {
    expect(await countRowsRead(page)).toBeLessThanOrEqual(3);
    expect(await countRowsRead(page, count - 7), "of an earlier state").toBeLessThanOrEqual(3);
    expect(await countRowsRead(page, count + 1), "of a state to come").toBeLessThanOrEqual(3);
  });

  test("a page that lies in two blocks reads 3 rows", async () => {
    const pages = Array.from({ length: Math.min(lastPage(count), 41) }, (_, index) => index + 1);
    const rows = await Promise.all(pages.map((page) => countRowsRead(page)));
    expect(Math.max(...rows)).toBe(count > 600 ? 3 : 2);
  });
});

test("a load writes a row for each block, and removes a row for each block that it replaces", async () => {
  const { store, counted } = createCountingStore();
  await loadInto(worker.env, "d1", makeRecords(6_000));
  await load(store, makeRecords(60_000));
  expect(counted.rows).toBeGreaterThanOrEqual(100 + 10);
  expect(counted.rows).toBeLessThanOrEqual(100 + 10 + FEW);
});

test("an append writes a row for each block that it changes or adds", async () => {
  const { store, counted } = createCountingStore();
  const records = makeRecords(60_000);
  const state = await loadInto(worker.env, "d1", records.slice(0, 59_950));
  await append(store, records.slice(59_950), { state, statistics: statisticsOf(records.slice(0, 59_950)) });
  expect(counted.rows).toBeLessThanOrEqual(1 + FEW);
});

test("replaced blocks are removed in bounded steps, and a sweep that was interrupted is finished later", async () => {
  const { version } = await loadInto(worker.env, "d1", makeRecords(20));
  const { DB } = worker.env;
  await DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 450)
     INSERT INTO blocks SELECT ${version - 1}, n, 'replaced', '' FROM numbers`,
  ).run();
  const removed: number[] = [];
  const database = bindDatabase(DB);
  let steps = 2;
  const store = createD1Store({
    ...database,
    async write(statements) {
      if (steps-- === 0) throw new Error("interrupted");
      removed.push(await database.write(statements));
      return removed.at(-1) ?? 0;
    },
  });
  await expect(store.sweep("everything")).rejects.toThrow("interrupted");
  await store.sweep("everything");
  expect(removed).toEqual([200, 200, 50]);
  expect(await DB.prepare("SELECT count(*) AS left FROM blocks").first()).toEqual({ left: 1 });
});

describe("the view records", () => {
  const records = makeRecords(1_210);
  const read = async (sql: string) => (await worker.env.DB.prepare(sql).all()).results;

  test("shows the records that are served as a table", async () => {
    await loadInto(worker.env, "d1", records);
    const rows = records.map((record, index) => ({ position: index + 1, ...record }));
    expect(await read("SELECT * FROM records ORDER BY position")).toEqual(rows);
    expect(await read("SELECT sum(cars) AS cars FROM records WHERE camera_ok = 'True'")).toEqual([
      { cars: records.reduce((sum, { camera_ok, cars }) => sum + (camera_ok === "True" ? cars : 0), 0) },
    ]);
  });

  test("does not show what an interrupted append or load left", async () => {
    const state = await loadInto(worker.env, "d1", records.slice(0, 1_000));
    const store = createD1Store(bindDatabase(worker.env.DB));
    const [block] = await store.readBlocks(state, { first: 601, last: 1_000 });
    const longer = {
      first: 601,
      text: `${block?.text.slice(0, -2)},\n[1,1,"x","2030-01-01T00:00:00Z",null,0,0,0,0,0,0]\n]`,
    };
    await store.writeBlocks([longer], { version: state.version, revision: "r", base: state });
    await store.writeBlocks([{ ...longer, first: 1 }], { version: state.version + 1, revision: "r" });
    expect(await read("SELECT count(*) AS count, max(timestamp) < '2030' AS known FROM records")).toEqual([
      { count: 1_000, known: 1 },
    ]);
  });
});

describe("a replica that lags", () => {
  /** A store whose replica shows an earlier state, while its primary shows the current one. */
  async function openLagging(earlier: State) {
    const reads: string[] = [];
    const database = bindDatabase(worker.env.DB);
    const store = createD1Store({
      ...database,
      async query(sql, parameters, newest) {
        reads.push(newest ? "primary" : "replica");
        const rows = await database.query(sql, parameters, newest);
        if (newest) return rows;
        const { version, count, revision, previous, switchedAt } = earlier;
        const { first, text } = rows[0] ?? {};
        return [
          {
            ...rows[0],
            version,
            count,
            revision,
            previous,
            switched_at: switchedAt ?? null,
            first: first ?? null,
            text: text ?? null,
          },
        ];
      },
    });
    return { store, reads };
  }

  test("is not trusted about a missing page that may have been added since", async () => {
    const records = makeRecords(46);
    const earlier = await loadInto(worker.env, "d1", records.slice(0, 45));
    const writer = createD1Store(bindDatabase(worker.env.DB));
    await append(writer, records.slice(45), {
      state: earlier,
      statistics: statisticsOf(records.slice(0, 45)),
    });
    const { createCachedStore } = await import("../../src/store/cache.ts");
    const { store, reads } = await openLagging(earlier);
    const cached = createCachedStore(store, "d1");
    expect(await cached.page({ page: 4 }, () => {})).toMatchObject({ number: 4, count: 46 });
    expect(reads).toEqual(["replica", "primary"]);
    expect(await cached.page({ page: 5 }, () => {})).toBe("past the end");
  });
});

test("a sweep leaves the blocks of a load that may still run, and removes them after an hour", async () => {
  const { version } = await loadInto(worker.env, "d1", makeRecords(10));
  const { DB } = worker.env;
  const insert = "INSERT INTO blocks (version, first, revision, text) VALUES (?, 1, 'running', '[]')";
  await DB.prepare(insert)
    .bind(version + 1)
    .run();
  const sweepAt = async (now: number) => {
    await DB.prepare(sweepStatement(now)).run();
    const { results } = await DB.prepare("SELECT DISTINCT version FROM blocks ORDER BY 1").all();
    return results.map((row) => row.version);
  };
  expect(await sweepAt(version + ABANDONED_MS)).toEqual([version, version + 1]);
  expect(await sweepAt(version + ABANDONED_MS + 2)).toEqual([version]);
});
