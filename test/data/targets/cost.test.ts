import { afterAll, beforeAll, expect, test } from "vitest";
import { appendStatements, appendTogether, loadStatements } from "../../../src/store/d1-statements.ts";
import { makeRecords } from "../../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../../worker.ts";
import { statisticsOf } from "../statistics.ts";

// What docs/capacity.md says of the rows that D1 charges for.

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.close());

/** Executes statements and counts the rows that were written, those that were removed among them. */
async function countWritten(statements: Iterable<{ sql: string }>): Promise<number> {
  const { DB } = worker.env;
  const prepared = [...statements].flatMap(({ sql }) => sql.split(";\n")).map((sql) => DB.prepare(sql));
  const results = await DB.batch(prepared);
  return results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
}

/** The state and the statistics: what is written besides records. */
const FEW = 10;

const all = makeRecords(3_000);

test("a load writes a row for each record, and one for each that it replaces", async () => {
  await loadInto(worker.env, "d1", all.slice(0, 2_000));
  const written = await countWritten(loadStatements(all, { version: Date.now(), count: 3_000 }));
  expect(written).toBeGreaterThanOrEqual(5_000);
  expect(written).toBeLessThan(5_000 + FEW);
});

test.each([
  ["in one transaction a row", 1],
  ["in several transactions two rows", 2],
])("an append writes %s for each record", async (_, rows) => {
  const before = all.slice(0, 2_000);
  const added = all.slice(2_000);
  const loaded = { state: await loadInto(worker.env, "d1", before), statistics: statisticsOf(before) };
  const written = await countWritten(
    rows === 1 ? [appendTogether(added, loaded)] : appendStatements(added, loaded, 3_000, Date.now()),
  );
  expect(written).toBeGreaterThanOrEqual(rows * 1_000);
  expect(written).toBeLessThan(rows * 1_000 + FEW);
});
