import { writeFile } from "node:fs/promises";
import type { TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_PREFIX, BLOCK_SIZE, blocksOf, STATE_KEY } from "../../src/records/store/blocks.ts";
import type { State } from "../../src/records/store/store.ts";
import { openScratch } from "./scratch.ts";
import type { Target } from "./target.ts";
import { type Deployment, deploymentOptions, runWrangler } from "./wrangler.ts";

/** Blocks in one bulk write, about 5 MB: wrangler holds them all in memory. */
const BULK_SIZE = 40;

/**
 * How long after a load readers may still need the version that it replaced: instances ask again after 5 s, and KV may
 * show the old state for 30 s more. The rest is for clocks that differ.
 */
const GRACE_MS = 120_000;

/** What stands under the state's key; readers need no more than the state. */
interface StoredState extends State {
  /** When the state was switched, ISO 8601. */
  loaded_at: string;
}

export interface Pair {
  key: string;
  value: string;
}

/** The collection in a KV namespace, in blocks as src/records/store/blocks.ts lays them out. */
export const kvTarget: Target = {
  async prepare(deployment) {
    return (await readState(deployment))?.version ?? 0;
  },

  async load(records, state, deployment, onProgress) {
    await sweep(deployment);
    const file = openScratch("load.json");
    const keys: string[] = [];
    for (const pairs of chunk(writeBlocks(records, state))) {
      await writeFile(file, JSON.stringify(pairs));
      await runKv(["bulk", "put", file], deployment);
      keys.push(...pairs.map(({ key }) => key));
      onProgress(Math.min(state.count, keys.length * BLOCK_SIZE));
    }
    await requireAll(keys, deployment);
    const stored: StoredState = { ...state, loaded_at: new Date().toISOString() };
    await runKv(["key", "put", STATE_KEY, JSON.stringify(stored)], deployment);
  },
};

/**
 * The blocks of a load, oldest first.
 * @param records oldest first; as many as `state.count`
 */
export function* writeBlocks(records: Iterable<TrafficRecord>, state: State): Generator<Pair> {
  let lines: string[] = [];
  let position = 0;
  for (const record of records) {
    lines.push(JSON.stringify(record));
    position += 1;
    if (position % BLOCK_SIZE !== 0 && position !== state.count) continue;
    for (const { key } of blocksOf(state, position, position))
      yield { key, value: lines.reverse().join("\n") };
    lines = [];
  }
}

function* chunk(pairs: Iterable<Pair>): Generator<Pair[]> {
  let bulk: Pair[] = [];
  for (const pair of pairs) {
    bulk.push(pair);
    if (bulk.length < BULK_SIZE) continue;
    yield bulk;
    bulk = [];
  }
  if (bulk.length > 0) yield bulk;
}

/** Removes all blocks that no reader can need any longer: replaced ones and those of interrupted loads. */
async function sweep(deployment: Deployment): Promise<void> {
  const state = await readState(deployment);
  if (state && Date.now() - Date.parse(state.loaded_at) < GRACE_MS) return;
  const current = `${BLOCK_PREFIX}${state?.version}/`;
  const keys = (await listKeys(deployment)).filter((key) => !key.startsWith(current));
  if (keys.length === 0) return;
  const file = openScratch("sweep.json");
  await writeFile(file, JSON.stringify(keys));
  await runKv(["bulk", "delete", file, "--force"], deployment);
}

/** Another load at the same time sweeps up this one's blocks: then the state must not name them. */
async function requireAll(keys: string[], deployment: Deployment): Promise<void> {
  const present = new Set(await listKeys(deployment));
  const lost = keys.filter((key) => !present.has(key));
  if (lost.length > 0)
    throw new Error(`KV has lost ${lost.length} blocks of this load; was there another at the same time?`);
}

async function readState(deployment: Deployment): Promise<StoredState | undefined> {
  const keys = await listKeys(deployment, STATE_KEY);
  if (!keys.includes(STATE_KEY)) return undefined;
  return JSON.parse(await runKv(["key", "get", STATE_KEY, "--text"], deployment));
}

async function listKeys(deployment: Deployment, prefix = BLOCK_PREFIX): Promise<string[]> {
  const listed: { name: string }[] = JSON.parse(await runKv(["key", "list", "--prefix", prefix], deployment));
  return listed.map(({ name }) => name);
}

function runKv(command: string[], deployment: Deployment): Promise<string> {
  return runWrangler(["kv", ...command, "--binding", "KV", ...deploymentOptions(deployment)]);
}
