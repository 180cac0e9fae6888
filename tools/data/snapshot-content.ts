import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { type Block, decodeRange, parseBlock } from "../../src/store/block.ts";
import { encodeStatistics, type RecordStatistics } from "../../src/store/stored-statistics.ts";

/** What a load writes as a snapshot. */
export interface SnapshotContent {
  count: number;
  source: string;
  /** A hash of the records. */
  recordsHash: string;
  /** How much space the blocks need in a local store, at most. */
  bytes: number;
  /** Yields the blocks: those of the records, newest first, and then those of the statistics. */
  blocks(): Iterable<Block>;
}

const MAX_SOURCES = 20;

/** SQLite and file systems store a block in whole pages. Its key takes a part of another one. */
const PAGE_BYTES = 4_096;
const KEY_BYTES = 1_024;

/**
 * Combines encoded records with their statistics and sources.
 * @param getSources Returns the sources of records with this hash
 */
export function encodeContent(
  count: number,
  listBlocks: () => Iterable<Block>,
  statistics: RecordStatistics,
  getSources: (hash: string) => string[],
): SnapshotContent {
  let bytes = 0;
  function* measure(blocks: Iterable<Block>) {
    for (const block of blocks) {
      bytes += Math.ceil(Buffer.byteLength(block.text) / PAGE_BYTES) * PAGE_BYTES + KEY_BYTES;
      yield block;
    }
  }
  const recordsHash = hashContent("", measure(listBlocks()));
  const sources = getSources(recordsHash);
  const complete = {
    ...statistics,
    records_hash: recordsHash,
    sources: sources.slice(0, MAX_SOURCES),
    source_count: sources.length,
  };
  const statisticsBlocks = Array.from(measure(encodeStatistics(complete)));
  return {
    count,
    source: joinSources(sources),
    recordsHash,
    bytes,
    *blocks() {
      yield* listBlocks();
      yield* statisticsBlocks;
    },
  };
}

/** Decodes the records, newest first. */
export function decodeContent({ count, blocks }: SnapshotContent): TrafficRecord[] {
  const recordBlocks = Array.from(blocks()).filter(({ number }) => number > 0);
  const lines = recordBlocks.map((block) => parseBlock(block, count));
  return decodeRange({ first: 1, last: count }, lines);
}

/** Hashes blocks: the same content has the same hash. */
export function hashContent(salt: string, blocks: Iterable<Block>): string {
  const digest = createHash("sha256").update(salt);
  for (const { text } of blocks) digest.update(text);
  return digest.digest("hex").slice(0, 20);
}

/** The source of the records that the commands in data/seed/README.md generate. */
export const GENERATED = "generated";

/** The hash of these records. After you have generated others, a test shows theirs. */
export const GENERATED_HASH = "20aac8ea19826fd0bce1";

/**
 * Lists the sources of a load: the names of its files. The hash shows whether the records are generated: anybody can change the sample data.
 * @param files Paths; `-` is standard input
 * @param source Replaces the names of the files
 */
export function getSourceNames(files: string[], source: string | undefined, hash: string): string[] {
  if ([undefined, GENERATED].includes(source) && hash === GENERATED_HASH) return [GENERATED];
  const getName = (file: string) => (file === "-" ? "standard input" : basename(file));
  const names = source === undefined ? files.map(getName) : [source];
  return [...new Set(names)].map((name) => (name === GENERATED ? `"${name}"` : name));
}

const MAX_SOURCE_LENGTH = 100;

/** Formats the `source` of a snapshot: printable ASCII, so that it can be a header. `decodeURIComponent` returns the other characters. */
function joinSources(sources: string[]): string {
  const characters = Array.from(sources.join(", ").toWellFormed(), (character) =>
    /[ -$&-~]/.test(character) ? character : encodeURIComponent(character),
  );
  const text = characters.join("");
  if (text.length <= MAX_SOURCE_LENGTH) return text;
  const kept = characters.slice(0, MAX_SOURCE_LENGTH - 3);
  while (kept.join("").length > MAX_SOURCE_LENGTH - 3) kept.pop();
  return `${kept.join("")}...`;
}
