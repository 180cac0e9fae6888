import { type PageRequest, resolvePage } from "../records/page.ts";
import type { Statistics } from "../records/statistics.ts";
import { type Block, blockStarts, type Range, readLines } from "./blocks.ts";
import {
  blockKey,
  isRecent,
  type KvState,
  listReplaced,
  parseJson,
  parseState,
  requireKvState,
  STATE_KEY,
  selectRemovable,
  statisticsKey,
  writtenKey,
} from "./kv-state.ts";
import type { KeyValueStore, Pair } from "./namespace.ts";
import { retry } from "./retry.ts";
import {
  ConflictError,
  DamagedStateError,
  MissingBlockError,
  type NewState,
  type State,
  type Store,
} from "./store.ts";

/** The shortest that KV allows: how long a location may go on showing the old state after a load. */
const STATE_TTL = 30;

/** Blocks and statistics never change. */
const UNCHANGING_TTL = 86_400;

/** KV also keeps for a while that a key was missing, so what was written is looked for during a minute. */
const READ_BACK_ATTEMPTS = 8;
const FIRST_READ_BACK_PAUSE_MS = 500;

/** Keys in one call of `delete`. */
const BULK_KEYS = 100;

/** The collection in a KV namespace. */
export function createKvStore(namespace: KeyValueStore): Store {
  return {
    readState: () => readState(namespace),
    readPage: (request, { known }) => readPage(namespace, request, known),
    readBlocks: async (state, range) => readBlocks(namespace, requireKvState(state), range),
    async readStatistics(state) {
      const key = statisticsKey(state);
      const [text] = await get(namespace, [key], ttlOf(state));
      return typeof text === "string" ? (parseJson(text, key) as Statistics) : undefined;
    },
    batchBytes: namespace.batchBytes,
    async writeBlocks(blocks, { revision }) {
      const pairs = blocks.map(({ first, text }) => ({ key: writtenKey(revision, first), value: text }));
      await put(namespace, pairs);
      await readBack(namespace, pairs);
    },
    switchTo: (state) => switchTo(namespace, state),
    sweep: (scope) => sweep(namespace, scope),
  };
}

async function readState(namespace: KeyValueStore): Promise<KvState> {
  const [text] = await get(namespace, [STATE_KEY], STATE_TTL);
  return parseState(text);
}

async function readPage(namespace: KeyValueStore, request: PageRequest, known: State | undefined) {
  const read = async (state: KvState) => {
    const location = resolvePage(request, state);
    const blocks = typeof location === "string" ? [] : await readBlocks(namespace, state, location);
    return { state, blocks: new Map(blocks.map((block) => [block.first, readLines(block, state.count)])) };
  };
  const state = known ? requireKvState(known) : await readState(namespace);
  try {
    return await read(state);
  } catch (error) {
    // A location may see a new state before it sees its blocks.
    const { before } = state;
    if (!(error instanceof MissingBlockError) || !before) throw error;
    // A page that only the new state has must not look as if it did not exist.
    if (typeof resolvePage(request, before) === "string") throw error;
    return read(before);
  }
}

async function readBlocks(namespace: KeyValueStore, state: KvState, range: Range): Promise<Block[]> {
  const starts = blockStarts(range);
  const keys = starts.map((start) => blockKey(state, start));
  const texts = await get(namespace, keys, ttlOf(state));
  return starts.map((first, index) => {
    const text = texts[index];
    if (typeof text !== "string") throw new MissingBlockError(`KV has no key ${keys[index]}`);
    return { first, text };
  });
}

/** KV has no transactions: a state that is written between the comparison and the switch is replaced unnoticed. */
async function switchTo(namespace: KeyValueStore, state: NewState): Promise<KvState> {
  const { base, firstWritten, statistics, version, count, revision } = state;
  const pair = { key: statisticsKey({ revision }), value: JSON.stringify(statistics) };
  await put(namespace, [pair]);
  await readBack(namespace, [pair]);
  const current = await readReplaceable(namespace);
  if (base && current.revision !== base.revision) throw new ConflictError();
  const kept = base ? current.parts.filter(([first]) => first < firstWritten) : [];
  const next: KvState = {
    version,
    count,
    revision,
    previous: current.revision,
    switchedAt: new Date().toISOString(),
    sources: statistics.sources,
    parts: [...kept, [firstWritten, revision]],
    before: current.version === 0 ? undefined : { ...current, before: undefined },
  };
  await put(namespace, [{ key: STATE_KEY, value: JSON.stringify(next) }]);
  return next;
}

/** A load replaces a damaged state too. */
async function readReplaceable(namespace: KeyValueStore): Promise<KvState> {
  try {
    return await readState(namespace);
  } catch (error) {
    if (error instanceof DamagedStateError) return parseState(undefined);
    throw error;
  }
}

async function sweep(namespace: KeyValueStore, scope: "replaced" | "everything"): Promise<void> {
  if (isRecent(await readState(namespace))) return;
  // The keys are listed before the state is read, so a state that was switched to in between is kept.
  const listed = scope === "everything" ? await namespace.list() : undefined;
  const state = await readState(namespace);
  if (isRecent(state)) return;
  const removed = listed ? selectRemovable(listed, state, Date.now()) : listReplaced(state);
  for (let start = 0; start < removed.length; start += BULK_KEYS)
    await retry(() => namespace.delete(removed.slice(start, start + BULK_KEYS)), isTransient);
}

/**
 * Waits until written keys can be read.
 * @throws Error if one of them does not appear
 */
async function readBack(namespace: KeyValueStore, pairs: Pair[]): Promise<void> {
  let missing = pairs;
  for (let attempt = 1, pause = FIRST_READ_BACK_PAUSE_MS; ; attempt++, pause *= 2) {
    const keys = missing.map(({ key }) => key);
    const values = await get(namespace, keys, STATE_TTL);
    missing = missing.filter(({ value }, index) => values[index] !== value);
    if (missing.length === 0) return;
    if (attempt === READ_BACK_ATTEMPTS)
      throw new Error(`KV does not show ${missing.length} keys that were written, first ${missing[0]?.key}`);
    await new Promise<void>((resolve) => setTimeout(resolve, pause));
  }
}

function get(namespace: KeyValueStore, keys: string[], cacheTtl: number): Promise<(string | null)[]> {
  return retry(() => namespace.get(keys, cacheTtl), isTransient);
}

function put(namespace: KeyValueStore, pairs: Pair[]): Promise<void> {
  return retry(() => namespace.put(pairs), isTransient);
}

/** A location that cannot see a new key yet would keep for this long that it is missing. */
function ttlOf(state: State): number {
  return isRecent(state) ? STATE_TTL : UNCHANGING_TTL;
}

/** KV reports `KV GET failed: 500 Internal Server Error`, with the status of what went wrong inside. */
function isTransient(error: unknown): boolean {
  return /KV (GET|PUT|DELETE) failed: (5\d\d|429)|Network connection lost/.test(String(error));
}
