import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { getSeedBlockPath, SEED_CSV_PATH, SEED_PATH, SEED_SNAPSHOT_PATH } from "../../src/store/seed.ts";
import { FORMAT } from "../../src/store/snapshot.ts";
import { print } from "../command-line/print.ts";
import { PROJECT } from "../paths.ts";
import { CSV_HEADER, formatCsvLine } from "./formats/csv.ts";
import { listInputFiles } from "./formats/input-file.ts";
import { decodeContent, hashContent, type SnapshotContent } from "./snapshot-content.ts";
import { describeCounts, stageFiles } from "./staging/staging.ts";
import type { StoreChoice } from "./stores/configuration.ts";
import { withLock, withStore } from "./stores/open-store.ts";
import { replaceCollection } from "./stores/writer.ts";

export function listSampleFiles(): string[] {
  return listInputFiles(join(PROJECT, "data/seed")).files;
}

/**
 * Writes the sample data as static assets, which the worker serves with `STORE = "seed"`.
 * @returns A hash of its records
 * @throws InputError if a line of the sample data is invalid. The previous assets then stay
 */
export async function writeSampleAssets(assets: string): Promise<string> {
  const staged = await stageFiles(listSampleFiles());
  try {
    replaceAssets(assets, staged);
    return staged.recordsHash;
  } finally {
    staged.close();
  }
}

/** Replaces the static assets of the store `seed`, unless they have the same content. */
export function replaceAssets(assets: string, content: SnapshotContent): void {
  const { count, source, blocks } = content;
  const csv = CSV_HEADER + decodeContent(content).map(formatCsvLine).join("");
  const id = hashContent(csv, blocks());
  const folder = join(assets, SEED_PATH);
  const file = join(assets, SEED_SNAPSHOT_PATH);
  const snapshot = JSON.stringify({ format: FORMAT, id, count, loaded_at: null, source });
  if (existsSync(file) && readFileSync(file, "utf8") === snapshot) return;
  mkdirSync(join(folder, id), { recursive: true });
  for (const { number, text } of blocks()) writeFileSync(join(assets, getSeedBlockPath(id, number)), text);
  writeFileSync(join(assets, SEED_CSV_PATH), gzipSync(csv, { level: 9 }));
  // Last, because a server may be running. When it then misses a block of the previous snapshot, it reads the current snapshot again.
  writeFileSync(file, snapshot);
  for (const name of readdirSync(folder))
    if (name !== id && name !== basename(SEED_SNAPSHOT_PATH)) rmSync(join(folder, name), { recursive: true });
}

/**
 * Brings the tables of a store up to date, and loads the sample data if nothing was ever loaded.
 * @throws InputError if a line of the sample data is invalid
 * @throws Error if the store cannot be read or written, or if something else was loaded in the meantime
 */
export async function loadSampleData(choice: StoreChoice): Promise<void> {
  await withStore(choice, "write", async ({ name, location, store }) => {
    const isEmpty = async () => (await store.readCurrent()).snapshot.id === null;
    if (!(await isEmpty())) return;
    print(`Nothing is loaded in the ${name} store (${location}). Loading the sample data.`);
    const staged = await stageFiles(listSampleFiles());
    const write = async () => {
      // The process that held the lock may have loaded records.
      if (!(await isEmpty())) return;
      await replaceCollection(store, staged, { onlyIfEmpty: true });
      print(`Loaded ${describeCounts(staged)}.`);
    };
    // A second `npm start` may be loading it, too.
    await withLock(choice, write, { waitMs: 60_000 }).finally(staged.close);
  });
}
