import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { lastPage } from "../../src/records/page.ts";
import { BLOCK_SIZE, countInBlocks } from "../../src/store/blocks.ts";
import { createD1Store, PAGE_QUERY, SWEPT_ROWS } from "../../src/store/d1.ts";
import { createName } from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { useWorker } from "../worker.ts";
import { createCountingStore } from "./counting-store.ts";

// D1 bills for the rows that are read and written.

const worker = useWorker();

/** The most rows that a write takes in addition to blocks, for the state and the statistics. */
const FEW = 10;

describe.each([100, 30_010])("in a collection of %i records,", (count) => {
  beforeAll(async () => void (await load(createCountingStore(worker.env.DB).store, makeRecords(count))));

  /** Rows that an instance reads that knows the state, or not. */
  async function countRowsRead(page: number | "last", asOf: number | null, revision: string | null) {
    const parameters = [revision, page === "last" ? null : page, asOf];
    const statement = worker.env.DB.prepare(PAGE_QUERY).bind(...parameters);
    return (await statement.all()).meta.rows_read;
  }

  test.each([
    ["middle", Math.ceil(lastPage(count) / 2)],
    ["last by number", lastPage(count)],
    ["last", "last"],
    ["past the end", lastPage(count) + 1],
    ["far past the end", 600_479_950_316_066],
  ] as const)("the %s page reads at most 3 rows", async (_, page) => {
    for (const asOf of [null, count - 7, count + 1])
      expect(await countRowsRead(page, asOf, null)).toBeLessThanOrEqual(3);
  });

  test("pages in the tail read the row of the state alone, and others that of their blocks too", async () => {
    const inTail = Math.floor((count - countInBlocks(count)) / 15);
    for (let page = 1; page <= inTail; page++) expect(await countRowsRead(page, null, "x")).toBe(1);
    const rows = [];
    for (let page = 1; page <= Math.min(41, lastPage(count)); page++)
      rows.push(await countRowsRead(page, null, null));
    expect(Math.max(...rows)).toBe(count > BLOCK_SIZE ? 3 : 1);
  });
});

test("a load writes a row for each block, and removes a row for each block that it replaces", async () => {
  const { store, counted } = createCountingStore(worker.env.DB);
  await load(store, makeRecords(6_000));
  counted.written = 0;
  await load(store, makeRecords(12_000));
  const blocks = (12_000 + 6_000) / BLOCK_SIZE;
  expect(counted.written).toBeGreaterThanOrEqual(blocks);
  expect(counted.written).toBeLessThanOrEqual(blocks + FEW);
});

test("an append that fills no block writes the row of the state and that of the statistics", async () => {
  const { store, counted } = createCountingStore(worker.env.DB);
  const records = makeRecords(6_100);
  await load(store, records.slice(0, 6_010));
  const base = await store.readStatistics(true);
  Object.assign(counted, { queries: 0, written: 0 });
  await append(store, records.slice(6_010), base);
  expect(counted.written).toBe(2);
  expect(counted.queries).toBe(0);
});

test("an append that fills blocks writes a row for each", async () => {
  const { store, counted } = createCountingStore(worker.env.DB);
  const records = makeRecords(6_010 + 3 * BLOCK_SIZE);
  await load(store, records.slice(0, 6_010));
  const base = await store.readStatistics(true);
  counted.written = 0;
  await append(store, records.slice(6_010), base);
  expect(counted.written).toBe(3 + 2);
});

test("replaced blocks are removed in bounded steps, and a sweep that was interrupted is finished later", async () => {
  const { store, counted } = createCountingStore(worker.env.DB);
  const { load: name } = await load(store, makeRecords(BLOCK_SIZE));
  const { DB } = worker.env;
  const old = createName(0);
  await DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${2 * SWEPT_ROWS + 50})
     INSERT INTO blocks SELECT '${old}', n, '', '' FROM numbers`,
  ).run();
  counted.removed = [];
  await store.sweep({ names: [], before: createName(1) });
  expect(counted.removed).toEqual([SWEPT_ROWS, SWEPT_ROWS, 50]);
  const left = await DB.prepare("SELECT load, first FROM blocks").all();
  expect(left.results).toEqual([{ load: name, first: 1 }]);
});

describe("the view records", () => {
  const records = makeRecords(1_210);
  const read = async (sql: string) => (await worker.env.DB.prepare(sql).all()).results;

  test("shows the records that are served as a table", async () => {
    for (const count of [0, 5, 900, 1_210]) {
      const { store } = createCountingStore(worker.env.DB);
      await load(store, records.slice(0, count));
      const rows = records.slice(0, count).map((record, index) => ({ position: index + 1, ...record }));
      expect(await read("SELECT * FROM records ORDER BY position")).toEqual(rows);
    }
    expect(await read("SELECT sum(cars) AS cars FROM records WHERE camera_ok = 'True'")).toEqual([
      { cars: records.reduce((sum, { camera_ok, cars }) => sum + (camera_ok === "True" ? cars : 0), 0) },
    ]);
  });

  test("does not show what an interrupted append or load left", async () => {
    const { store } = createCountingStore(worker.env.DB);
    const state = await load(store, records.slice(0, 1_000));
    const [block] = await store.readBlocks(state, { first: 1, last: 1 });
    const text = block!.text.replaceAll("2019", "2030");
    await store.writeBlocks([{ first: 901, text }], { load: state.load, revision: "r", base: state });
    await store.writeBlocks([{ first: 1, text }], { load: "x", revision: "x" });
    expect(await read("SELECT count(*) AS count, max(timestamp) < '2030' AS known FROM records")).toEqual([
      { count: 1_000, known: 1 },
    ]);
  });
});

test("an append to a state that is gone writes no block", async () => {
  const { store } = createCountingStore(worker.env.DB);
  const base = await load(store, makeRecords(10));
  await load(store, makeRecords(20));
  const [block] = await store.readBlocks(await load(store, makeRecords(BLOCK_SIZE)), { first: 1, last: 1 });
  await store.writeBlocks([block!], { load: base.load, revision: "late", base });
  const stored = await worker.env.DB.prepare(
    "SELECT count(*) AS late FROM blocks WHERE revision = 'late'",
  ).first();
  expect(stored).toEqual({ late: 0 });
});

// A statement of 100 KB or more is refused, and characters take 1 to 4 bytes.
test("no statement is too long, whatever the records and sources contain", async () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "'", "ü", "道", "🚗", "\\", '"', "\n"),
    minLength: 1,
    maxLength: 255,
  });
  const property = fc.asyncProperty(
    fc.array(text, { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 1, max: 2 * BLOCK_SIZE + 20 }),
    fc.array(fc.tuple(text, fc.integer({ min: 1, max: 300 })), { maxLength: 3 }),
    async (refs, count, names) => {
      const longest = { bytes: 0 };
      const none = createD1Store({
        query: async () => [],
        async write(statements) {
          for (const sql of statements) longest.bytes = Math.max(longest.bytes, Buffer.byteLength(sql));
          return 0;
        },
        batchBytes: 1_000_000,
      });
      const records = makeRecords(count).map((record, index) => ({
        ...record,
        camera_pk: index,
        camera_ref: String(refs[index % refs.length]).padEnd(255, refs[0]),
      }));
      const sources = names.map(([name, times]) => ({ kind: "stated" as const, name: name.repeat(times) }));
      await load(none, records, { sources });
      expect(longest.bytes).toBeLessThan(100_000);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
