import {
  CURRENT_SNAPSHOT_KEY,
  createKvStore,
  getBlockKey,
  type ReadableNamespace,
} from "../../../src/store/kv.ts";
import type { MaybeSnapshot } from "../../../src/store/snapshot.ts";
import {
  type Capacity,
  parseStartTime,
  RejectedSwitchError,
  readReplaced,
  SAMPLE_DATA_REJECTED,
  type WritableStore,
} from "./writer.ts";

/** A KV namespace that commands write to: with wrangler, or in local files. */
export interface WritableNamespace extends ReadableNamespace, Capacity {
  put(pairs: { key: string; value: string }[]): Promise<void>;
  delete(keys: string[]): Promise<void>;
  /** Lists the keys that begin with a prefix. */
  list(prefix: string): Promise<string[]>;
}

const HOUR_MS = 3_600_000;

/** The times of a deployed namespace. */
export const DEPLOYED_KV = {
  /** A change of a key can be visible up to 60 seconds late. */
  propagationMs: 70_000,
  /** How long nothing is swept after a switch, because readers may need the replaced blocks: KV lags, and clocks differ by minutes. */
  sweepDelayMs: HOUR_MS / 4,
  /** The age from which a sweep deletes the blocks of an unfinished load. A younger load may still be running. */
  orphanAgeMs: 24 * HOUR_MS,
  /** The maximum age of a load that switches. Far below `orphanAgeMs`, because clocks may be wrong and processes sleep. */
  maxLoadMs: 2 * HOUR_MS,
};

type KvTimes = typeof DEPLOYED_KV;

/** A namespace on this machine shows each change at once. It is locked, so no other load is running, whatever the time of its blocks. */
export const LOCAL_KV: KvTimes = {
  propagationMs: 0,
  sweepDelayMs: -Infinity,
  orphanAgeMs: -Infinity,
  maxLoadMs: Infinity,
};

/**
 * Creates a store that commands write to. KV has no compare-and-set, so the later of two switches wins.
 * @param times Protect the blocks that either load, or a reader, may need
 */
export function createWritableKvStore(namespace: WritableNamespace, times: KvTimes): WritableStore {
  const reader = createKvStore(namespace);
  const readCurrent = () => readReplaced(reader);
  return {
    ...reader,
    batchBytes: namespace.batchBytes,
    requireSpace: namespace.requireSpace,
    propagationMs: times.propagationMs,
    write: (id, blocks) =>
      namespace.put(blocks.map(({ number, text }) => ({ key: getBlockKey(id, number), value: text }))),
    discard: (id, numbers) => namespace.delete(numbers.map((number) => getBlockKey(id, number))),
    async findMissingBlocks(id, numbers) {
      const stored = new Set(await namespace.list(`block/${id}/`));
      return numbers.filter((number) => !stored.has(getBlockKey(id, number)));
    },
    async switchTo(next, { onlyIfEmpty }) {
      if (onlyIfEmpty && (await readCurrent()).id !== null)
        throw new RejectedSwitchError(SAMPLE_DATA_REJECTED);
      if (Date.now() - parseStartTime(next.id) > times.maxLoadMs)
        throw new RejectedSwitchError(
          `The load started more than ${times.maxLoadMs / HOUR_MS} hours ago, so its blocks may already have been deleted. Run the command again.`,
        );
      await namespace.put([{ key: CURRENT_SNAPSHOT_KEY, value: JSON.stringify(next) }]);
      if ((await readCurrent()).id !== next.id)
        throw new Error("The namespace does not show the new snapshot.");
    },
    async sweep() {
      // List the keys before reading the current snapshot: a load that switches in between then keeps its blocks.
      const keys = await namespace.list("block/");
      const current = await readCurrent();
      if (!wasLoadedBefore(current, Date.now() - times.sweepDelayMs)) return;
      const orphanedBefore = Date.now() - times.orphanAgeMs;
      const isUnused = (key: string) => {
        const [, id = ""] = key.split("/");
        return id !== current.id && parseStartTime(id) < orphanedBefore;
      };
      await namespace.delete(keys.filter(isUnused));
    },
  };
}

/** Returns false if the time is unknown, or is not a time: readers may then need the blocks of the replaced snapshot. */
function wasLoadedBefore({ loaded_at }: MaybeSnapshot, time: number): boolean {
  return loaded_at !== null && Date.parse(loaded_at) <= time;
}
