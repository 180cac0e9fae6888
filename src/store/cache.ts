import {
  type HiddenCount,
  locatePage,
  PAGE_SIZE,
  type PageLocation,
  type PageNumber,
} from "../records/page.ts";
import type { Statistics } from "../records/record.ts";
import {
  type Block,
  decodeRange,
  getBlockNumber,
  getBlockNumbers,
  type PlaceRange,
  parseBlock,
  readStatistics,
  requireBlocks,
} from "./block.ts";
import type { WaitUntil } from "./retry.ts";
import type { State, Store } from "./state.ts";
import { createStateCache, getState, type InstanceContext, readWithCurrentState } from "./state-cache.ts";

// A response comes from one state and the blocks of its load, although an instance keeps blocks of several loads.

/** Blocks and pages that an instance keeps, in bytes: an eighth of the 128 MB that the platform gives it. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

/** A character takes at most two, and nearly always one, which leaves room for what a line takes beside its characters. */
const BYTES_PER_CHARACTER = 2;

/** What a day of the statistics takes in memory. */
const BYTES_PER_DAY = 200;

/** A page of a state, or the state alone if it has no such page. `results` is the JSON text of its records, newest first. */
export interface PageRead {
  state: State;
  found: { location: PageLocation; results: string } | undefined;
}

/** A store with this instance's cache in front. */
export interface CachedStore {
  state(waitUntil: WaitUntil): Promise<State>;
  /** @param getHiddenCount says how many of the newest records are hidden; by default none are */
  page(page: PageNumber, getHiddenCount: HiddenCount | undefined, waitUntil: WaitUntil): Promise<PageRead>;
  statistics(waitUntil: WaitUntil): Promise<{ state: State; statistics: Statistics }>;
}

/** What an instance knows and keeps, and the request that uses it. */
interface CacheContext extends InstanceContext {
  store: Store;
  cache: ReturnType<typeof createLruCache>;
}

/**
 * Puts a cache in front of a store. While the instance trusts its copy of the state, pages whose blocks it keeps are served
 * without the store. While the store fails, they are served however old they are.
 * @param name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, maxBytes = MAX_CACHE_BYTES): CachedStore {
  const stateCache = createStateCache(name);
  const cache = createLruCache(maxBytes);
  const readState = async (fromPrimary: boolean) => (await store.readState({ fromPrimary })).state;
  const instance = { store, stateCache, cache, readState };
  return {
    state: (waitUntil) => getState({ ...instance, waitUntil }),
    page: (page, getHiddenCount, waitUntil) => getPage({ ...instance, waitUntil }, page, getHiddenCount),
    statistics: (waitUntil) => getStatistics({ ...instance, waitUntil }),
  };
}

async function getPage(
  context: CacheContext,
  page: PageNumber,
  getHiddenCount: HiddenCount | undefined,
): Promise<PageRead> {
  const { store, stateCache, cache } = context;
  const locate = ({ count }: State) => locatePage(page, count, getHiddenCount?.(count));
  const isCached = (state: State) => {
    const location = locate(state);
    return location && getBlockNumbers(location).every((number) => cache.get(blockCacheKey(state, number)));
  };
  /** Reads the state and, if the page lies in one block that is not kept, this block, whose number follows from the page. */
  const readState = async (fromPrimary: boolean) => {
    const stateOnly = getHiddenCount || (stateCache.latest && isCached(stateCache.latest));
    const blockOfPage = page === "last" ? page : getBlockNumber(PAGE_SIZE * page);
    const withBlock = stateOnly ? undefined : blockOfPage;
    const { state, block } = await store.readState({ fromPrimary, withBlock });
    // A damaged one is read again by the requests for its pages, which report it.
    if (block) await cacheBlock(context, state, block).catch(() => undefined);
    return state;
  };
  return readWithCurrentState({ ...context, readState }, async (state) => {
    const location = locate(state);
    return location && { location, results: await getResults(context, state, location) };
  });
}

async function getResults(context: CacheContext, state: State, location: PlaceRange): Promise<string> {
  const { cache } = context;
  const name = `${state.load} ${location.first} ${location.last}`;
  const found = cache.get(name);
  if (found) return found as string;
  const numbers = getBlockNumbers(location);
  const blocks = await Promise.all(numbers.map((number) => getBlock(context, state, number)));
  const results = JSON.stringify(decodeRange(location, blocks));
  cache.set(name, results, results.length * BYTES_PER_CHARACTER);
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

/** Keeps the lines of a block, unless it is damaged. */
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
    const name = `${load} statistics`;
    const statistics = cache.get(name) as Statistics | undefined;
    return statistics ?? stateCache.singleFlight(name, () => readStatistics(store, load), waitUntil);
  });
  cache.set(`${state.load} statistics`, found, found.days.length * BYTES_PER_DAY);
  return { state, statistics: found };
}

/**
 * Creates a memory of values by name.
 * @param maxBytes if there are more, the values that were asked for longest ago are dropped
 */
function createLruCache(maxBytes: number) {
  // A Map remembers the order in which its keys were set: the first is the one that was asked for longest ago.
  const entries = new Map<string, { value: unknown; bytes: number }>();
  let total = 0;
  return {
    get(name: string): unknown {
      const entry = entries.get(name);
      if (!entry) return undefined;
      entries.delete(name);
      entries.set(name, entry);
      return entry.value;
    },
    /** @param bytes about how much memory the value takes */
    set(name: string, value: unknown, bytes: number): void {
      total += bytes - (entries.get(name)?.bytes ?? 0);
      entries.delete(name);
      entries.set(name, { value, bytes });
      for (const [oldest, entry] of entries) {
        if (total <= maxBytes) return;
        entries.delete(oldest);
        total -= entry.bytes;
      }
    },
  };
}
