import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { BLOCK_SIZE, type Block, decodeRange, getBlockNumbers, parseBlock } from "../../src/store/block.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { requireBlocks, type Store } from "../../src/store/store.ts";
import { encodeStatistics, type RecordStatistics } from "../../src/store/stored-statistics.ts";
import { listInputFiles } from "./formats/input-file.ts";

/** Records to load, ordered and encoded. */
export interface Collection {
  count: number;
  /** The source of the records, for the snapshot. */
  source: string;
  /** Yields the blocks: the records, newest first, and then the pieces of the statistics. */
  blocks(): Iterable<Block>;
}

/** The folder of the sample data: in the package, and in this repository. */
const SEED_FOLDERS = ["seed", "../../data/seed"].map((path) => join(import.meta.dirname, path));

/** Lists the files of the sample data. */
export function listSeedFiles(): string[] {
  const folder = SEED_FOLDERS.find(existsSync);
  if (folder === undefined)
    throw new Error(`${SEED_FOLDERS[0]} is missing. A bundler must keep this package external.`);
  return listInputFiles(folder).files;
}

/** The source of the records that the commands in data/seed/README.md generate. */
const GENERATED = "generated";

/** The hash of these records. After you have generated others, a test shows theirs. */
export const GENERATED_HASH = "b918409b47108bccebb1";

/**
 * Lists the sources of a load: the names of its files. The records show whether they are generated, because anybody can change the files
 * of the sample data.
 * @param files Paths; `-` is standard input
 * @param source Replaces the names of the files
 * @param hash The hash of the records
 */
export function getSourceNames(files: string[], source: string | undefined, hash: string): string[] {
  if (source === undefined && hash === GENERATED_HASH) return [GENERATED];
  const getName = (file: string) => (file === "-" ? "standard input" : basename(file));
  const names = source === undefined ? files.map(getName) : [source];
  return [...new Set(names)].map((name) => (name === GENERATED ? `"${name}"` : name));
}

/** The maximum number of sources in the statistics. */
const MAX_SOURCES = 20;

/**
 * Combines encoded records with their statistics and sources.
 * @param listBlocks Lists the blocks of the records, newest first
 * @param getSources Returns the sources of the records with a hash
 */
export function encodeCollection(
  count: number,
  listBlocks: () => Iterable<Block>,
  statistics: RecordStatistics,
  getSources: (hash: string) => string[],
): Collection {
  const records_hash = hashContent("", listBlocks());
  const sources = getSources(records_hash);
  const complete = {
    ...statistics,
    records_hash,
    sources: sources.slice(0, MAX_SOURCES),
    source_count: sources.length,
  };
  return {
    count,
    source: joinSources(sources),
    *blocks() {
      yield* listBlocks();
      yield* encodeStatistics(complete);
    },
  };
}

/**
 * Hashes blocks: the same content has the same hash.
 * @param salt A string that is hashed in front of the content
 */
export function hashContent(salt: string, blocks: Iterable<Block>): string {
  const digest = createHash("sha256").update(salt);
  for (const { text } of blocks) digest.update(text);
  return digest.digest("hex").slice(0, 20);
}

/** The maximum length of `source` in a snapshot. */
const MAX_SOURCE_LENGTH = 100;

/** Formats the `source` of a snapshot: one line of printable ASCII characters, so that it can be a header. */
function joinSources(sources: string[]): string {
  const text = sources.join(", ").replaceAll(/[^ -~]/gu, "?");
  return text.length > MAX_SOURCE_LENGTH ? `${text.slice(0, MAX_SOURCE_LENGTH - 3)}...` : text;
}

/** The number of records per read, about 300 KB. A deployed KV returns at most 100 blocks per read. */
const PART_SIZE = 24 * BLOCK_SIZE;

/**
 * Reads the records of a snapshot, newest first.
 * @throws Error if the collection was replaced in the meantime, if a block is missing or damaged, or if the store fails
 */
export async function* readRecords(store: Store, snapshot: Snapshot): AsyncGenerator<TrafficRecord> {
  for (let first = 1; first <= snapshot.count; first += PART_SIZE)
    yield* await readPart(store, snapshot, first, Math.min(snapshot.count, first + PART_SIZE - 1));
}

async function readPart(
  store: Store,
  snapshot: Snapshot,
  first: number,
  last: number,
): Promise<TrafficRecord[]> {
  const numbers = getBlockNumbers({ first, last });
  try {
    const texts = await requireBlocks(store, snapshot, numbers);
    const blocks = numbers.map((number, index) => parseBlock(snapshot.count, number, texts[index] ?? ""));
    return decodeRange({ first, last }, blocks);
  } catch (error) {
    const current = await store.readCurrent();
    if (current.snapshot.id === snapshot.id) throw error;
    throw new Error("The collection was replaced while it was being read. Run the command again.");
  }
}
