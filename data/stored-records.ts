import type { TrafficRecord } from "../src/records/record.ts";
import {
  BLOCK_SIZE,
  type Block,
  countInBlocks,
  decodeLines,
  openBlock,
  openTail,
  type Range,
} from "../src/store/blocks.ts";
import type { State, Store } from "../src/store/store.ts";

/** Records that are read at once, about 1 MB. */
const PART_SIZE = 24 * BLOCK_SIZE;

/**
 * Reads the records of a state, newest first.
 * @throws Error if the collection was replaced meanwhile, if a block is damaged, or if the store fails
 */
export async function* readRecords(store: Store, state: State): AsyncGenerator<TrafficRecord> {
  const inBlocks = countInBlocks(state.count);
  yield* decodeLines(openTail(state.tail, state.count)).reverse();
  for (let last = inBlocks; last > 0; last -= PART_SIZE) {
    const blocks = await readBlocks(store, state, { first: Math.max(1, last - PART_SIZE + 1), last });
    for (const block of blocks.reverse()) yield* decodeLines(openBlock(block)).reverse();
  }
}

async function readBlocks(store: Store, state: State, range: Range): Promise<Block[]> {
  try {
    return await store.readBlocks(state, range);
  } catch (cause) {
    const { load } = await store.readState({ newest: true });
    if (load === state.load) throw cause;
    throw new Error("The collection was replaced while it was read. Run the command again.", { cause });
  }
}
