import {
  CURRENT_SNAPSHOT_KEY,
  createKvStore,
  getBlockKey,
  MIN_CACHE_TTL,
  type ReadableNamespace,
} from "../../../src/store/kv.ts";
import { FORMAT, parseSnapshot, requireSnapshot, type Snapshot } from "../../../src/store/snapshot.ts";
import {
  type Capacity,
  findUsable,
  OTHER_WRITER,
  parseStartTime,
  RejectedSwitchError,
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

/** How a deployed namespace behaves, and what a sweep of it therefore spares. */
export const DEPLOYED_KV = {
  /** A change of a key can be visible up to 60 seconds late. */
  propagationMs: 70_000,
  /** How long nothing is swept after a switch, because readers may need the replaced blocks: KV lags, and clocks differ by minutes. */
  sweepDelayMs: HOUR_MS / 4,
  /** The age from which a sweep deletes the blocks of an unfinished load. A younger load may still be running. */
  orphanAgeMs: 24 * HOUR_MS,
  /** The maximum age of a load that switches. Far below `orphanAgeMs`, because clocks may be wrong and processes sleep. */
  maxLoadMs: 2 * HOUR_MS,
  /** A sweep cannot forget the previous snapshot: for that, it would write the current one, which another load may just have replaced. */
  keepsPrevious: true,
};

type KvBehavior = typeof DEPLOYED_KV;

/** A namespace on this machine shows each change at once. It is locked, so no other load is running, whatever the time of its blocks. */
export const LOCAL_KV: KvBehavior = {
  propagationMs: 0,
  sweepDelayMs: -Infinity,
  orphanAgeMs: -Infinity,
  maxLoadMs: Infinity,
  keepsPrevious: false,
};

/** What a namespace has under the key of the current snapshot. */
interface Switch {
  current: Snapshot;
  previous: Snapshot | undefined;
  /** When the current snapshot became current. After an undo, that is long after its load. */
  switched_at: string;
}

/**
 * Creates a store that commands write to. KV has no compare-and-set, so the later of two switches wins.
 * @param behavior Protects the blocks that either load, or a reader, may need
 */
export function createWritableKvStore(namespace: WritableNamespace, behavior: KvBehavior): WritableStore {
  const { propagationMs, maxLoadMs } = behavior;
  return {
    ...createKvStore(namespace),
    readPrevious: async () => (await readSwitch(namespace))?.previous,
    batchBytes: namespace.batchBytes,
    requireSpace: namespace.requireSpace,
    propagationMs,
    write: (id, blocks) =>
      namespace.put(blocks.map(({ number, text }) => ({ key: getBlockKey(id, number), value: text }))),
    discard: (id, numbers) => namespace.delete(numbers.map((number) => getBlockKey(id, number))),
    async findMissingBlocks(id, numbers) {
      const stored = new Set(await namespace.list(`block/${id}/`));
      return numbers.filter((number) => !stored.has(getBlockKey(id, number)));
    },
    async switchTo(next, { onlyIfEmpty }) {
      const last = await readSwitch(namespace);
      if (onlyIfEmpty && last !== undefined) throw new RejectedSwitchError(SAMPLE_DATA_REJECTED);
      if (Date.now() - parseStartTime(next.id) > maxLoadMs)
        throw new RejectedSwitchError(
          `The load started more than ${maxLoadMs / HOUR_MS} hours ago, so its blocks may already have been deleted. Run the command again.`,
        );
      await switchReaders(namespace, { current: next, previous: last?.current });
    },
    async switchBack({ id }) {
      const last = await readSwitch(namespace);
      if (last?.current.id !== id || last.previous === undefined) throw new RejectedSwitchError(OTHER_WRITER);
      await switchReaders(namespace, { current: last.previous, previous: undefined });
    },
    sweep: () => sweep(namespace, behavior),
  };
}

async function sweep(namespace: WritableNamespace, behavior: KvBehavior): Promise<void> {
  const { sweepDelayMs, orphanAgeMs, keepsPrevious } = behavior;
  // List the keys before reading the current snapshot: a load that switches in between then keeps its blocks.
  const keys = await namespace.list("block/");
  const last = await readSwitch(namespace);
  const isQuiet = last !== undefined && Date.parse(last.switched_at) <= Date.now() - sweepDelayMs;
  if (!isQuiet) return;
  const { current, switched_at } = last;
  const previous = keepsPrevious ? last.previous : undefined;
  if (last.previous && !previous) await putSwitch(namespace, { current, previous, switched_at });
  const orphanedBefore = Date.now() - orphanAgeMs;
  const isUnused = (key: string) => {
    const [, id = ""] = key.split("/");
    return id !== current.id && id !== previous?.id && parseStartTime(id) < orphanedBefore;
  };
  await namespace.delete(keys.filter(isUnused));
}

async function switchReaders(namespace: WritableNamespace, snapshots: Omit<Switch, "switched_at">) {
  const { current } = snapshots;
  await putSwitch(namespace, { ...snapshots, switched_at: new Date().toISOString() });
  const shown = await readSwitch(namespace);
  if (shown?.current.id !== current.id) throw new Error("The namespace does not show the new snapshot.");
}

/** Workers read only the members of the current snapshot. */
function putSwitch(namespace: WritableNamespace, { current, previous, switched_at }: Switch): Promise<void> {
  const addFormat = (snapshot: Snapshot) => ({ format: FORMAT, ...snapshot });
  const value = { ...addFormat(current), switched_at, previous: previous && addFormat(previous) };
  return namespace.put([{ key: CURRENT_SNAPSHOT_KEY, value: JSON.stringify(value) }]);
}

/** Returns undefined also if the current snapshot cannot be used. A load replaces it. */
async function readSwitch(namespace: WritableNamespace): Promise<Switch | undefined> {
  const [text] = await namespace.get([CURRENT_SNAPSHOT_KEY], MIN_CACHE_TTL);
  if (typeof text !== "string") return undefined;
  const current = await findUsable(() => parseSnapshot(text));
  if (current === undefined) return undefined;
  const stored = Object(JSON.parse(text));
  const previous = await findUsable(() => requireSnapshot(stored.previous));
  return { current, previous, switched_at: String(stored.switched_at) };
}
