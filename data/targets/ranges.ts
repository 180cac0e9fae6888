import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import type { Continued, State } from "../../src/store/store.ts";

/** Positions, both ends included. */
export interface Range {
  first: number;
  last: number;
}

/** Blocks that KV gives at once. Some 13 MB, which wrangler and this process hold in memory. */
const RANGE_BLOCKS = 100;

/** The ranges in which all records of a state are read, oldest first; none cuts a block of KV. */
export function rangesOf({ count }: State): Range[] {
  const size = RANGE_BLOCKS * BLOCK_SIZE;
  return Array.from({ length: Math.ceil(count / size) }, (_, index) => ({
    first: index * size + 1,
    last: Math.min((index + 1) * size, count),
  }));
}

/**
 * The ranges in which all records of a timestamp and of later ones are read, oldest first. The statistics tell where
 * its day begins, so the first one holds some that are older.
 */
export function rangesSince({ state, statistics }: Continued, timestamp: string): Range[] {
  const day = timestamp.slice(0, 10);
  const older = statistics.days.reduce((sum, [name, records]) => (name < day ? sum + records : sum), 0);
  return rangesOf(state).filter(({ last }) => last > older);
}
