import type { Block } from "./block.ts";
import type { MaybeSnapshot, Snapshot } from "./snapshot.ts";

/** What a store answers when it is asked for the current snapshot. */
export interface CurrentSnapshot {
  snapshot: MaybeSnapshot;
  /** The wanted block, if the store could read it in the same step and has it. */
  block?: Block;
}

/** The number of a block, or the last block of the current snapshot. */
export type WantedBlock = number | "last";

/** A store to read from. All methods throw if the store fails. */
export interface Store {
  /**
   * Reads which snapshot is current.
   * @param options `wanted` The block that the caller needs next. Read in the same step, no load can come between
   * @throws DamagedSnapshotError
   */
  readCurrent(options?: { wanted?: WantedBlock | undefined }): Promise<CurrentSnapshot>;
  /**
   * Reads blocks of a snapshot by their numbers. The blocks 0, -1, ... are the pieces of the statistics.
   * @returns null for a missing block: the snapshot was replaced, or the store is damaged
   */
  readBlocks(id: string, numbers: number[]): Promise<(string | null)[]>;
}

/** Thrown if a block of a snapshot is missing. */
export class MissingBlockError extends Error {}

/** @throws MissingBlockError */
export async function requireBlocks(store: Store, { id }: Snapshot, numbers: number[]): Promise<string[]> {
  const texts = await store.readBlocks(id, numbers);
  return texts.map((text, index) => {
    if (text === null) throw new MissingBlockError(`Block ${numbers[index]} of snapshot ${id} is missing`);
    return text;
  });
}
