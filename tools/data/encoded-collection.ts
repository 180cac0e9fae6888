import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_SIZE, type Block, decodeRange, getBlockNumbers, parseBlock } from "../../src/store/block.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { requireBlocks, type Store } from "../../src/store/store.ts";
import { encodeStatistics, type Statistics } from "../../src/store/stored-statistics.ts";
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

/** The source of the sample data. */
const SEED_SOURCE = "generated";

/** Lists the files of the sample data. */
export function listSeedFiles(): string[] {
  const folder = SEED_FOLDERS.find(existsSync);
  if (folder === undefined)
    throw new Error(`${SEED_FOLDERS[0]} is missing. A bundler must keep this package external.`);
  return listInputFiles(folder).files;
}

/**
 * Lists the sources of a load: the names of its files. If the load contains all files of the sample data, their source is `generated`.
 * @param files Paths; `-` is standard input
 * @param source Replaces the names of the files
 */
export function getSourceNames(files: string[], source: string | undefined): string[] {
  const seed = listSeedFiles();
  const isWhole = seed.every((path) => files.some((file) => resolve(file) === path));
  const formatSource = (file: string) => {
    if (file === "-") return "standard input";
    return isWhole && seed.includes(resolve(file)) ? SEED_SOURCE : basename(file);
  };
  const names = source === undefined ? files.map(formatSource) : [source];
  // `generated` is quoted if it is the name of a file or the value of --source, and not the sample data.
  return [...new Set(names)].map((name) => (name === SEED_SOURCE && !isWhole ? `"${name}"` : name));
}

/** The maximum number of sources in the statistics. */
const MAX_SOURCES = 20;

/**
 * Combines encoded records with their statistics and sources.
 * @param listBlocks Lists the blocks of the records, newest first
 */
export function encodeCollection(
  count: number,
  listBlocks: () => Iterable<Block>,
  statistics: Statistics,
  sources: string[],
): Collection {
  const complete = { ...statistics, sources: sources.slice(0, MAX_SOURCES), source_count: sources.length };
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
 * Derives the id of a snapshot from its content: the same content has the same id.
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
