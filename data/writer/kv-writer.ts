import { createKvStore, getBlockKey, type KeyValueStore, STATE_KEY } from "../../src/store/kv.ts";
import { DamagedStateError, NOTHING_LOADED, type State } from "../../src/store/state.ts";
import { parseStartTime, RejectedSwitchError, type WritableStore } from "./writer.ts";

/** A KV namespace to which commands write: through wrangler's command line, or as files on this machine. */
export interface WritableNamespace extends KeyValueStore {
  put(pairs: KeyValuePair[]): Promise<void>;
  delete(keys: string[]): Promise<void>;
  /** Lists the keys that begin so; by default all. */
  list(prefix?: string): Promise<string[]>;
  /** Bytes of values that one call of `put` should be given. */
  batchBytes: number;
}

export interface KeyValuePair {
  key: string;
  value: string;
}

// docs/architecture.md draws these four times in one line.

/** A deployed namespace may show a key, or its absence, as it was up to 60 seconds ago. */
const PROPAGATION_MS = 70_000;

const MINUTE_MS = 60_000;

/** For this long after a switch, readers may need what it replaced: KV lags, and clocks differ by minutes. */
export const SWEEP_DELAY_MS = 15 * MINUTE_MS;

/** Sweeps spare a load that began this recently, because it may still be running. */
export const ORPHAN_AGE_MS = 24 * 60 * MINUTE_MS;

/** A load that began longer ago does not switch: far from the time above, because clocks may be wrong and processes sleep. */
export const MAX_LOAD_MS = 2 * 60 * MINUTE_MS;

/**
 * A KV namespace as a store that commands write to. KV cannot compare before it writes, so of two loads the later switch wins, and
 * times keep what one of them may need.
 * @param isLocal whether the namespace is on this machine and locked: no other load can be running, and nothing lags
 */
export function createWritableKvStore(
  namespace: WritableNamespace,
  isLocal: boolean,
  propagationMs = isLocal ? 0 : PROPAGATION_MS,
): WritableStore {
  const store = createKvStore(namespace);
  const readState = async () => (await store.readState()).state;
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
      const replaced = await readState().catch(emptyIfDamaged);
      if (onlyIfEmpty && replaced.load !== "")
        throw new RejectedSwitchError("Something was loaded meanwhile, so the seed was not.");
      const now = Date.now();
      if (!isLocal) requireRecentLoad(next.load, now);
      const state: State = {
        ...next,
        loaded_at: new Date(now).toISOString(),
        sequence: replaced.sequence + 1,
      };
      await namespace.put([{ key: STATE_KEY, value: JSON.stringify(state) }]);
      if (isLocal || (await readState()).load === next.load) return;
      throw new Error("The namespace does not show the new state.");
    },
    async sweep() {
      // The keys are listed before the state is read, so a load that is switched to in between loses nothing.
      const keys = await namespace.list();
      const state = await readState().catch(emptyIfDamaged);
      const now = Date.now();
      if (!isLocal && (state.loaded_at === null || now - Date.parse(state.loaded_at) < SWEEP_DELAY_MS))
        return;
      const isUnused = (load: string) =>
        load !== state.load && (isLocal || now - parseStartTime(load) > ORPHAN_AGE_MS);
      await namespace.delete(keys.filter((key) => isUnused(parseLoadName(key) ?? state.load)));
    },
    discard: (load, numbers) => namespace.delete(numbers.map((number) => getBlockKey(load, number))),
  };
}

/** A damaged state is replaced like an empty one: a load is how it is repaired. */
function emptyIfDamaged(error: unknown): State {
  if (error instanceof DamagedStateError) return NOTHING_LOADED;
  throw error;
}

/** The name of the load to which a key belongs; undefined if it is not the key of a block. */
function parseLoadName(key: string): string | undefined {
  return /^block\/([^/]+)\//.exec(key)?.[1];
}

/** @throws RejectedSwitchError if a sweep may have removed what the load stored */
function requireRecentLoad(load: string, now: number): void {
  if (now - parseStartTime(load) <= MAX_LOAD_MS) return;
  throw new RejectedSwitchError(
    `The load began more than ${MAX_LOAD_MS / (60 * MINUTE_MS)} hours ago, so what it stored may be removed. Run the command again.`,
  );
}
