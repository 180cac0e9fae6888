import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { TrafficRecord } from "../src/records/record.ts";
import {
  BLOCK_SIZE,
  type Block,
  decodeRange,
  getBlockNumbers,
  parseBlock,
  requireBlocks,
} from "../src/store/block.ts";
import type { State, Store } from "../src/store/state.ts";
import { encodeStatistics, type Statistics } from "../src/store/stored-statistics.ts";
import { listInputFiles } from "./formats/input-file.ts";

/** Records to load, ordered and encoded. */
export interface Collection {
  count: number;
  /** Where the records come from, for the state. */
  source: string;
  /** All blocks of a load: those of the records, newest first, and then the pieces of the statistics. */
  blocks(): Iterable<Block>;
}

/** The package has a folder of this name beside its code, too. */
const SEED = join(import.meta.dirname, "seed");

/** Where the records of the seed come from. */
const SEED_SOURCE = "generated";

/** Lists the files of the seed. */
export function listSeedFiles(): string[] {
  if (!existsSync(SEED)) throw new Error(`${SEED} is missing. A bundler must keep this package external.`);
  return listInputFiles(SEED);
}

/**
 * Says where the records of files come from. Only all files of the seed are the seed.
 * @param files paths; `-` is standard input
 * @param stated what a person says instead of the names of the files
 */
export function getSourceNames(files: string[], stated: string | undefined): string[] {
  const seed = listSeedFiles();
  const isWhole = seed.every((path) => files.some((file) => resolve(file) === path));
  const formatSource = (file: string) => {
    if (file === "-") return "standard input";
    return isWhole && seed.includes(resolve(file)) ? SEED_SOURCE : basename(file);
  };
  const names = stated === undefined ? files.map(formatSource) : [stated];
  // Another file of this name, or a person who states it, does not name the seed.
  return [...new Set(names)].map((name) => (name === SEED_SOURCE && !isWhole ? `"${name}"` : name));
}

/** The most sources that the statistics name. */
const MAX_SOURCES = 20;

/**
 * Adds the statistics, which name the sources, to records that are encoded already.
 * @param listRecords lists the blocks of the records, newest first
 */
export function encodeCollection(
  count: number,
  listRecords: () => Iterable<Block>,
  statistics: Statistics,
  sources: string[],
): Collection {
  const named = { ...statistics, sources: sources.slice(0, MAX_SOURCES), source_count: sources.length };
  return {
    count,
    source: joinSources(sources),
    *blocks() {
      yield* listRecords();
      yield* encodeStatistics(named);
    },
  };
}

/**
 * A name for a load that follows from its content, so the same content has the same name.
 * @param salt what else the name must follow from
 */
export function hashContent(salt: string, blocks: Iterable<Block>): string {
  const digest = createHash("sha256").update(salt);
  for (const { text } of blocks) digest.update(text);
  return digest.digest("hex").slice(0, 20);
}

/** The longest `source` of a state. */
const MAX_SOURCE_LENGTH = 100;

/** The `source` of a state: one line of printable ASCII characters, so that it can be a header. */
function joinSources(sources: string[]): string {
  const text = sources.join(", ").replaceAll(/[^ -~]/gu, "?");
  return text.length > MAX_SOURCE_LENGTH ? `${text.slice(0, MAX_SOURCE_LENGTH - 3)}...` : text;
}

/** Records that are read at once, about 1 MB. A deployed KV returns at most 100 blocks at once. */
const PART_SIZE = 24 * BLOCK_SIZE;

/**
 * Reads the records of a state, newest first.
 * @throws Error if the collection was replaced meanwhile, if a block is missing or damaged, or if the store fails
 */
export async function* readRecords(store: Store, state: State): AsyncGenerator<TrafficRecord> {
  for (let first = 1; first <= state.count; first += PART_SIZE)
    yield* await readPart(store, state, first, Math.min(state.count, first + PART_SIZE - 1));
}

async function readPart(store: Store, state: State, first: number, last: number): Promise<TrafficRecord[]> {
  const numbers = getBlockNumbers({ first, last });
  try {
    const texts = await requireBlocks(store, state.load, numbers);
    const blocks = numbers.map((number, index) => parseBlock(state.count, number, texts[index] ?? ""));
    return decodeRange({ first, last }, blocks);
  } catch (error) {
    const current = await store.readState({ fromPrimary: true });
    if (current.state.load === state.load) throw error;
    throw new Error("The collection was replaced while it was read. Run the command again.");
  }
}
