import {
  BLOCK_PREFIX,
  BLOCK_SIZE,
  blocksOf,
  GRACE_MS,
  STATISTICS_PREFIX,
  statisticsKey,
} from "../../src/store/blocks.ts";
import { appendPairs, type Pair, switchTo, writePairs } from "../../src/store/kv-pairs.ts";
import type { State } from "../../src/store/store.ts";
import type { Deployment } from "../../tools/wrangler/wrangler.ts";
import { chunk } from "../chunk.ts";
import { findIds, readLoaded, readRecords, readTail } from "./kv/contents.ts";
import { listKeys, readState, runBulk, runKv } from "./kv/namespace.ts";
import type { Target } from "./target.ts";

/** Keys that a load writes besides the state. */
const LOADED = new RegExp(`^(${BLOCK_PREFIX}|${STATISTICS_PREFIX})`);

/** Bytes in one bulk write, some 30 blocks: wrangler holds them all in memory, several times over. */
const BULK_BYTES = 4_000_000;

/** The collection in a KV namespace, in blocks as src/store/blocks.ts lays them out. */
export const kvTarget: Target = {
  async prepare(deployment) {
    return (await readState(deployment))?.version ?? 0;
  },

  read: readLoaded,

  async load(records, state, deployment, onProgress) {
    await sweep(deployment);
    await put(writePairs(records, state), state.count, deployment, onProgress);
    await putState(state, deployment);
  },

  async append(records, loaded, count, deployment, onProgress) {
    await sweep(deployment);
    const state = { version: loaded.state.version, count };
    const tail = await readTail(loaded.state, deployment);
    await put(appendPairs(tail, records, loaded, count), count - loaded.state.count, deployment, onProgress);
    await requireState(loaded.state, deployment);
    await putState(state, deployment);
  },

  findIds,
  readRecords,
};

/**
 * Writes the pairs of a load and sees that all are there.
 * @param count records of the load
 */
async function put(
  pairs: Iterable<Pair>,
  count: number,
  deployment: Deployment,
  onProgress: (written: number) => void,
): Promise<void> {
  const keys: string[] = [];
  for (const some of chunk(pairs, BULK_BYTES, ({ value }) => Buffer.byteLength(value))) {
    await runBulk("put", some, deployment);
    keys.push(...some.map(({ key }) => key));
    onProgress(Math.min(count, keys.length * BLOCK_SIZE));
  }
  await requireAll(keys, deployment);
}

async function putState(state: State, deployment: Deployment): Promise<void> {
  const { key, value } = switchTo(state, new Date());
  await runKv(["key", "put", key, value], deployment);
}

/** Removes what no reader can need any longer: what the state replaced, and what interrupted loads left. */
async function sweep(deployment: Deployment): Promise<void> {
  const state = await readState(deployment);
  if (state && Date.now() - Date.parse(state.loaded_at) < GRACE_MS) return;
  const current = new Set(state ? keysOf(state) : []);
  const keys = (await listKeys(deployment)).filter((key) => LOADED.test(key) && !current.has(key));
  if (keys.length > 0) await runBulk("delete", keys, deployment);
}

function keysOf(state: State): string[] {
  return [statisticsKey(state), ...blocksOf(state, 1, state.count).map(({ key }) => key)];
}

/** Another load at the same time sweeps up this one's blocks: then the state must not name them. */
async function requireAll(keys: string[], deployment: Deployment): Promise<void> {
  const present = new Set(await listKeys(deployment));
  const lost = keys.filter((key) => !present.has(key));
  if (lost.length > 0)
    throw new Error(`KV has lost ${lost.length} blocks of this load; was there another at the same time?`);
}

/** KV has no transactions: another load may still come between this look at the state and the switch. */
async function requireState({ version, count }: State, deployment: Deployment): Promise<void> {
  const state = await readState(deployment);
  if (state?.version !== version || state.count !== count)
    throw new Error("Something else was loaded at the same time.");
}
