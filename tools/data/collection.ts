import { createHash } from "node:crypto";
import type { Block } from "../../src/store/block.ts";
import { encodeStatistics, type RecordStatistics } from "../../src/store/stored-statistics.ts";
import { joinSources } from "./sources.ts";

/** Records to load, ordered and encoded. */
export interface Collection {
  count: number;
  source: string;
  /** Yields the blocks: the records, newest first, and then the pieces of the statistics. */
  blocks(): Iterable<Block>;
}

const MAX_SOURCES = 20;

/**
 * Combines encoded records with their statistics and sources.
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

/** Hashes blocks: the same content has the same hash. */
export function hashContent(salt: string, blocks: Iterable<Block>): string {
  const digest = createHash("sha256").update(salt);
  for (const { text } of blocks) digest.update(text);
  return digest.digest("hex").slice(0, 20);
}
