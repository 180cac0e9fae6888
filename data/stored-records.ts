import type { TrafficRecord } from "../src/records/record.ts";
import type { Statistics } from "../src/records/statistics.ts";
import { BLOCK_SIZE, type Block, decodeRecord, readLines } from "../src/store/blocks.ts";
import type { State, Store } from "../src/store/store.ts";

/** Blocks that are read at once, about 1 MB. */
export const BLOCKS_AT_ONCE = 24;

interface ReadingOptions {
  /** Newest records first, instead of oldest first. */
  newestFirst?: boolean;
  /** Leaves out the whole parts before this position. */
  from?: number;
}

/**
 * Reads the records of a state, some blocks at a time.
 * @throws Error if the collection was replaced meanwhile, or if the store fails
 */
export async function* readRecords(
  store: Store,
  state: State,
  { newestFirst = false, from = 1 }: ReadingOptions = {},
): AsyncGenerator<TrafficRecord> {
  const size = BLOCKS_AT_ONCE * BLOCK_SIZE;
  const parts = Array.from({ length: Math.ceil(state.count / size) }, (_, index) => index * size + 1);
  for (const first of newestFirst ? parts.reverse() : parts) {
    const last = Math.min(first + size - 1, state.count);
    if (last < from) continue;
    const blocks = await readBlocks(store, state, { first, last });
    // An append that happens meanwhile makes the last block longer.
    const lines = blocks.flatMap((block) => readLines(block, state.count)).slice(0, last - first + 1);
    if (newestFirst) lines.reverse();
    yield* lines.map(decodeRecord);
  }
}

/** The position of the first record of the day of a timestamp. */
export function startOfDay({ days }: Statistics, timestamp: string): number {
  const day = timestamp.slice(0, 10);
  return 1 + days.reduce((sum, [name, records]) => (name < day ? sum + records : sum), 0);
}

async function readBlocks(
  store: Store,
  state: State,
  range: { first: number; last: number },
): Promise<Block[]> {
  try {
    return await store.readBlocks(state, range);
  } catch (cause) {
    await requireUnchanged(store, state, cause);
    throw cause;
  }
}

/**
 * Finds out whether blocks are missing because the collection was replaced.
 * @throws Error if it was
 */
export async function requireUnchanged(store: Store, state: State, cause: unknown): Promise<void> {
  const { version } = await store.readState(true);
  if (version === state.version) return;
  throw new Error("The collection was replaced while it was read. Run the command again.", { cause });
}
