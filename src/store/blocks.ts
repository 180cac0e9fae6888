import type { State } from "./store.ts";

/**
 * Records in a block. Large enough that a free account's 1,000 writes a day hold 600,000 records, small enough
 * that reading one (about 130 KB) takes hardly longer than reading a page alone.
 */
export const BLOCK_SIZE = 600;

/** The key that names the current state. */
export const STATE_KEY = "state";

/** What every block's key begins with. */
export const BLOCK_PREFIX = "records/";

/** What every key of statistics begins with. */
export const STATISTICS_PREFIX = "statistics/";

/**
 * How long after a load readers may still need what it replaced: instances ask again after 5 s, and KV may show the
 * old state for 30 s more. The rest is for clocks that differ.
 */
export const GRACE_MS = 120_000;

/** The key of the statistics of a state (src/records/statistics.ts). */
export function statisticsKey({ version, count }: State): string {
  return `${STATISTICS_PREFIX}${version}/${count}`;
}

/** A range of positions that is kept under one key, both ends included. */
export interface Block {
  key: string;
  first: number;
  last: number;
}

/**
 * The blocks of a state that hold a range of positions, newest first.
 * A key contains the version and the positions, so that it is never used again for other content: KV goes on
 * showing the old value of a key for a while, and a block that an append makes longer is a new key.
 * @param first 1 or more
 * @param last at most `state.count`
 */
export function blocksOf({ version, count }: State, first: number, last: number): Block[] {
  const blocks: Block[] = [];
  for (let index = indexOf(last); index >= indexOf(first); index--) {
    const block = { first: index * BLOCK_SIZE + 1, last: Math.min((index + 1) * BLOCK_SIZE, count) };
    blocks.push({ ...block, key: `${BLOCK_PREFIX}${version}/${block.first}-${block.last}` });
  }
  return blocks;
}

function indexOf(position: number): number {
  return Math.floor((position - 1) / BLOCK_SIZE);
}
