import { appendFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  appendStatements,
  appendTogether,
  loadStatements,
  type Statement,
} from "../../src/store/d1-statements.ts";
import { openScratch } from "../../tools/scratch.ts";
import { type Deployment, PROJECT } from "../../tools/wrangler/wrangler.ts";
import { findIds, readLoaded, readRecords } from "./d1/contents.ts";
import { DATABASE, queryTables, runD1 } from "./d1/database.ts";
import type { Target } from "./target.ts";

/** Wrangler holds a whole file in memory, several times over, and executes it as one transaction: a load stays within 600 MB. */
const FILE_BYTES = 4_000_000;

/** Records that one file holds however long their texts are, 1 KB each at most: more need several transactions. */
const TOGETHER = 5_000;

/** The collection in a D1 database, with the tables of data/migrations. */
export const d1Target: Target = {
  async prepare(deployment) {
    const before = await readVersion(deployment);
    if (before !== undefined) return before;
    await migrate(deployment);
    const after = await readVersion(deployment);
    if (after === undefined) throw new Error("The database lacks migrations that were just applied.");
    return after;
  },

  read: readLoaded,

  async load(records, state, deployment, onProgress) {
    await migrate(deployment);
    await execute(loadStatements(records, state), deployment, onProgress);
  },

  async append(records, loaded, count, deployment, onProgress) {
    await migrate(deployment);
    const statements =
      count - loaded.state.count <= TOGETHER
        ? [appendTogether([...records], loaded)]
        : appendStatements(records, loaded, count, Date.now());
    await execute(statements, deployment, onProgress);
  },

  findIds,
  readRecords,
};

/** @throws if another load came in between, which the switch notices */
async function execute(
  statements: Iterable<Statement>,
  deployment: Deployment,
  onProgress: (written: number) => void,
): Promise<void> {
  const file = openScratch("load.sql");
  for (const written of writeFiles(file, statements)) {
    await runD1(["execute", DATABASE, "--yes", "--file", file], deployment).catch((cause) => {
      if (!String(cause).includes("NOT NULL constraint failed: state.count")) throw cause;
      throw new Error("Something else was loaded at the same time.", { cause });
    });
    onProgress(written);
  }
}

async function migrate(deployment: Deployment): Promise<void> {
  await runD1(["migrations", "apply", DATABASE], deployment);
}

/**
 * The version that is loaded; undefined unless the migrations here are all applied. A database may have more of them, from
 * later code. One query, since each run of wrangler takes a second.
 * @throws if the database does not answer: that it holds nothing must not be guessed, or what it holds is replaced
 */
async function readVersion(deployment: Deployment): Promise<number | undefined> {
  const query = "SELECT version, (SELECT json_group_array(name) FROM d1_migrations) AS applied FROM state";
  const [read] = (await queryTables([query], deployment)) ?? [];
  if (!read) return undefined;
  const [row] = read.results;
  if (!row) throw new Error("The table state of the database is empty, so what is loaded is unknown.");
  const applied = new Set<string>(JSON.parse(String(row.applied)));
  const names = (await readdir(join(PROJECT, "data/migrations"))).filter((name) => name.endsWith(".sql"));
  return names.every((name) => applied.has(name)) ? Number(row.version) : undefined;
}

/** Writes the statements into one file after the other, all under the same name, and yields when one is ready. */
function* writeFiles(file: string, statements: Iterable<Statement>): Generator<number> {
  let bytes = 0;
  let last = 0;
  for (const { sql, written } of statements) {
    appendFileSync(file, `${sql};\n`, { flag: bytes === 0 ? "w" : "a" });
    bytes += Buffer.byteLength(sql);
    last = written;
    if (bytes < FILE_BYTES) continue;
    yield written;
    bytes = 0;
  }
  if (bytes > 0) yield last;
}
