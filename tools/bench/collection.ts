import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applyMigrations, listMigrations, MIGRATIONS } from "../../data/stores/migrations.ts";
import { generateRecords, SEED } from "../../src/generator/records.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { encodeBlocks } from "../../src/store/blocks.ts";
import { bindDatabase, createD1Store } from "../../src/store/d1.ts";
import { bindNamespace, createKvStore } from "../../src/store/kv.ts";
import type { Store } from "../../src/store/store.ts";
import { load } from "../../src/store/writer.ts";
import { openProgress } from "../command-line/progress.ts";
import { startRuntime } from "./runtime.ts";

/** Records in several blocks, whose digest shows whether the layout has changed. */
const SAMPLE = 2_000;

/**
 * Fills the stores of a folder with generated records, unless an earlier run did.
 * @param count records, 1 or more
 * @param bundle a folder with the bundled worker
 * @param folder of these stores only; anything else in it is removed
 */
export async function prepareCollection(count: number, bundle: string, folder: string): Promise<void> {
  const complete = join(folder, "complete");
  const content = `${count} ${await digestLayout()}\n`;
  if ((await readFile(complete, "utf8").catch(() => "")) === content) return;
  await rm(folder, { recursive: true, force: true });
  const runtime = await startRuntime(bundle, folder);
  try {
    const { DB, KV } = await runtime.bindings();
    const database = bindDatabase(DB);
    await applyMigrations(database);
    await loadInto(createD1Store(database), "D1", count);
    await loadInto(createKvStore(bindNamespace(KV)), "KV", count);
  } finally {
    await runtime.close();
  }
  // Written last: after an interruption the folder does not count as complete.
  await writeFile(complete, content);
}

/** Changes if the layout of the stores or the generated records change. */
async function digestLayout(): Promise<string> {
  const digest = createHash("sha256");
  for (const name of await listMigrations()) digest.update(await readFile(join(MIGRATIONS, name)));
  for (const { text } of encodeBlocks(firstRecords(SAMPLE))) digest.update(text);
  return digest.digest("hex");
}

async function loadInto(store: Store, name: string, count: number): Promise<void> {
  const progress = openProgress(`writing to ${name}`, count);
  await load(store, firstRecords(count), { onProgress: progress.update });
  progress.close();
}

/** The first records that the generator makes, in the order of a load: oldest first. */
function* firstRecords(count: number): Generator<TrafficRecord> {
  // Within a timestamp the generator orders by camera_ref ascending, and a load needs the reverse.
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
