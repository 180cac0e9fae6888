import { randomBytes } from "node:crypto";
import { BLOCK_SIZE, type Block } from "../../src/store/block.ts";
import type { State, Store } from "../../src/store/state.ts";
import type { Collection } from "../load-content.ts";
import { formatCount } from "../messages.ts";
import type { StoreName } from "./configuration.ts";

/** What a load switches to; `sequence` and `loaded_at` follow from the state that it replaces. */
export type NextState = Pick<State, "load" | "count" | "source">;

/** A store outside the worker, through which commands write. All methods throw if it fails. */
export interface WritableStore extends Store {
  /** Bytes of block text that one call of `write` should be given. */
  batchBytes: number;
  /** How long every reader may see the store as it was before a write, in milliseconds. */
  propagationMs: number;
  /** Stores blocks of a load, which readers do not see before the switch. */
  write(load: string, blocks: Block[]): Promise<void>;
  /** Of the blocks of a load, finds those that the store lost, although their write succeeded. */
  findMissingBlocks(load: string, numbers: number[]): Promise<number[]>;
  /**
   * Switches readers to a load.
   * @param blocks how many it has, with the pieces of its statistics
   * @param onlyIfEmpty fails if anything was ever loaded
   * @throws RejectedSwitchError if the switch did not happen and never will; after any other error, it may have happened
   */
  switchTo(next: NextState, blocks: number, onlyIfEmpty: boolean): Promise<void>;
  /** Removes what loads left that were replaced or did not finish, if no reader and no other load can need it. */
  sweep(): Promise<void>;
  /** Removes blocks of a load that failed before it could switch. */
  discard(load: string, numbers: number[]): Promise<void>;
}

/** A store that a command has opened. */
export interface OpenStore {
  name: StoreName;
  /** The path of a store on this machine, or `deployed`. */
  location: string;
  store: WritableStore;
  /** Brings its tables up to date, if it has any. Only a load and a deployment do that. */
  migrate?(): Promise<void>;
  close?(): void;
}

/** The store did not switch to a load. */
export class RejectedSwitchError extends Error {}

/** After a switch that failed, the store does not show the load. Readers may need its blocks, so they are not removed. */
export class UnknownOutcomeError extends Error {}

export interface WriteOptions {
  /** Loads only if nothing was ever loaded. Such a load removes nothing, because another one may be running. */
  onlyIfEmpty?: boolean;
  /** Called with the number of records that have been written so far. */
  onProgress?: (written: number) => void;
  /** Called before the load waits until all readers can see what it wrote. */
  onWait?: (seconds: number) => void;
  /** Called when everything is written, before readers are switched. */
  onSwitch?: () => void;
  /** Called if something failed, and the load did not. */
  onWarning?: (message: string) => void;
}

/**
 * Replaces the collection. The records are written beside those that are served, and readers are switched when all of them are
 * stored. If it fails or is interrupted before, the records before are still served completely.
 * @returns the name of the load
 * @throws RejectedSwitchError if another load came first
 * @throws UnknownOutcomeError if the store does not show the load after the switch
 * @throws Error if the store fails before the switch
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
  /** Writes all blocks, or those that the store lost. @returns those that it lost now */
  const write = async (missing?: Set<number>) => {
    for (const blocks of batchBlocks(collection.blocks(), store.batchBytes, missing)) {
      // Noted before the attempt: some of them may be stored even if it fails.
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
      onWarning(`The store lost ${formatCount(missing.size, "block")}, which it now gets again.`);
      if ((await write(missing)).size > 0)
        throw new RejectedSwitchError("The store lost blocks twice. Run the command again later.");
    }
    options.onSwitch?.();
    const { count, source } = collection;
    await switchState(store, { load: name, count, source }, written.size, options);
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError))
      await store.discard(name, [...written]).catch(() => undefined);
    throw error;
  }
  if (!onlyIfEmpty) await store.sweep().catch((error) => onWarning(describeFailedSweep(error)));
  return name;
}

function describeFailedSweep({ message }: Error): string {
  return `The new records are being served. The replaced blocks could not be deleted, and a later load deletes them. The reason:\n${message}`;
}

/** As many blocks at once as a store should be given: all, or those with some numbers. */
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

/** Waits until every reader can see what was written. */
async function waitForPropagation({ propagationMs }: WritableStore, { onWait }: WriteOptions): Promise<void> {
  if (propagationMs === 0) return;
  onWait?.(propagationMs / 1_000);
  await new Promise((resolve) => setTimeout(resolve, propagationMs));
}

/** Switches readers. After an error, the state shows whether the switch happened, unless it cannot be read. */
async function switchState(
  store: WritableStore,
  next: NextState,
  blocks: number,
  options: WriteOptions,
): Promise<void> {
  try {
    await store.switchTo(next, blocks, options.onlyIfEmpty === true);
  } catch (cause) {
    const isRejected = cause instanceof RejectedSwitchError;
    if (!isRejected) await waitForPropagation(store, options);
    const read = await store.readState({ fromPrimary: true }).catch(() => undefined);
    if (read?.state.load === next.load) return;
    if (isRejected) throw cause;
    throw new UnknownOutcomeError(String(Object(cause).message), { cause });
  }
}

/** Characters of a name that contain the time when the load began. */
const TIME_LENGTH = 9;

/**
 * A new name for a load. It begins with the time, so that names are in the order of time and abandoned data can be recognised,
 * and ends with random characters, so that no two loads share a name, even if their clocks are wrong.
 * @param now milliseconds since 1970
 */
export function createLoadName(now: number): string {
  return now.toString(36).padStart(TIME_LENGTH, "0") + randomBytes(5).toString("hex");
}

/** When a load began, by the clock of its writer, in milliseconds since 1970. */
export function parseStartTime(name: string): number {
  return Number.parseInt(name.slice(0, TIME_LENGTH), 36);
}
