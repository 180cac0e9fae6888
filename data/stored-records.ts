import type { TrafficRecord } from "../src/records/record.ts";
import type { Statistics } from "../src/records/statistics.ts";
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

/** Blocks that are read at once, about 1 MB. */
const BLOCKS_AT_ONCE = 24;

interface ReadingOptions {
  /** Newest records first, instead of oldest first. */
  newestFirst?: boolean;
  /** Leaves out the whole parts before this position. */
  from?: number;
}

/**
 * Reads the records of a state.
 * @throws Error if the collection was replaced meanwhile, or if the store fails
 */
export async function* readRecords(
  store: Store,
  state: State,
  options?: ReadingOptions,
): AsyncGenerator<TrafficRecord> {
  for await (const records of readParts(store, state, options)) yield* records;
}

/** Does what `readRecords` does, some blocks at a time. */
export async function* readParts(
  store: Store,
  state: State,
  { newestFirst = false, from = 1 }: ReadingOptions = {},
): AsyncGenerator<TrafficRecord[]> {
  const inBlocks = countInBlocks(state.count);
  const size = BLOCKS_AT_ONCE * BLOCK_SIZE;
  const parts = Array.from({ length: Math.ceil(inBlocks / size) }, (_, index) => ({
    first: index * size + 1,
    last: Math.min((index + 1) * size, inBlocks),
  }));
  parts.push({ first: inBlocks + 1, last: state.count });
  for (const range of newestFirst ? parts.reverse() : parts) {
    if (range.last < from) continue;
    const records = await readPart(store, state, range);
    yield newestFirst ? records.reverse() : records;
  }
}

async function readPart(store: Store, state: State, range: Range): Promise<TrafficRecord[]> {
  if (range.first > countInBlocks(state.count)) return decodeLines(openTail(state.tail, state.count));
  return (await readBlocks(store, state, range)).flatMap((block) => decodeLines(openBlock(block)));
}

/** The position of the first record of the day of a timestamp. */
export function startOfDay({ days }: Statistics, timestamp: string): number {
  const day = timestamp.slice(0, 10);
  return 1 + days.reduce((sum, [name, records]) => (name < day ? sum + records : sum), 0);
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
