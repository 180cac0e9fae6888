import { beforeAll, describe, expect, test } from "vitest";
import { getLastPage, type PageNumber } from "../../src/records/page.ts";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { createCachedStore } from "../../src/store/cached-store.ts";
import type { SqlRow } from "../../src/store/d1.ts";
import { createWritableD1Store, DELETE_BATCH_ROWS } from "../../tools/data/stores/d1-writer.ts";
import { createSnapshotId } from "../../tools/data/stores/writer.ts";
import { makeNewestFirst, readPage } from "../support/reader.ts";
import { loadRecords } from "../support/stores.ts";
import { useWorker } from "../support/worker.ts";

// D1 bills for rows read and written.

const worker = useWorker();

/** Opens the store in the worker's database, and counts the statements and the billed rows. */
function openCountedStore() {
  const { DB } = worker.env;
  const counted = { queries: 0, read: 0, written: 0, removed: [] as number[] };
  const store = createWritableD1Store({
    batchBytes: 250_000,
    async query(sql, parameters) {
      const statement = DB.prepare(sql).bind(...parameters);
      const { results, meta } = await statement.all<SqlRow>();
      counted.queries += 1;
      counted.read += meta.rows_read;
      return results;
    },
    async write(statements) {
      const results = await DB.batch(statements.map((sql) => DB.prepare(sql)));
      for (const { meta } of results) counted.written += meta.rows_written;
    },
    async run(sql) {
      const { meta } = await DB.prepare(sql).run();
      counted.written += meta.rows_written;
      if (sql.startsWith("DELETE FROM block")) counted.removed.push(meta.changes);
      return meta.changes;
    },
  });
  return { store, counted };
}

describe.each([100, 30_010])("in a collection of %i records, a new instance", (count) => {
  beforeAll(async () => void (await loadRecords(openCountedStore().store, makeNewestFirst(count))));

  /** Reads pages in a new instance. */
  async function countReads(pages: PageNumber[], getHiddenCount?: () => number) {
    const { store, counted } = openCountedStore();
    const cache = createCachedStore(store);
    for (const page of pages) await readPage(cache, page, getHiddenCount);
    return counted;
  }

  const last = getLastPage(count);
  const blocks = count > BLOCK_SIZE ? 2 : 1;
  test.each<[PageNumber[], statements: number, rows: number]>([
    [[1], 1, 2],
    [[Math.ceil(last / 2)], 1, 2],
    [[last], 1, 2],
    [["last"], 1, 2],
    [[1, last, last, "last"], blocks, 1 + blocks],
    [[600_479_950_316_066], 1, 1],
  ])("reads the pages %j in %i statements and %i rows", async (pages, statements, rows) => {
    const { queries, read } = await countReads(pages);
    expect([queries, read]).toEqual([statements, rows]);
  });

  test("reads one row for a page whose records nobody needs", async () => {
    const { store, counted } = openCountedStore();
    await createCachedStore(store).findPage(1, { matchesCopy: () => true });
    expect(counted.read).toBe(1);
  });

  test.each([1, 20, count - 1])("reads two rows for a page without the %i newest records", async (hidden) => {
    for (const page of [1, getLastPage(count - hidden)])
      expect((await countReads([page], () => hidden)).read).toBe(2);
  });
});

test("a load writes a row for each block, and removes those of the previous snapshot", async () => {
  const { store, counted } = openCountedStore();
  for (const count of [6_000, 20]) await loadRecords(store, makeNewestFirst(count));
  counted.written = 0;
  await loadRecords(store, makeNewestFirst(12_001));
  // Each load has one more block, its statistics. The switch writes a few rows.
  const blocks = Math.ceil(12_001 / BLOCK_SIZE) + 1 + Math.ceil(6_000 / BLOCK_SIZE) + 1;
  expect(counted.written).toBeGreaterThanOrEqual(blocks);
  expect(counted.written).toBeLessThanOrEqual(blocks + 4);
});

test("a sweep removes replaced blocks in bounded batches, and finishes an interrupted sweep", async () => {
  const { store, counted } = openCountedStore();
  const id = await loadRecords(store, makeNewestFirst(BLOCK_SIZE));
  await store.sweep();
  const { DB } = worker.env;
  await DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${2 * DELETE_BATCH_ROWS + 50})
     INSERT INTO block SELECT '${createSnapshotId(0)}', n, '' FROM numbers`,
  ).run();
  counted.removed = [];
  await store.sweep();
  expect(counted.removed).toEqual([DELETE_BATCH_ROWS, DELETE_BATCH_ROWS, 50]);
  const left = await DB.prepare("SELECT snapshot, number FROM block ORDER BY number").all();
  expect(left.results).toEqual([0, 1].map((number) => ({ snapshot: id, number })));
});

test("a load is not discarded if its switch succeeded", async () => {
  const { store, counted } = openCountedStore();
  const id = await loadRecords(store, makeNewestFirst(10));
  counted.removed = [];
  await store.discard(id, [1, 0]);
  expect(counted.removed).toEqual([0]);
});

test("the view records has a row for each served record", async () => {
  const records = makeNewestFirst(1_210);
  for (const count of [0, 5, 900, 1_210]) {
    await loadRecords(openCountedStore().store, records.slice(0, count));
    const rows = records.slice(0, count).map((record, index) => ({ position: index + 1, ...record }));
    const { results } = await worker.env.DB.prepare("SELECT * FROM records ORDER BY position").all();
    expect(results).toEqual(rows);
  }
});
