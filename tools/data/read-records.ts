import type { TrafficRecord } from "../../src/records/schema.ts";
import {
  BLOCK_SIZE,
  decodeRange,
  getBlockNumber,
  getBlockNumbers,
  parseBlock,
} from "../../src/store/block.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { requireBlocks, type Store } from "../../src/store/store.ts";
import type { SnapshotContent } from "./snapshot-content.ts";

/** The number of records per read, about 300 KB. A deployed KV returns at most 100 blocks per read. */
const PART_SIZE = 24 * BLOCK_SIZE;

/**
 * Reads the records of a snapshot, newest first.
 * @throws Error if the collection was replaced in the meantime, if a block is missing or damaged, or if the store fails
 */
export async function* readRecords(store: Store, snapshot: Snapshot): AsyncGenerator<TrafficRecord> {
  for (let first = 1; first <= snapshot.count; first += PART_SIZE)
    yield* await readPart(store, snapshot, first, Math.min(snapshot.count, first + PART_SIZE - 1));
}

/** Reads the records of a snapshot that is in no store yet, newest first. */
export function readContent({ count, source, blocks }: SnapshotContent): AsyncGenerator<TrafficRecord> {
  const snapshot: Snapshot = { id: "temporary", count, loaded_at: null, source };
  return readRecords(createMemoryStore(snapshot, blocks()), snapshot);
}

async function readPart(
  store: Store,
  snapshot: Snapshot,
  first: number,
  last: number,
): Promise<TrafficRecord[]> {
  try {
    const texts = await requireBlocks(store, snapshot, getBlockNumbers({ first, last }));
    const firstNumber = getBlockNumber(first);
    const blocks = texts.map((text, index) =>
      parseBlock({ number: firstNumber + index, text }, snapshot.count),
    );
    return decodeRange({ first, last }, blocks);
  } catch (error) {
    const current = await store.readCurrent();
    if (current.snapshot.id === snapshot.id) throw error;
    throw new Error("The collection was replaced while it was being read. Run the command again.");
  }
}
