import { randomBytes } from "node:crypto";
import { BLOCK_SIZE, type Block } from "../../src/store/block.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import type { Store } from "../../src/store/store.ts";
import type { Collection } from "../load-content.ts";
import { formatCount } from "../messages.ts";
import type { StoreName } from "./configuration.ts";

/** The snapshot of a new load. The store adds `loaded_at`. */
export type NewSnapshot = Omit<Snapshot, "loaded_at">;

/** A store that commands write to. All methods throw if the store fails. */
export interface WritableStore extends Store {
  /** The number of bytes of a batch of blocks for `write`. */
  batchBytes: number;
  /** How long readers may see the store as it was before a write, in milliseconds. */
  propagationMs: number;
  /** Stores blocks of a load. Readers do not see the blocks before the switch. */
  write(load: string, blocks: Block[]): Promise<void>;
  /** Finds the blocks of a load that the store lost although their write succeeded. */
  findMissingBlocks(load: string, numbers: number[]): Promise<number[]>;
  /**
   * Switches readers to a load.
   * @param blocks The number of its blocks, including the pieces of the statistics
   * @param onlyIfEmpty Whether to fail if anything was ever loaded
   * @throws RejectedSwitchError if the switch did not happen and never will. After any other error, it may have happened
   */
  switchTo(next: NewSnapshot, blocks: number, onlyIfEmpty: boolean): Promise<void>;
  /** Deletes the blocks of replaced and unfinished loads that no reader and no running load can still need. */
  sweep(): Promise<void>;
  /** Deletes blocks of a load that failed before its switch. */
  discard(load: string, numbers: number[]): Promise<void>;
}

/** A store that a command has opened. */
export interface OpenedStore {
  name: StoreName;
  /** The path of a store on this machine, or `deployed`. */
  location: string;
  store: WritableStore;
  /** Brings the tables of a database up to date. */
  migrate?(): Promise<void>;
  close?(): void;
}

/** Thrown if the store did not switch to a load, and will not. */
export class RejectedSwitchError extends Error {}

/** The message of a switch that is rejected because of `onlyIfEmpty`. */
export const SEED_REJECTED = "The seed was not loaded because something else was loaded in the meantime.";

/** Thrown if a switch failed and the store does not show the load. Readers may need the blocks of the load, so the blocks stay. */
export class UnknownOutcomeError extends Error {}

export interface WriteOptions {
  /** Loads only if nothing was ever loaded. Such a load sweeps nothing, because another load may be running. */
  onlyIfEmpty?: boolean;
  /** Called with the number of records that have been written so far. */
  onProgress?: (written: number) => void;
  /** Called before the load waits until all readers can see its blocks. */
  onWait?: (seconds: number) => void;
  /** Called before readers are switched. */
  onSwitch?: () => void;
  /** Called for a failure that does not make the load fail. */
  onWarning?: (message: string) => void;
}

/**
 * Replaces the collection. Readers are switched to the new blocks when all of them are stored. If the load fails or is interrupted
 * before the switch, the previous records are still served.
 * @returns The name of the load
 * @throws RejectedSwitchError, UnknownOutcomeError, or any error of the store before the switch
 */
export async function replaceCollection(
  store: WritableStore,
  collection: Collection,
  options: WriteOptions = {},
): Promise<string> {
  const { onlyIfEmpty = false, onWarning = () => {} } = options;
  const name = createLoadName(Date.now());
  if (!onlyIfEmpty) await store.sweep();
  const written = new Set<number>();
  /** Writes all blocks, or the missing ones, and returns the numbers of the blocks that the store lost. */
  const write = async (missing?: Set<number>) => {
    for (const blocks of batchBlocks(collection.blocks(), store.batchBytes, missing)) {
      // Before the attempt, because some blocks may be stored even if it fails.
      for (const { number } of blocks) written.add(number);
      await store.write(name, blocks);
      if (!missing) options.onProgress?.(Math.min(collection.count, written.size * BLOCK_SIZE));
    }
    await waitForPropagation(store, options);
    return new Set(await store.findMissingBlocks(name, [...written]));
  };
  try {
    const missing = await write();
    if (missing.size > 0) {
      onWarning(`The store lost ${formatCount(missing.size, "block")}. Writing them again.`);
      if ((await write(missing)).size > 0)
        throw new RejectedSwitchError("The store lost blocks twice. Run the command again later.");
    }
    options.onSwitch?.();
    const { count, source } = collection;
    await switchState(store, { id: name, count, source }, written.size, options);
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError))
      await store.discard(name, [...written]).catch(() => undefined);
    throw error;
  }
  const warn = ({ message }: Error) =>
    onWarning(
      `The new records are being served. The replaced blocks could not be deleted, and a later load deletes them. The reason:\n${message}`,
    );
  if (!onlyIfEmpty) await store.sweep().catch(warn);
  return name;
}

/** Groups blocks into batches. @param numbers Only the blocks with these numbers, if given */
function* batchBlocks(all: Iterable<Block>, bytes: number, numbers?: Set<number>): Generator<Block[]> {
  let blocks: Block[] = [];
  let size = 0;
  for (const block of all) {
    if (numbers?.has(block.number) === false) continue;
    blocks.push(block);
    size += block.text.length;
    if (size < bytes) continue;
    yield blocks;
    blocks = [];
    size = 0;
  }
  if (blocks.length > 0) yield blocks;
}

/** Waits until every reader can see the written blocks. */
async function waitForPropagation({ propagationMs }: WritableStore, { onWait }: WriteOptions): Promise<void> {
  if (propagationMs === 0) return;
  onWait?.(propagationMs / 1_000);
  await new Promise((resolve) => setTimeout(resolve, propagationMs));
}

/** Switches readers. After an error, the state shows whether the switch happened, unless the state cannot be read. */
async function switchState(
  store: WritableStore,
  next: NewSnapshot,
  blocks: number,
  options: WriteOptions,
): Promise<void> {
  try {
    await store.switchTo(next, blocks, options.onlyIfEmpty === true);
  } catch (cause) {
    const isRejected = cause instanceof RejectedSwitchError;
    if (!isRejected) await waitForPropagation(store, options);
    const current = await store.readCurrent().catch(() => undefined);
    if (current?.snapshot.id === next.id) return;
    if (isRejected) throw cause;
    throw new UnknownOutcomeError(String(Object(cause).message), { cause });
  }
}

/** The length of the start time in the name of a load. */
const TIME_LENGTH = 9;

/**
 * Creates the name of a load: the time, so that names sort by time and old blocks can be recognized, and random characters, so that
 * names are unique even if clocks are wrong.
 * @param now Milliseconds since 1970
 */
export function createLoadName(now: number): string {
  return now.toString(36).padStart(TIME_LENGTH, "0") + randomBytes(5).toString("hex");
}

/** Parses the start time of a load, by the clock of its writer, in milliseconds since 1970. */
export function parseStartTime(name: string): number {
  return Number.parseInt(name.slice(0, TIME_LENGTH), 36);
}
