import { type Hide, locatePage, PAGE_SIZE, type PageLocation, type PageNumber } from "../records/page.ts";
import type { Statistics } from "../records/record.ts";
import { blocksOf, decodeRange, lastBlock, openBlock, type PlaceRange, readStatistics } from "./block.ts";
import { createKnownState, findInCollection, type InstanceContext, takeState } from "./known-state.ts";
import type { WaitUntil } from "./retry.ts";
import type { Reading, State, Store } from "./state.ts";

// A response comes from one state and the blocks of its load, although an instance keeps blocks of several loads.

/** Blocks and pages that an instance keeps, in bytes: an eighth of the 128 MB that the platform gives it. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** A character takes at most two, and nearly always one, which leaves room for what a line takes beside its characters. */
const BYTES_PER_CHARACTER = 2;

/** What a day or a camera of the statistics takes in memory. */
const BYTES_PER_ENTRY = 200;

/** A page of a state, or the state alone if it has no such page. `results` is the JSON text of its records, newest first. */
export interface FoundPage {
  state: State;
  found: { location: PageLocation; results: string } | undefined;
}

/** A store with this instance's cache in front. */
export interface CachedStore {
  state(waitUntil: WaitUntil): Promise<State>;
  /** @param hide says how many of the newest records are hidden; by default none are */
  page(page: PageNumber, hide: Hide | undefined, waitUntil: WaitUntil): Promise<FoundPage>;
  statistics(waitUntil: WaitUntil): Promise<{ state: State; statistics: Statistics }>;
}

/** What an instance knows and keeps, and the request that uses it. */
interface CacheContext extends InstanceContext {
  kept: ReturnType<typeof createLruCache>;
}

/**
 * Puts a cache in front of a store. While the instance trusts its copy of the state, pages whose blocks it keeps are served
 * without the store. While the store fails, they are served however old they are.
 * @param name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, keptBytes = KEPT_BYTES): CachedStore {
  const known = createKnownState(store, name);
  const kept = createLruCache(keptBytes);
  return {
    state: async (waitUntil) => (await takeState({ known, waitUntil })).state,
    page: (page, hide, waitUntil) => findPage({ known, kept, waitUntil }, page, hide),
    statistics: (waitUntil) => findStatistics({ known, kept, waitUntil }),
  };
}

async function findPage(context: CacheContext, page: PageNumber, hide: Hide | undefined): Promise<FoundPage> {
  const locate = ({ count }: State) => locatePage(page, count, hide?.(count));
  const chooseBlock = (state?: State) => {
    const location = state && locate(state);
    const isKept =
      location && blocksOf(location).every((number) => context.kept.find(nameBlock(state, number)));
    if (hide || isKept) return undefined;
    // The page lies in one block, whose number follows from the page.
    return page === "last" ? page : lastBlock(PAGE_SIZE * page);
  };
  return findInCollection({ ...context, chooseBlock }, async (reading) => {
    const location = locate(reading.state);
    return location && { location, results: await findResults(context, reading, location) };
  });
}

async function findResults(context: CacheContext, reading: Reading, location: PlaceRange): Promise<string> {
  const name = `${reading.state.load} ${location.first} ${location.last}`;
  const found = context.kept.find(name);
  if (found) return found.value as string;
  const blocks = await Promise.all(blocksOf(location).map((number) => findBlock(context, reading, number)));
  const value = JSON.stringify(decodeRange(location, blocks));
  context.kept.keep(name, { value, bytes: value.length * BYTES_PER_CHARACTER });
  return value;
}

function findBlock(context: CacheContext, { state, text }: Reading, number: number): Promise<string[]> {
  return take(context, nameBlock(state, number), async () => {
    // If a block was read with the state, it is the only one of the page.
    const [read] = text === undefined ? await context.known.store.readBlocks(state.load, [number]) : [text];
    return { value: openBlock(state, number, read), bytes: String(read).length * BYTES_PER_CHARACTER };
  });
}

function nameBlock({ load }: State, number: number): string {
  return `${load}/${number}`;
}

async function findStatistics(context: CacheContext): Promise<{ state: State; statistics: Statistics }> {
  const find = ({ state: { load } }: Reading) =>
    take(context, `${load} statistics`, async () => {
      const value = await readStatistics(context.known.store, load);
      return { value, bytes: (value.days.length + value.cameras.length) * BYTES_PER_ENTRY };
    });
  const { state, found } = await findInCollection(context, find);
  return { state, statistics: found };
}

/** A value, and about how much memory it takes. */
interface Kept<T> {
  value: T;
  bytes: number;
}

/** What is kept by a name, or what is made now, once for all requests that wait for it, and then kept. */
async function take<T>(
  { known, kept, waitUntil }: CacheContext,
  name: string,
  make: () => Promise<Kept<T>>,
): Promise<T> {
  const found = kept.find(name);
  if (found) return found.value as T;
  const made = await known.share(name, make, waitUntil);
  kept.keep(name, made);
  return made.value;
}

/**
 * Creates a memory of values by name.
 * @param mostBytes if there are more, the values that were asked for longest ago are dropped
 */
function createLruCache(mostBytes: number) {
  // A Map remembers the order in which its keys were set: the first is the one that was asked for longest ago.
  const entries = new Map<string, Kept<unknown>>();
  let total = 0;
  return {
    find(name: string): Kept<unknown> | undefined {
      const entry = entries.get(name);
      if (!entry) return undefined;
      entries.delete(name);
      entries.set(name, entry);
      return entry;
    },
    keep(name: string, value: Kept<unknown>): void {
      total += value.bytes - (entries.get(name)?.bytes ?? 0);
      entries.delete(name);
      entries.set(name, value);
      for (const [oldest, entry] of entries) {
        if (total <= mostBytes) return;
        entries.delete(oldest);
        total -= entry.bytes;
      }
    },
  };
}
