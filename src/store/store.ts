import type { Block } from "./block.ts";
import type { Snapshot } from "./snapshot.ts";

/** The number of a block, or the last block of the current snapshot. */
export type BlockSelector = number | "last";

/** The current snapshot, with the selected block if the store could read both in one step and has the block. */
export interface CurrentSnapshot {
  snapshot: Snapshot;
  block?: Block;
}

/** A store to read from. All methods throw if the store fails. */
export interface Store {
  /**
   * Reads which snapshot is current.
   * @param withBlock A block to read in the same step, if the store can do that
   * @throws DamagedStateError
   */
  readCurrent(withBlock?: BlockSelector): Promise<CurrentSnapshot>;
  /**
   * Reads blocks of a snapshot by their numbers. The blocks 0, -1, ... are the pieces of the statistics.
   * @returns null for a missing block: the snapshot was replaced, or the store is damaged
   */
  readBlocks(id: string, numbers: number[]): Promise<(string | null)[]>;
}

/** Thrown if a block of a snapshot is missing. */
export class MissingBlockError extends Error {}

/** @throws MissingBlockError */
export async function requireBlocks(store: Store, id: string, numbers: number[]): Promise<string[]> {
  const texts = await store.readBlocks(id, numbers);
  return texts.map((text, index) => {
    if (text === null) throw new MissingBlockError(`Block ${numbers[index]} of load ${id} is missing`);
    return text;
  });
}
