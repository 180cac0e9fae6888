import { createKvStore, getBlockKey, type KeyValueStore, STATE_KEY } from "../../src/store/kv.ts";
import { DamagedStateError, NOTHING_LOADED, type Snapshot } from "../../src/store/snapshot.ts";
import { parseStartTime, RejectedSwitchError, SEED_REJECTED, type WritableStore } from "./writer.ts";

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

/**
 * Creates a store that commands write to. KV has no compare-and-set, so the later of two switches wins. Waiting times protect the
 * blocks that either load may need.
 * @param isLocal Whether the namespace is on this machine and locked: no other load is running, and nothing lags
 */
export function createWritableKvStore(
  namespace: WritableNamespace,
  isLocal: boolean,
  propagationMs = isLocal ? 0 : PROPAGATION_MS,
): WritableStore {
  const store = createKvStore(namespace);
  const readCurrent = async () => (await store.readCurrent()).snapshot;
  return {
    ...store,
    batchBytes: namespace.batchBytes,
    propagationMs,
    write: (load, blocks) =>
      namespace.put(blocks.map(({ number, text }) => ({ key: getBlockKey(load, number), value: text }))),
    async findMissingBlocks(load, numbers) {
      if (isLocal) return [];
      const stored = new Set(await namespace.list(`block/${load}/`));
      return numbers.filter((number) => !stored.has(getBlockKey(load, number)));
    },
    async switchTo(next, _, onlyIfEmpty) {
      const replaced = await readCurrent().catch(emptyIfDamaged);
      if (onlyIfEmpty && replaced.id !== "") throw new RejectedSwitchError(SEED_REJECTED);
      const now = Date.now();
      // A sweep may have deleted the blocks of an older load.
      if (!isLocal && now - parseStartTime(next.id) > MAX_LOAD_MS)
        throw new RejectedSwitchError(
          `The load started more than ${MAX_LOAD_MS / (60 * MINUTE_MS)} hours ago, so its blocks may already have been deleted. Run the command again.`,
        );
      const loaded_at = new Date(now).toISOString();
      const snapshot: Snapshot = { ...next, loaded_at };
      await namespace.put([{ key: STATE_KEY, value: JSON.stringify(snapshot) }]);
      if (isLocal || (await readCurrent()).id === next.id) return;
      throw new Error("The namespace does not show the new state.");
    },
    async sweep() {
      // List the keys before the state: a load that switches in between then keeps its blocks.
      const keys = await namespace.list();
      const current = await readCurrent().catch(emptyIfDamaged);
      const now = Date.now();
      if (!isLocal && (current.loaded_at === null || now - Date.parse(current.loaded_at) < SWEEP_DELAY_MS))
        return;
      const isUnused = (load: string) =>
        load !== current.id && (isLocal || now - parseStartTime(load) > ORPHAN_AGE_MS);
      await namespace.delete(keys.filter((key) => isUnused(parseLoadName(key) ?? current.id)));
    },
    discard: (load, numbers) => namespace.delete(numbers.map((number) => getBlockKey(load, number))),
  };
}

/** A load repairs a damaged state, so it is treated as empty. */
function emptyIfDamaged(error: unknown): Snapshot {
  if (error instanceof DamagedStateError) return NOTHING_LOADED;
  throw error;
}

/** Parses the name of the load in the key of a block. Returns undefined for other keys. */
function parseLoadName(key: string): string | undefined {
  return /^block\/([^/]+)\//.exec(key)?.[1];
}
