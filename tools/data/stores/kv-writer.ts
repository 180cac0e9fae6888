import {
  CURRENT_SNAPSHOT_KEY,
  createKvStore,
  getBlockKey,
  type KeyValueStore,
} from "../../../src/store/kv.ts";
import { DamagedSnapshotError, NOTHING_LOADED } from "../../../src/store/snapshot.ts";
import { parseStartTime } from "./stored-snapshot.ts";
import { RejectedSwitchError, SEED_REJECTED, type WritableStore } from "./writer.ts";

/** A KV namespace that commands write to: with wrangler, or in local files. */
export interface WritableNamespace extends KeyValueStore {
  put(pairs: KeyValuePair[]): Promise<void>;
  delete(keys: string[]): Promise<void>;
  /** Lists the keys with a prefix, or all keys. */
  list(prefix?: string): Promise<string[]>;
  /** The number of bytes of a batch of values for `put`. */
  batchBytes: number;
}

export interface KeyValuePair {
  key: string;
  value: string;
}

// docs/architecture.md shows these four times in one line.

/** A deployed namespace can show a change of a key up to 60 seconds late. */
const PROPAGATION_MS = 70_000;

const MINUTE_MS = 60_000;

/** How long nothing is swept after a switch, because readers may need the replaced blocks: KV lags, and clocks differ by minutes. */
export const SWEEP_DELAY_MS = 15 * MINUTE_MS;

/** The age from which a sweep deletes the blocks of an unfinished load. A younger load may still be running. */
export const ORPHAN_AGE_MS = 24 * 60 * MINUTE_MS;

/** The maximum age of a load that switches. Far below `ORPHAN_AGE_MS`, because clocks may be wrong and processes sleep. */
export const MAX_LOAD_MS = 2 * 60 * MINUTE_MS;

/** How a namespace behaves for its writers. */
export interface NamespaceOptions {
  /** Whether the namespace is on this machine and locked: no other load is running, and nothing lags. */
  isLocal: boolean;
  /** How long a load waits until its blocks are visible. Tests wait for a shorter time. */
  propagationMs?: number | undefined;
}

/**
 * Creates a store that commands write to. KV has no compare-and-set, so the later of two switches wins. Waiting times protect the
 * blocks that either load may need.
 */
export function createWritableKvStore(
  namespace: WritableNamespace,
  { isLocal, propagationMs = isLocal ? 0 : PROPAGATION_MS }: NamespaceOptions,
): WritableStore {
  const store = createKvStore(namespace);
  const readCurrent = async () => (await store.readCurrent()).snapshot;
  return {
    ...store,
    batchBytes: namespace.batchBytes,
    propagationMs,
    write: (id, blocks) =>
      namespace.put(blocks.map(({ number, text }) => ({ key: getBlockKey(id, number), value: text }))),
    async findMissingBlocks(id, numbers) {
      if (isLocal) return [];
      const stored = new Set(await namespace.list(`block/${id}/`));
      return numbers.filter((number) => !stored.has(getBlockKey(id, number)));
    },
    async switchTo(next, { onlyIfEmpty }) {
      const replaced = await readCurrent().catch(emptyIfDamaged);
      if (onlyIfEmpty && replaced.id !== null) throw new RejectedSwitchError(SEED_REJECTED);
      // A sweep may have deleted the blocks of an older load.
      if (!isLocal && Date.now() - parseStartTime(next.id) > MAX_LOAD_MS)
        throw new RejectedSwitchError(
          `The load started more than ${MAX_LOAD_MS / (60 * MINUTE_MS)} hours ago, so its blocks may already have been deleted. Run the command again.`,
        );
      await namespace.put([{ key: CURRENT_SNAPSHOT_KEY, value: JSON.stringify(next) }]);
      if (isLocal || (await readCurrent()).id === next.id) return;
      throw new Error("The namespace does not show the new snapshot.");
    },
    async sweep() {
      // List the keys before reading the current snapshot: a load that switches in between then keeps its blocks.
      const keys = await namespace.list();
      const current = await readCurrent().catch(emptyIfDamaged);
      const now = Date.now();
      if (!isLocal && (current.loaded_at === null || now - Date.parse(current.loaded_at) < SWEEP_DELAY_MS))
        return;
      const isUnused = (id: string) =>
        id !== current.id && (isLocal || now - parseStartTime(id) > ORPHAN_AGE_MS);
      await namespace.delete(
        keys.filter((key) => {
          const id = parseSnapshotId(key);
          return id !== undefined && isUnused(id);
        }),
      );
    },
    discard: (id, numbers) => namespace.delete(numbers.map((number) => getBlockKey(id, number))),
  };
}

/** A load repairs a damaged current snapshot, so it is treated as missing. */
function emptyIfDamaged(error: unknown): typeof NOTHING_LOADED {
  if (error instanceof DamagedSnapshotError) return NOTHING_LOADED;
  throw error;
}

/** Parses the id of the snapshot in the key of a block. Returns undefined for other keys. */
function parseSnapshotId(key: string): string | undefined {
  return /^block\/([^/]+)\//.exec(key)?.[1];
}
