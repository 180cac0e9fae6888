import type { KVNamespace } from "@cloudflare/workers-types";
import { gatherStatistics } from "../records/statistics.ts";
import { blockStarts } from "./blocks.ts";
import { retry, SHORT_PAUSES } from "./retry.ts";
import {
  createState,
  DamagedStateError,
  type DeadWrites,
  isDead,
  MissingBlockError,
  NOTHING_LOADED,
  parseStatistics,
  type State,
  type StateStatistics,
  type Store,
} from "./store.ts";

/*
 * The collection in a KV namespace. KV has no transactions, and a location may show a key, or its absence, as it was up to 60
 * seconds ago, each key by itself. Responses are nevertheless always of one state:
 *
 * - A page is read with the names that a state contains. A name contains the random name of a load, so it is never used for
 *   other content: a reader gets the right block or none, whatever it sees late.
 * - The state is one key, written last. If a location shows it before its blocks, it is served from `before`, the state that was
 *   replaced, or from the one before that. Such states are kept up to one whose blocks are surely visible everywhere.
 * - A sweep keeps what the state and its `before` name. It removes nothing for some minutes after a switch, because readers may
 *   still have an earlier state, and it spares names of writes that may not have switched yet.
 * - KV cannot compare before it writes. Two loads at once do not disturb each other, and the later switch wins. Two appends would
 *   lose the records of one, so KV takes loads only.
 */

/** A KV namespace: the worker's binding, wrangler's command line, or files on this machine. It retries what fails for a moment. */
export interface KeyValueStore {
  /**
   * Reads values; null for a key that does not exist.
   * @param cacheTtl seconds, 30 or more, for which a location of KV may keep what it read
   */
  get(keys: string[], cacheTtl: number): Promise<(string | null)[]>;
  /** Writes new keys. */
  put(pairs: Pair[]): Promise<void>;
  /** Writes a key that may exist, and tries only once: another writer may have written it meanwhile. */
  replace(pair: Pair): Promise<void>;
  delete(keys: string[]): Promise<void>;
  list(): Promise<string[]>;
  /** Bytes of values that one call of `put` should be given. */
  batchBytes: number;
}

export interface Pair {
  key: string;
  value: string;
}

/** The key of the current state. */
export const STATE_KEY = "collection";

/** States before the current one that are kept at most, if many loads follow each other. */
const MOST_BEFORE = 8;

/** For this long after a switch, readers may need what it replaced: KV lags, and clocks differ by minutes. */
export const GRACE_MS = 15 * 60_000;

/** The shortest that KV allows, in seconds. KV also keeps for this long that a key is missing. */
const SHORT_TTL = 30;

/** For keys that are surely visible; they never change. */
const LONG_TTL = 86_400;

/** Keys in one call of `delete`. */
const BULK_KEYS = 100;

/** @param isExclusive whether the namespace is local and locked: no other writer can be running, and nothing lags */
export function createKvStore(namespace: KeyValueStore, isExclusive = false): Store {
  const readState = async () => parseState((await namespace.get([STATE_KEY], SHORT_TTL))[0]);
  return {
    trustMs: 5_000,
    // A location may show an earlier value of a key for 60 seconds.
    lagMs: isExclusive ? 0 : 70_000,
    takesAppends: false,
    isExclusive,
    batchBytes: namespace.batchBytes,
    readState,
    async readBlocks(state, range) {
      const starts = blockStarts(range);
      const keys = starts.map((start) => blockKey(state.load, start));
      const texts = await namespace.get(keys, ttlOf(state));
      return starts.map((first, index) => {
        const text = texts[index];
        if (typeof text !== "string") throw new MissingBlockError(`KV has no key ${keys[index]}`);
        return { first, text };
      });
    },
    async readStatistics() {
      const state = await readState();
      const found = await findStatistics(namespace, state);
      if (found) return found;
      throw new MissingBlockError(`KV has no key ${statisticsKey(state)}`);
    },
    writeBlocks: (blocks, { load }) =>
      namespace.put(blocks.map(({ first, text }) => ({ key: blockKey(load, first), value: text }))),
    async switchTo(next, expected) {
      const state: State = {
        ...createState(next, expected),
        before: trim(expected, isExclusive ? 1 : MOST_BEFORE),
      };
      await namespace.put([{ key: statisticsKey(state), value: JSON.stringify(next.statistics) }]);
      await namespace.replace({ key: STATE_KEY, value: JSON.stringify(state) });
      return state;
    },
    async sweep(dead) {
      // The keys are listed before the state is read, so a state that was switched to in between loses nothing.
      const keys = await namespace.list();
      const state = await readState();
      if (!isExclusive && ageOf(state) < GRACE_MS) return;
      await remove(namespace, selectRemovable(keys, state, dead));
    },
    discard: (blocks, owner) =>
      remove(namespace, [...blocks.map(({ first }) => blockKey(owner.load, first)), statisticsKey(owner)]),
  };
}

/** The binding of a worker. */
export function bindNamespace(namespace: KVNamespace): KeyValueStore {
  const policy = { isTransient, ...SHORT_PAUSES };
  const each = <T, R>(items: T[], act: (item: T) => Promise<R>) =>
    Promise.all(items.map((item) => retry(() => act(item), policy)));
  return {
    get: (keys, cacheTtl) => each(keys, (key) => namespace.get(key, { type: "text", cacheTtl })),
    put: async (pairs) => void (await each(pairs, ({ key, value }) => namespace.put(key, value))),
    replace: ({ key, value }) => namespace.put(key, value),
    delete: async (keys) => void (await each(keys, (key) => namespace.delete(key))),
    async list() {
      const keys: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await namespace.list({ cursor: cursor ?? null });
        keys.push(...page.keys.map(({ name }) => name));
        cursor = page.list_complete ? undefined : page.cursor;
      } while (cursor);
      return keys;
    },
    batchBytes: 250_000,
  };
}

/** KV reports `KV GET failed: 500 Internal Server Error`, with the status of what went wrong inside. */
function isTransient(error: unknown): boolean {
  return /KV (GET|PUT|DELETE) failed: (5\d\d|429)|Network connection lost/.test(String(error));
}

function blockKey(load: string, first: number): string {
  return `blocks/${load}/${first}`;
}

function statisticsKey({ revision }: Pick<State, "revision">): string {
  return `statistics/${revision}`;
}

/** The statistics of a state or, if they are not visible yet, those of the state before with that state. */
async function findStatistics(namespace: KeyValueStore, state: State): Promise<StateStatistics | undefined> {
  if (state.load === "") return { state, statistics: gatherStatistics().statistics() };
  const [text] = await namespace.get([statisticsKey(state)], ttlOf(state));
  if (typeof text === "string") return { state, statistics: parseStatistics(text) };
  return state.before && findStatistics(namespace, state.before);
}

/** A location that cannot see a new key yet would keep for this long that it is missing. */
function ttlOf(state: State): number {
  return ageOf(state) < GRACE_MS ? SHORT_TTL : LONG_TTL;
}

/** Milliseconds since the switch; infinite if there was none. */
function ageOf({ switchedAt }: State): number {
  return switchedAt === undefined ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(switchedAt);
}

/**
 * A state with those before it, up to one whose blocks are surely visible everywhere.
 * @param most states that are kept
 */
function trim(state: State, most: number): State | undefined {
  if (state.load === "") return undefined;
  const isVisible = most === 1 || ageOf(state) >= GRACE_MS;
  return { ...state, before: isVisible || !state.before ? undefined : trim(state.before, most - 1) };
}

/** A state and all before it that it contains. */
function listStates(state: State): State[] {
  return [state, ...(state.before ? listStates(state.before) : [])];
}

/** The listed keys that neither the state nor those before it name, of writes that are dead or whose state was replaced. */
function selectRemovable(keys: string[], state: State, { names, before }: DeadWrites): string[] {
  const needed = listStates(state).flatMap(({ load, revision }) => [load, revision]);
  const dead = { names: [...names, ...state.previous], before };
  return keys.filter((key) => {
    const [, name] = /^(?:blocks|statistics)\/([^/]+)/.exec(key) ?? [];
    return name !== undefined && !needed.includes(name) && isDead(name, dead);
  });
}

async function remove(namespace: KeyValueStore, keys: string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += BULK_KEYS)
    await namespace.delete(keys.slice(start, start + BULK_KEYS));
}

/** @param text null if nothing was ever loaded, which is an empty collection */
function parseState(text: string | null | undefined): State {
  if (typeof text !== "string") return NOTHING_LOADED;
  try {
    const state = JSON.parse(text);
    const { load, count, tail, revision, previous, sequence } = Object(state);
    const areTexts = [load, tail, revision].every((value) => typeof value === "string");
    if (areTexts && [count, sequence].every(Number.isSafeInteger) && Array.isArray(previous)) return state;
  } catch (cause) {
    throw new DamagedStateError(`KV holds text that is not JSON in ${STATE_KEY}`, { cause });
  }
  throw new DamagedStateError(`KV holds a damaged state: ${text}`);
}
