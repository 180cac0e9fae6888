import type { Statistics } from "../src/records/statistics.ts";
import type { Block } from "../src/store/block.ts";
import { encodeStatistics } from "../src/store/pieces.ts";

/** Records to load, ordered and encoded. */
export interface Collection {
  count: number;
  /** The blocks, newest first. */
  blocks(): Iterable<Block>;
  /** The statistics of the records, without their sources. It is called after the last block. */
  statistics(): Statistics;
}

/** The most sources that the statistics name. */
const MOST_SOURCES = 20;

/**
 * All blocks of a load: those of the records, and then the pieces of the statistics.
 * @param sources where the records come from
 */
export function* listBlocks({ blocks, statistics }: Collection, sources: string[]): Generator<Block> {
  yield* blocks();
  const named = { sources: sources.slice(0, MOST_SOURCES), source_count: sources.length };
  yield* encodeStatistics({ ...statistics(), ...named });
}

/** The longest `source` of a state. */
const SOURCE_LENGTH = 100;

/** The `source` of a state: one line of printable ASCII characters, so that it can be a header. */
export function joinSources(sources: string[]): string {
  const text = sources.join(", ").replaceAll(/[^ -~]/gu, "?");
  return text.length > SOURCE_LENGTH ? `${text.slice(0, SOURCE_LENGTH - 3)}...` : text;
}
