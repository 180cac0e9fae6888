import { appendFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TrafficRecord } from "../../src/records/record.ts";
import { COLUMNS } from "../../src/records/store/d1.ts";
import type { State } from "../../src/records/store/store.ts";
import { openScratch } from "./scratch.ts";
import type { Target } from "./target.ts";
import { type Deployment, deploymentOptions, PROJECT, runWrangler } from "./wrangler.ts";

/** D1 refuses a statement of more than 100 KB. */
const STATEMENT_BYTES = 90_000;

/** Wrangler holds a whole file in memory and executes it as one transaction. */
const FILE_BYTES = 6_000_000;

const DATABASE = "DB";

const INSERT = `INSERT INTO records (version, position, ${COLUMNS.join(", ")}) VALUES `;

/** The collection in a D1 database, with the tables of data/migrations. */
export const d1Target: Target = {
  async prepare(deployment) {
    const loaded = await readVersion(deployment);
    if (loaded !== undefined) return loaded;
    await migrate(deployment);
    return (await readVersion(deployment)) ?? 0;
  },

  async load(records, state, deployment, onProgress) {
    await migrate(deployment);
    const file = openScratch("load.sql");
    for (const written of writeFiles(file, loadStatements(records, state))) {
      await runD1(["execute", DATABASE, "--yes", "--file", file], deployment);
      onProgress(written);
    }
  },
};

async function migrate(deployment: Deployment): Promise<void> {
  await runD1(["migrations", "apply", DATABASE], deployment);
}

/** Undefined unless every migration is applied. One query, since each run of wrangler takes a second. */
async function readVersion(deployment: Deployment): Promise<number | undefined> {
  const query = "SELECT version, (SELECT count(*) FROM d1_migrations) AS migrations FROM state";
  const migrations = await readdir(join(PROJECT, "data/migrations"));
  try {
    const output = await runD1(["execute", DATABASE, "--json", "--command", query], deployment);
    const [{ results }] = JSON.parse(output);
    return results[0].migrations === migrations.length ? results[0].version : undefined;
  } catch {
    return undefined; // A new database has no tables. Whatever else is wrong, the migrations will say.
  }
}

function runD1(command: string[], deployment: Deployment): Promise<string> {
  return runWrangler(["d1", ...command, ...deploymentOptions(deployment)]);
}

/** One SQL statement of a load and the number of records that have been written after it. */
interface Statement {
  sql: string;
  written: number;
}

/**
 * The statements of a load, in order: sweep up what an interrupted one left, write, switch, remove the old version.
 * The switch fails (NOT NULL), and leaves the state as it was, unless every record of the new version is there.
 * @param records oldest first; as many as `state.count`
 */
export function* loadStatements(
  records: Iterable<TrafficRecord>,
  { version, count }: State,
): Generator<Statement> {
  yield { sql: "DELETE FROM records WHERE version <> (SELECT version FROM state)", written: 0 };
  yield* insertStatements(records, version);
  const whole = `SELECT CASE count(*) WHEN ${count} THEN ${count} END FROM records WHERE version = ${version}`;
  const loadedAt = toLiteral(new Date(version).toISOString());
  yield {
    sql: `INSERT OR REPLACE INTO state (only, version, count, loaded_at) VALUES (1, ${version}, (${whole}), ${loadedAt})`,
    written: count,
  };
  yield { sql: `DELETE FROM records WHERE version <> ${version}`, written: count };
}

function* insertStatements(records: Iterable<TrafficRecord>, version: number): Generator<Statement> {
  let rows: string[] = [];
  let bytes = 0;
  let position = 0;
  for (const record of records) {
    const row = toRow(record, version, position + 1);
    const size = Buffer.byteLength(row) + 1;
    if (bytes + size > STATEMENT_BYTES) {
      yield { sql: INSERT + rows, written: position };
      rows = [];
      bytes = 0;
    }
    rows.push(row);
    bytes += size;
    position += 1;
  }
  if (rows.length > 0) yield { sql: INSERT + rows, written: position };
}

function toRow(record: TrafficRecord, version: number, position: number): string {
  return `(${[version, position, ...COLUMNS.map((column) => toLiteral(record[column]))]})`;
}

function toLiteral(value: string | number | null): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/** Writes the statements into one file after the other, all under the same name, and yields when one is ready. */
function* writeFiles(file: string, statements: Iterable<Statement>): Generator<number> {
  let bytes = 0;
  let last = 0;
  for (const { sql, written } of statements) {
    appendFileSync(file, `${sql};\n`, { flag: bytes === 0 ? "w" : "a" });
    bytes += sql.length;
    last = written;
    if (bytes < FILE_BYTES) continue;
    yield written;
    bytes = 0;
  }
  if (bytes > 0) yield last;
}
