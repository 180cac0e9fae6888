import type { Block } from "./block.ts";
import type { MaybeSnapshot, Snapshot } from "./snapshot.ts";

/** What a read of the current snapshot returns. */
export interface CurrentSnapshot {
  snapshot: MaybeSnapshot;
  /** The wanted block, if the store has it and can read it in the same step. */
  block?: Block;
}

/** The number of a block, or the last block of the current snapshot. */
export type WantedBlock = number | "last";

/** A store to read from. All methods throw if the store fails. */
export interface Store {
  /**
   * Reads which snapshot is current.
   * @param options `wanted` The block that the caller needs next. A store that reads it in the same step saves a read, and no load can
   *   come between
   * @throws DamagedSnapshotError
   */
  readCurrent(options?: { wanted?: WantedBlock | undefined }): Promise<CurrentSnapshot>;
  /**
   * Reads blocks of a snapshot by their numbers. The blocks 0, -1, ... are the pieces of the statistics.
   * @returns null for a missing block: the snapshot was replaced, or the store is damaged
   */
  readBlocks(id: string, numbers: number[]): Promise<(string | null)[]>;
}

export class MissingBlockError extends Error {}

/**
 * Reads a block of a snapshot.
 * @throws MissingBlockError
 */
export async function requireBlock(store: Store, { id }: Snapshot, number: number): Promise<string> {
  const [text] = await store.readBlocks(id, [number]);
  return requireText(text, id, number);
}

/**
 * Reads blocks of a snapshot together.
 * @throws MissingBlockError
 */
export async function requireBlocks(store: Store, { id }: Snapshot, numbers: number[]): Promise<string[]> {
  const texts = await store.readBlocks(id, numbers);
  return numbers.map((number, index) => requireText(texts[index], id, number));
}

function requireText(text: string | null | undefined, id: string, number: number): string {
  if (typeof text === "string") return text;
  throw new MissingBlockError(`Block ${number} of snapshot ${id} is missing`);
}
