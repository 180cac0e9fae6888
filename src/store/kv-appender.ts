import type { KVNamespace } from "@cloudflare/workers-types";
import type { TrafficRecord } from "../records/record.ts";
import type { RecordAppender } from "./appender.ts";
import { BLOCK_SIZE, blocksOf, GRACE_MS, STATISTICS_PREFIX, statisticsKey } from "./blocks.ts";
import { kvStore, readLines } from "./kv.ts";
import { appendPairs, type Pair, switchTo } from "./kv-pairs.ts";
import type { Loaded, State } from "./store.ts";

/** Replaced states that one append sweeps up at most; each append leaves one. */
const SWEPT = 20;

/**
 * Adds to the collection in a KV namespace. KV has no transactions: a load that ends at the same moment may be undone
 * by the switch, since the look at the state before may show an old one for 30 s.
 */
export function kvAppender(namespace: KVNamespace): RecordAppender {
  const store = kvStore(namespace);
  return {
    loaded: store.loaded,
    async append(records, loaded) {
      await sweep(namespace, loaded);
      const state = { ...loaded.state, count: loaded.state.count + records.length };
      const tail = await readTail(namespace, loaded.state);
      const pairs = [...appendPairs(tail, records, loaded, state.count)];
      // The statistics, which come last, go first: they tell a sweep which blocks an interrupted append left.
      for (const pair of pairs.reverse()) await put(namespace, pair);
      requireSame(await store.state(), loaded.state);
      await put(namespace, switchTo(state, new Date()));
    },
  };
}

async function put(namespace: KVNamespace, { key, value }: Pair): Promise<void> {
  await namespace.put(key, value);
}

/** The records of the last block, oldest first; none if it is full. */
async function readTail(namespace: KVNamespace, state: State): Promise<TrafficRecord[]> {
  const [block] = state.count % BLOCK_SIZE === 0 ? [] : blocksOf(state, state.count, state.count);
  if (!block) return [];
  const lines = await readLines(namespace, block, block.first, block.last);
  return lines.reverse().map(parseRecord);
}

function parseRecord(line: string): TrafficRecord {
  return JSON.parse(line);
}

function requireSame(current: State, { version, count }: State): void {
  if (current.version !== version || current.count !== count)
    throw new Error("Something else was loaded at the same time.");
}

/**
 * Removes what earlier appends replaced: the last block of each earlier state, if it was not full, and the statistics.
 * A load sweeps up everything else. Removed last, the statistics tell what is left if this is interrupted.
 */
async function sweep(namespace: KVNamespace, { state, loadedAt = "" }: Loaded): Promise<void> {
  if (Date.now() - Date.parse(loadedAt) < GRACE_MS) return;
  for (const replaced of await listReplaced(namespace, state)) {
    const [block] = blocksOf(replaced, replaced.count, replaced.count);
    if (block && replaced.count % BLOCK_SIZE !== 0) await namespace.delete(block.key);
    await namespace.delete(statisticsKey(replaced));
  }
}

/** Earlier states of the same version that still have statistics. A later one may belong to an append under way. */
async function listReplaced(namespace: KVNamespace, { version, count }: State): Promise<State[]> {
  const prefix = `${STATISTICS_PREFIX}${version}/`;
  const { keys } = await namespace.list({ prefix, limit: SWEPT + 1 });
  return keys
    .map(({ name }) => ({ version, count: Number(name.slice(prefix.length)) }))
    .filter((state) => state.count < count);
}
