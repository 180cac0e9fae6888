import { randomBytes } from "node:crypto";
import { BLOCK_SIZE, type Block } from "../../../src/store/block.ts";
import { type Snapshot, UnusableSnapshotError } from "../../../src/store/snapshot.ts";
import type { Store } from "../../../src/store/store.ts";
import { formatCount, getMessage } from "../../messages.ts";
import type { SnapshotContent } from "../snapshot-content.ts";
import type { StoreName } from "./configuration.ts";

export interface SwitchOptions {
  /** The number of blocks of the snapshot, including those of its statistics. */
  blocks: number;
  /** Whether to fail if anything was ever loaded. */
  onlyIfEmpty: boolean;
}

/** How much a database, a namespace or a store can take. */
export interface Capacity {
  /** About how many bytes one write should have. */
  batchBytes: number;
  /**
   * Checks the disk of a local store, so that a load fails before the disk is full.
   * @param bytes What the load will write
   * @throws Error if there is not enough space
   */
  requireSpace?: ((bytes: number) => Promise<void>) | undefined;
}

/** A store that commands write to. All methods throw if the store fails. */
export interface WritableStore extends Store, Capacity {
  /** How long readers may see the store as it was before a write, in milliseconds. */
  propagationMs: number;
  /** Stores blocks of a snapshot. Readers do not see them before the switch. */
  write(id: string, blocks: Block[]): Promise<void>;
  /** Finds the blocks of a snapshot that the store lost although their write succeeded. */
  findMissingBlocks(id: string, numbers: number[]): Promise<number[]>;
  /**
   * Switches readers to a new snapshot. The replaced one becomes the previous one.
   * @throws RejectedSwitchError if the switch did not happen and never will. After any other error, it may have happened
   */
  switchTo(next: Snapshot, options: SwitchOptions): Promise<void>;
  /** Reads the previous snapshot, which has all its blocks. There is none before the second load, after an undo, and perhaps during a load. */
  readPrevious(): Promise<Snapshot | undefined>;
  /**
   * Switches readers from the current snapshot back to the previous one. Afterwards there is no previous one.
   * @throws RejectedSwitchError as `switchTo` does, if another snapshot is current, or if there is no previous one
   */
  switchBack(current: Snapshot): Promise<void>;
  /**
   * Deletes the blocks of replaced snapshots and unfinished loads that no reader and no running load can still need. If it can be done
   * safely, forgets the previous snapshot, too, so that a load needs no space for a third one.
   */
  sweep(): Promise<void>;
  /** Deletes blocks of a load that failed before its switch. */
  discard(id: string, numbers: number[]): Promise<void>;
}

export interface OpenedStore {
  name: StoreName;
  /** The path of a store on this machine, or `deployed`. */
  location: string;
  store: WritableStore;
  migrate?(): Promise<void>;
  close?(): void;
}

/** Thrown if the store did not switch to a snapshot, and will not. */
export class RejectedSwitchError extends Error {}

export const SAMPLE_DATA_REJECTED =
  "The sample data was not loaded because something else was loaded meanwhile.";
export const OTHER_WRITER = "Nothing was undone, because another command has changed the store meanwhile.";

/** Thrown if a switch failed and the store does not show the new snapshot. Readers may need its blocks, so they stay. */
export class UnknownOutcomeError extends Error {}

/** The length of the time in an id, in base 36. */
const TIME_LENGTH = 9;

/**
 * Creates the id of a new snapshot: the time, which shows the age of its blocks, and random characters, which are unique if clocks are wrong.
 * @param now Milliseconds since 1970
 */
export function createSnapshotId(now: number): string {
  return now.toString(36).padStart(TIME_LENGTH, "0") + randomBytes(5).toString("hex");
}

/** Parses when the load of a snapshot began, by the clock of its writer, in milliseconds since 1970. */
export function parseStartTime(id: string): number {
  return Number.parseInt(id.slice(0, TIME_LENGTH), 36);
}

/** Reads a stored snapshot. One that cannot be used counts as missing, because a load replaces it. */
export async function findUsable<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnusableSnapshotError) return undefined;
    throw error;
  }
}

export interface WriteOptions {
  /** Loads only if nothing was ever loaded. Such a load sweeps nothing, because another load may be running. */
  onlyIfEmpty?: boolean;
  onProgress?: (written: number) => void;
  /** Called before the load waits until all readers can see its blocks. */
  onWait?: (seconds: number) => void;
  onSwitch?: () => void;
  /** Called for a failure that does not make the load fail. */
  onWarning?: (message: string) => void;
}

/**
 * Replaces the collection. Readers are switched to the new blocks when all are stored. Until then, the previous records are served.
 * @returns The id of the new snapshot
 * @throws RejectedSwitchError, UnknownOutcomeError, or any error of the store before the switch
 */
export async function replaceCollection(
  store: WritableStore,
  content: SnapshotContent,
  options: WriteOptions = {},
): Promise<string> {
  const { onlyIfEmpty = false, onWarning = () => {} } = options;
  const id = createSnapshotId(Date.now());
  if (!onlyIfEmpty) await store.sweep();
  await store.requireSpace?.(content.bytes);
  const written = new Set<number>();
  /** Writes blocks, and returns the numbers of those that the store lost. */
  const write = async (blocks: Iterable<Block>, onProgress?: WriteOptions["onProgress"]) => {
    for (const batch of batchBlocks(blocks, store.batchBytes)) {
      // Before the attempt, because some blocks may be stored even if it fails.
      for (const { number } of batch) written.add(number);
      await store.write(id, batch);
      onProgress?.(Math.min(content.count, written.size * BLOCK_SIZE));
    }
    await waitForPropagation(store, options);
    return new Set(await store.findMissingBlocks(id, [...written]));
  };
  try {
    const missing = await write(content.blocks(), options.onProgress);
    if (missing.size > 0) {
      onWarning(`The store lost ${formatCount(missing.size, "block")}. Writing them again.`);
      const lost = Iterator.from(content.blocks()).filter(({ number }) => missing.has(number));
      if ((await write(lost)).size > 0)
        throw new RejectedSwitchError("The store lost blocks twice. Run the command again later.");
    }
    options.onSwitch?.();
    const { count, source } = content;
    const next = { id, count, source, loaded_at: new Date().toISOString() };
    const switchReaders = () => store.switchTo(next, { blocks: written.size, onlyIfEmpty });
    await confirmSwitch(store, id, switchReaders, options);
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) await store.discard(id, [...written]).catch(() => undefined);
    throw error;
  }
  return id;
}

/**
 * Makes the snapshot current again that the last load has replaced.
 * @returns The snapshot that was current before, and the restored one; undefined if nothing can be undone
 * @throws RejectedSwitchError, UnknownOutcomeError, or any error of the store before the switch
 */
export async function undoLoad(store: WritableStore, options: WriteOptions = {}) {
  // Otherwise, KV could still show the snapshot before the last load, and the undo would go back too far.
  await waitForPropagation(store, options);
  const { snapshot: undone } = await store.readCurrent();
  if (undone.id === null) return undefined;
  const restored = await store.readPrevious();
  if (restored === undefined) return undefined;
  await confirmSwitch(store, restored.id, () => store.switchBack(undone), options);
  return { undone, restored };
}

/** Groups blocks into batches of about as many bytes. */
function* batchBlocks(blocks: Iterable<Block>, bytes: number): Generator<Block[]> {
  let batch: Block[] = [];
  let size = 0;
  for (const block of blocks) {
    batch.push(block);
    size += block.text.length;
    if (size < bytes) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

async function waitForPropagation({ propagationMs }: WritableStore, { onWait }: WriteOptions): Promise<void> {
  if (propagationMs === 0) return;
  onWait?.(propagationMs / 1_000);
  await new Promise((resolve) => setTimeout(resolve, propagationMs));
}

/**
 * Switches readers. After an error, the current snapshot shows whether the switch happened.
 * @param id The snapshot that the switch makes current
 * @throws RejectedSwitchError
 * @throws UnknownOutcomeError Also if the current snapshot cannot be read
 */
async function confirmSwitch(
  store: WritableStore,
  id: string,
  switchReaders: () => Promise<void>,
  options: WriteOptions,
): Promise<void> {
  try {
    await switchReaders();
  } catch (cause) {
    const isRejected = cause instanceof RejectedSwitchError;
    if (!isRejected) await waitForPropagation(store, options);
    const current = await store.readCurrent().catch(() => undefined);
    if (current?.snapshot.id === id) return;
    if (isRejected) throw cause;
    throw new UnknownOutcomeError(getMessage(cause), { cause });
  }
}
