import type { Block } from "./block.ts";
import type { MaybeSnapshot, Snapshot } from "./snapshot.ts";

/** After this time, a read of a store counts as failed: clients prefer an error to a longer wait. */
export const READ_TIMEOUT_MS = 3_000;

/** What a read of the current snapshot returns. */
export interface CurrentSnapshot {
  snapshot: MaybeSnapshot;
  /** The wanted block, if the store has it and can read it in the same step. */
  block?: Block | undefined;
}

/** The block that a reader needs: by its number, or the last one of the current snapshot. */
export type WantedBlock = number | "last";

/** A store to read from. All methods throw if the store fails. */
export interface Store {
  /**
   * Reads which snapshot is current.
   * @param options `wanted` is the block that the caller needs next. A store that reads it in the same step saves a read, and no load
   *   can come between
   * @throws UnusableSnapshotError
   */
  readCurrent(options?: { wanted?: WantedBlock | undefined }): Promise<CurrentSnapshot>;
  /**
   * Reads blocks of a snapshot by their numbers: from 1 on, they contain records, and 0, -1, ... the statistics.
   * @returns null for a missing block: the snapshot was replaced, or the store is damaged
   */
  readBlocks(id: string, numbers: number[]): Promise<(string | null)[]>;
}

/** Rejects if the work takes too long, by default as a read. The work continues nevertheless. */
export async function withTimeout<T>(work: Promise<T>, { timeoutMs = READ_TIMEOUT_MS } = {}): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const onTimeout = () => timeout.reject(new Error(`The store did not respond within ${timeoutMs} ms`));
  const timer = setTimeout(onTimeout, timeoutMs);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}

export class MissingBlockError extends Error {}

/**
 * Reads the text of a block of a snapshot.
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
export async function requireBlocks(store: Store, { id }: Snapshot, numbers: number[]): Promise<Block[]> {
  const texts = await store.readBlocks(id, numbers);
  return numbers.map((number, index) => ({ number, text: requireText(texts[index], id, number) }));
}

function requireText(text: string | null | undefined, id: string, number: number): string {
  if (typeof text === "string") return text;
  throw new MissingBlockError(`Block ${number} of snapshot ${id} is missing`);
}
