import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { unstable_splitSqlQuery } from "wrangler";
import { generateRecords, SEED } from "../../src/generator/records.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_SIZE, STATE_KEY } from "../../src/store/blocks.ts";
import { loadStatements } from "../../src/store/d1-statements.ts";
import { writeBlocks } from "../../src/store/kv-pairs.ts";
import type { State } from "../../src/store/store.ts";
import { openProgress } from "../command-line/progress.ts";
import { PROJECT } from "../wrangler/wrangler.ts";
import { startRuntime } from "./runtime.ts";

/** Enough to fill several statements and blocks, so that their digest tells when the layout has changed. */
const SAMPLE = 2_000;

/** Blocks written at the same time. */
const BULK_SIZE = 8;

/**
 * Fills the stores of a folder with generated records, unless an earlier run did.
 * @param count records, 1 or more
 * @param bundle a folder with the bundled worker
 * @param folder for these stores alone: what is in it is removed if it is not just this collection
 */
export async function prepareCollection(count: number, bundle: string, folder: string): Promise<void> {
  const complete = join(folder, "complete");
  const content = `${count} ${digestLayout()}\n`;
  if ((await readFile(complete, "utf8").catch(() => "")) === content) return;
  await rm(folder, { recursive: true, force: true });
  const runtime = await startRuntime(bundle, folder);
  try {
    const { DB, KV } = await runtime.bindings();
    const state = { version: Date.now(), count };
    await migrate(DB);
    await loadIntoD1(DB, state);
    await loadIntoKv(KV, state);
  } finally {
    await runtime.close();
  }
  // Last of all: interrupted before, the folder is not taken for complete.
  await writeFile(complete, content);
}

/** Another layout of the stores, or other records, need another load. */
function digestLayout(): string {
  const digest = createHash("sha256");
  const state = { version: 0, count: SAMPLE };
  for (const sql of readMigrations()) digest.update(sql);
  for (const { sql } of loadStatements(firstRecords(SAMPLE), state)) digest.update(sql);
  for (const { key, value } of writeBlocks(firstRecords(SAMPLE), state)) digest.update(key + value);
  return digest.digest("hex");
}

async function migrate(database: D1Database): Promise<void> {
  for (const sql of readMigrations()) await database.prepare(sql).run();
}

/** The statements of all migrations. */
function readMigrations(): string[] {
  const files = globSync(join(PROJECT, "data/migrations/*.sql")).sort();
  return files.flatMap((file) => unstable_splitSqlQuery(readFileSync(file, "utf8")));
}

async function loadIntoD1(database: D1Database, state: State): Promise<void> {
  const progress = openProgress("writing to D1", state.count);
  for (const { sql, written } of loadStatements(firstRecords(state.count), state)) {
    await database.prepare(sql).run();
    progress.update(written);
  }
  progress.close();
}

async function loadIntoKv(namespace: KVNamespace, state: State): Promise<void> {
  const progress = openProgress("writing to KV", state.count);
  let writing: Promise<void>[] = [];
  let blocks = 0;
  for (const { key, value } of writeBlocks(firstRecords(state.count), state)) {
    writing.push(namespace.put(key, value));
    if (++blocks % BULK_SIZE !== 0) continue;
    await Promise.all(writing);
    writing = [];
    progress.update(blocks * BLOCK_SIZE);
  }
  await Promise.all(writing);
  await namespace.put(STATE_KEY, JSON.stringify(state));
  progress.close();
}

/** The first records that are ever generated, in the order in which a load takes them: oldest first. */
function* firstRecords(count: number): Generator<TrafficRecord> {
  // Within a timestamp the generator's order is by camera_ref ascending and a load's is the reverse.
  let moment: TrafficRecord[] = [];
  let taken = 0;
  for (const record of generateRecords({
    seed: SEED,
    from: new Date("2019-01-01Z"),
    to: new Date("9999-01-01Z"),
  })) {
    if (record.timestamp !== moment[0]?.timestamp) {
      yield* moment.reverse();
      moment = [];
    }
    moment.push(record);
    if (++taken === count) break;
  }
  yield* moment.reverse();
}
