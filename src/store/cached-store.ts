import {
  type GetHiddenCount,
  locatePage,
  PAGE_SIZE,
  type PageLocation,
  type PageNumber,
} from "../records/page.ts";
import {
  type Block,
  decodeRange,
  getBlockNumber,
  getBlockNumbers,
  type PlaceRange,
  parseBlock,
  requireBlocks,
} from "./block.ts";
import type { WaitUntil } from "./retry.ts";
import type { State, Store } from "./state.ts";
import { createStateCache, getState, type ReadContext, readWithCurrentState } from "./state-cache.ts";
import { readStatistics, type Statistics } from "./stored-statistics.ts";

// Each response uses one state and the blocks of its load, although the cache of an instance can contain blocks of several loads.

/** Max size of the cache of an instance: 16 of the 128 MB that the platform allows. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

/** The estimated memory of a character: one byte for most characters, and one byte for the overhead of its line. */
const BYTES_PER_CHARACTER = 2;

/** An estimate of the memory for one day of the statistics. */
const BYTES_PER_DAY = 200;

/** A state and a page. `found` is undefined if the state has no such page. `results` is a JSON array of the records, newest first. */
export interface PageRead {
  state: State;
  found: { location: PageLocation; results: string } | undefined;
}

/** A store behind the cache of this instance. */
export interface CachedStore {
  getState(waitUntil: WaitUntil): Promise<State>;
  /** @param getHiddenCount Returns the number of hidden records; if undefined, no records are hidden */
  getPage(
    page: PageNumber,
    getHiddenCount: GetHiddenCount | undefined,
    waitUntil: WaitUntil,
  ): Promise<PageRead>;
  getStatistics(waitUntil: WaitUntil): Promise<{ state: State; statistics: Statistics }>;
}

/** The caches of an instance, and the request that uses them. */
interface CacheContext extends ReadContext {
  store: Store;
  cache: ReturnType<typeof createLruCache>;
}

/**
 * Creates a cache in front of a store. While the cached state is fresh, pages of cached blocks are served without reading the store.
 * While the store fails, these pages are served even if the cached state has expired.
 * @param name The name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, maxBytes = MAX_CACHE_BYTES): CachedStore {
  const stateCache = createStateCache(name);
  const cache = createLruCache(maxBytes);
  const readState = async (fromPrimary: boolean) => (await store.readState({ fromPrimary })).state;
  const instance = { store, stateCache, cache, readState };
  return {
    getState: (waitUntil) => getState({ ...instance, waitUntil }),
    getPage: (page, getHiddenCount, waitUntil) => getPage({ ...instance, waitUntil }, page, getHiddenCount),
    getStatistics: (waitUntil) => getStatistics({ ...instance, waitUntil }),
  };
}

async function getPage(
  context: CacheContext,
  page: PageNumber,
  getHiddenCount: GetHiddenCount | undefined,
): Promise<PageRead> {
  const { store, stateCache, cache } = context;
  const locate = ({ count }: State) => locatePage(page, count, getHiddenCount?.(count));
  const isCached = (state: State) => {
    const location = locate(state);
    return location && getBlockNumbers(location).every((number) => cache.get(blockCacheKey(state, number)));
  };
  /** Reads the state and, in the same step, the block of the page, unless that block is cached or the page can span two blocks. */
  const readStateAndBlock = async (fromPrimary: boolean) => {
    const stateOnly = getHiddenCount || (stateCache.latest && isCached(stateCache.latest));
    const blockOfPage = page === "last" ? page : getBlockNumber(PAGE_SIZE * page);
    const withBlock = stateOnly ? undefined : blockOfPage;
    const { state, block } = await store.readState({ fromPrimary, withBlock });
    // Ignore a damaged block here: a request for one of its pages reads it again and reports the error.
    if (block) await cacheBlock(context, state, block).catch(() => undefined);
    return state;
  };
  return readWithCurrentState({ ...context, readState: readStateAndBlock }, async (state) => {
    const location = locate(state);
    return location && { location, results: await getResults(context, state, location) };
  });
}

async function getResults(context: CacheContext, state: State, location: PlaceRange): Promise<string> {
  const { cache } = context;
  const key = `${state.load} ${location.first} ${location.last}`;
  const found = cache.get(key);
  if (found) return found as string;
  const numbers = getBlockNumbers(location);
  const blocks = await Promise.all(numbers.map((number) => getBlock(context, state, number)));
  const results = JSON.stringify(decodeRange(location, blocks));
  cache.set(key, results, results.length * BYTES_PER_CHARACTER);
  return results;
}

async function getBlock(context: CacheContext, state: State, number: number): Promise<string[]> {
  const { store, stateCache, cache, waitUntil } = context;
  const key = blockCacheKey(state, number);
  const found = cache.get(key);
  if (found) return found as string[];
  const read = () => requireBlocks(store, state.load, [number]);
  const [text = ""] = await stateCache.singleFlight(key, read, waitUntil);
  return cacheBlock(context, state, { number, text });
}

/** Parses a block and caches its lines. */
async function cacheBlock({ cache }: CacheContext, state: State, { number, text }: Block): Promise<string[]> {
  const lines = parseBlock(state.count, number, text);
  cache.set(blockCacheKey(state, number), lines, text.length * BYTES_PER_CHARACTER);
  return lines;
}

function blockCacheKey({ load }: State, number: number): string {
  return `${load}/${number}`;
}

async function getStatistics(context: CacheContext): Promise<{ state: State; statistics: Statistics }> {
  const { store, stateCache, cache, waitUntil } = context;
  const { state, found } = await readWithCurrentState(context, async ({ load }) => {
    const key = `${load} statistics`;
    const statistics = cache.get(key) as Statistics | undefined;
    return statistics ?? stateCache.singleFlight(key, () => readStatistics(store, load), waitUntil);
  });
  cache.set(`${state.load} statistics`, found, found.days.length * BYTES_PER_DAY);
  return { state, statistics: found };
}

/**
 * Creates an LRU cache.
 * @param maxBytes The least recently used values are evicted above this size
 */
function createLruCache(maxBytes: number) {
  // A Map has the order in which keys were set, so the first entry is the least recently used.
  const entries = new Map<string, { value: unknown; bytes: number }>();
  let total = 0;
  return {
    get(key: string): unknown {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    /** @param bytes An estimate of the memory for the value */
    set(key: string, value: unknown, bytes: number): void {
      total += bytes - (entries.get(key)?.bytes ?? 0);
      entries.delete(key);
      entries.set(key, { value, bytes });
      for (const [oldest, entry] of entries) {
        if (total <= maxBytes) return;
        entries.delete(oldest);
        total -= entry.bytes;
      }
    },
  };
}
