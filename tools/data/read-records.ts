import type { PositionRange } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { BLOCK_SIZE, decodeRange, getBlockNumbers, parseBlock } from "../../src/store/block.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { requireBlocks, type Store } from "../../src/store/store.ts";

/** The number of records per read: as many blocks as a deployed KV returns, 1 to 10 MB, because wrangler starts for each read. */
const PART_SIZE = 100 * BLOCK_SIZE;

/**
 * Reads the records of a snapshot, newest first.
 * @throws Error if the collection was replaced in the meantime, if a block is missing or damaged, or if the store fails
 */
export async function* readRecords(store: Store, snapshot: Snapshot): AsyncGenerator<TrafficRecord> {
  for (let first = 1; first <= snapshot.count; first += PART_SIZE) {
    const last = Math.min(snapshot.count, first + PART_SIZE - 1);
    yield* await readRange(store, snapshot, { first, last });
  }
}

async function readRange(store: Store, snapshot: Snapshot, range: PositionRange): Promise<TrafficRecord[]> {
  try {
    const blocks = await requireBlocks(store, snapshot, getBlockNumbers(range));
    const lines = blocks.map((block) => parseBlock(block, snapshot.count));
    return decodeRange(range, lines);
  } catch (error) {
    const current = await store.readCurrent();
    if (current.snapshot.id === snapshot.id) throw error;
    throw new Error("The collection was replaced while it was being read. Run the command again.");
  }
}
