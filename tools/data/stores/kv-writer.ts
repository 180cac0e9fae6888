import type { Block } from "../../../src/store/block.ts";
import {
  CURRENT_SNAPSHOT_KEY,
  createKvStore,
  getBlockKey,
  type KeyValueStore,
} from "../../../src/store/kv.ts";
import type { MaybeSnapshot, Snapshot } from "../../../src/store/snapshot.ts";
import { parseStartTime } from "./stored-snapshot.ts";
import {
  type Capacity,
  RejectedSwitchError,
  readReplaced,
  SEED_REJECTED,
  type WritableStore,
} from "./writer.ts";

/** A KV namespace that commands write to: with wrangler, or in local files. */
export interface WritableNamespace extends KeyValueStore, Capacity {
  put(pairs: KeyValuePair[]): Promise<void>;
  delete(keys: string[]): Promise<void>;
  list(prefix?: string): Promise<string[]>;
}

interface KeyValuePair {
  key: string;
  value: string;
}

/** A deployed namespace can show a change of a key up to 60 seconds late. */
const PROPAGATION_MS = 70_000;

const MINUTE_MS = 60_000;

/** How long nothing is swept after a switch, because readers may need the replaced blocks: KV lags, and clocks differ by minutes. */
export const SWEEP_DELAY_MS = 15 * MINUTE_MS;

/** The age from which a sweep deletes the blocks of an unfinished load. A younger load may still be running. */
export const ORPHAN_AGE_MS = 24 * 60 * MINUTE_MS;

/** The maximum age of a load that switches. Far below `ORPHAN_AGE_MS`, because clocks may be wrong and processes sleep. */
export const MAX_LOAD_MS = 2 * 60 * MINUTE_MS;

/** Creates a store in a namespace on this machine. It is locked, so no other load is running, and it shows each change at once. */
export function createLocalKvStore(namespace: WritableNamespace): WritableStore {
  const { shared, readCurrent, putCurrent, deleteBlocks } = openNamespace(namespace);
  return {
    ...shared,
    propagationMs: 0,
    findMissingBlocks: async () => [],
    async switchTo(next, { onlyIfEmpty }) {
      if (onlyIfEmpty) requireEmpty(await readCurrent());
      await putCurrent(next);
    },
    async sweep() {
      const current = await readCurrent();
      await deleteBlocks(await namespace.list(), (id) => id !== current.id);
    },
  };
}

/**
 * Creates a store in a deployed namespace. KV has no compare-and-set, so the later of two switches wins. Waiting times protect the blocks
 * that either load may need.
 */
export function createDeployedKvStore(
  namespace: WritableNamespace,
  propagationMs = PROPAGATION_MS,
): WritableStore {
  const { shared, readCurrent, putCurrent, deleteBlocks } = openNamespace(namespace);
  return {
    ...shared,
    propagationMs,
    async findMissingBlocks(id, numbers) {
      const stored = new Set(await namespace.list(`block/${id}/`));
      return numbers.filter((number) => !stored.has(getBlockKey(id, number)));
    },
    async switchTo(next, { onlyIfEmpty }) {
      if (onlyIfEmpty) requireEmpty(await readCurrent());
      requireYoung(next.id);
      await putCurrent(next);
      if ((await readCurrent()).id !== next.id)
        throw new Error("The namespace does not show the new snapshot.");
    },
    async sweep() {
      // List the keys before reading the current snapshot: a load that switches in between then keeps its blocks.
      const keys = await namespace.list();
      const current = await readCurrent();
      if (!wasLoadedBefore(current, Date.now() - SWEEP_DELAY_MS)) return;
      const orphanedBefore = Date.now() - ORPHAN_AGE_MS;
      await deleteBlocks(keys, (id) => id !== current.id && parseStartTime(id) < orphanedBefore);
    },
  };
}

/** Returns the methods that local and deployed stores share, and the steps of their other methods. */
function openNamespace(namespace: WritableNamespace) {
  const reader = createKvStore(namespace);
  const shared = {
    ...reader,
    batchBytes: namespace.batchBytes,
    requireSpace: namespace.requireSpace,
    write: (id: string, blocks: Block[]) =>
      namespace.put(blocks.map(({ number, text }) => ({ key: getBlockKey(id, number), value: text }))),
    discard: (id: string, numbers: number[]) =>
      namespace.delete(numbers.map((number) => getBlockKey(id, number))),
  };
  return {
    shared,
    readCurrent: () => readReplaced(reader),
    putCurrent: (next: Snapshot) =>
      namespace.put([{ key: CURRENT_SNAPSHOT_KEY, value: JSON.stringify(next) }]),
    /** Deletes the blocks of unused snapshots, and no other keys. */
    deleteBlocks: (keys: string[], isUnused: (id: string) => boolean) =>
      namespace.delete(
        keys.filter((key) => {
          const id = parseSnapshotId(key);
          return id !== undefined && isUnused(id);
        }),
      ),
  };
}

function requireEmpty({ id }: MaybeSnapshot): void {
  if (id !== null) throw new RejectedSwitchError(SEED_REJECTED);
}

/** A sweep may have deleted the blocks of an older load. */
function requireYoung(id: string): void {
  if (Date.now() - parseStartTime(id) <= MAX_LOAD_MS) return;
  throw new RejectedSwitchError(
    `The load started more than ${MAX_LOAD_MS / (60 * MINUTE_MS)} hours ago, so its blocks may already have been deleted. Run the command again.`,
  );
}

/** Returns false if the time is unknown, or is not a time: readers may then need the blocks of the replaced snapshot. */
function wasLoadedBefore({ loaded_at }: MaybeSnapshot, time: number): boolean {
  return loaded_at !== null && Date.parse(loaded_at) <= time;
}

function parseSnapshotId(key: string): string | undefined {
  return /^block\/([^/]+)\//.exec(key)?.[1];
}
