import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { BLOCK_SIZE, type Block, decodeRange, openBlock } from "../src/store/block.ts";
import { SEED_PATH, SEED_STATE_FILE, seedFile } from "../src/store/seed.ts";
import type { State } from "../src/store/state.ts";
import { CSV_HEADER, csvLine } from "./formats/csv.ts";
import { type Collection, joinSources, listBlocks, listSeedFiles, SEED_SOURCE } from "./load-content.ts";
import { stage } from "./staging.ts";

/** The code that decides what is written. */
const LAYOUT = ["seed-assets.ts", "statistics.ts", "formats/csv.ts", "../src/store/block.ts"];

/** All records of the seed in one file, which clients can download instead of reading its pages. */
const SEED_CSV = "seed.csv.gz";

/**
 * Writes the seed as static assets, which the worker serves with `STORE = "seed"`. Nothing is written if they are there already.
 * @param assets the folder of the assets
 * @throws InputError if a line of the seed is wrong; the assets are then as before
 */
export async function writeSeedAssets(assets: string): Promise<void> {
  const digest = createHash("sha256");
  for (const file of [...LAYOUT, ...listSeedFiles()])
    digest.update(readFileSync(resolve(import.meta.dirname, file)));
  const load = digest.digest("hex").slice(0, 20);
  const stateFile = join(assets, SEED_STATE_FILE);
  if (existsSync(stateFile) && JSON.parse(readFileSync(stateFile, "utf8")).load === load) return;
  const staged = await stage(listSeedFiles(), { conclusion: "The seed was not built." });
  try {
    writeAssets(assets, load, staged, [SEED_SOURCE]);
  } finally {
    staged.close();
  }
}

/**
 * Writes a collection as static assets, in place of the one before.
 * @param assets the folder of the assets
 * @param load a name that was never used for other content
 */
export function writeAssets(assets: string, load: string, collection: Collection, sources: string[]): void {
  const folder = join(assets, SEED_PATH);
  const source = joinSources(sources);
  const state: State = { load, count: collection.count, loaded_at: null, sequence: 0, source };
  mkdirSync(join(folder, load), { recursive: true });
  const csv = [CSV_HEADER];
  for (const block of listBlocks(collection, sources)) {
    writeFileSync(join(assets, seedFile(load, block.number)), block.text);
    csv.push(...writeLines(block, state));
  }
  writeFileSync(join(assets, SEED_CSV), compress(csv.join("")));
  // The state comes last, because a server may be running. Then it finds no blocks of the load before, and reads the state again.
  writeFileSync(join(assets, SEED_STATE_FILE), JSON.stringify(state));
  for (const name of readdirSync(folder))
    if (name !== load && name !== basename(SEED_STATE_FILE)) rmSync(join(folder, name), { recursive: true });
}

/** The records of a block as lines of CSV; none for a piece of the statistics. */
function writeLines({ number, text }: Block, state: State): string[] {
  const first = BLOCK_SIZE * (number - 1) + 1;
  if (first < 1) return [];
  const blocks = new Map([[number, openBlock(state, number, text)]]);
  const last = Math.min(first + BLOCK_SIZE - 1, state.count);
  return decodeRange({ first, last }, blocks).map(csvLine);
}

/** Compresses a text to the same bytes on every system (RFC 1952, 2.3.1). */
function compress(text: string): Buffer {
  const bytes = gzipSync(text, { level: 9 });
  const [system, unknown] = [9, 255];
  bytes[system] = unknown;
  return bytes;
}
