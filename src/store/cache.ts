import { type Hide, locatePage, PAGE_SIZE, type PageLocation, type PageNumber } from "../records/page.ts";
import type { Statistics } from "../records/record.ts";
import {
  blocksOf,
  decodeRange,
  type Lines,
  lastBlock,
  openBlock,
  type PlaceRange,
  readStatistics,
} from "./block.ts";
import {
  type ChooseBlock,
  createKnownState,
  findInCollection,
  type InstanceContext,
  takeState,
} from "./known-state.ts";
import { limitTime, type WaitUntil } from "./retry.ts";
import type { Reading, State, Store } from "./state.ts";

// A response comes from one state and the blocks of its load, although an instance keeps blocks of several loads.

/** Blocks and pages that an instance keeps, in bytes: an eighth of the 128 MB that the platform gives it. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** A character takes at most two, and nearly always one, which leaves room for the numbers that say where lines begin. */
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
  const [known, kept] = [createKnownState(store, name), createLruCache(keptBytes)];
  return {
    state: async (waitUntil) => (await takeState({ known, waitUntil }, () => undefined)).state,
    page: (page, hide, waitUntil) => findPage({ known, kept, waitUntil }, page, hide),
    statistics: (waitUntil) => findStatistics({ known, kept, waitUntil }),
  };
}

function findPage(context: CacheContext, page: PageNumber, hide: Hide | undefined): Promise<FoundPage> {
  const locate = ({ count }: State) => locatePage(page, count, hide?.(count));
  const chooseBlock: ChooseBlock = (state) => {
    const location = state && locate(state);
    if (hide || (location && findBlocks(context, state, location))) return undefined;
    // The page lies in one block, whose number follows from the page.
    return page === "last" ? page : lastBlock(PAGE_SIZE * page);
  };
  return findInCollection(context, chooseBlock, async (reading) => {
    const location = locate(reading.state);
    return location && { location, results: await findResults(context, reading, location) };
  });
}

/** The results of a page. They are kept if they are rendered from kept blocks, because the page is then asked for again. */
async function findResults(context: CacheContext, reading: Reading, location: PlaceRange): Promise<string> {
  const { state } = reading;
  const name = `${state.load} ${location.first} ${location.last}`;
  const kept = context.kept.find(name);
  if (typeof kept === "string") return kept;
  const blocks = findBlocks(context, state, location);
  const opened = blocks ?? (await readBlocks(context, reading, blocksOf(location)));
  const results = JSON.stringify(decodeRange(location, opened));
  if (blocks) context.kept.keep(name, results, results.length * BYTES_PER_CHARACTER);
  return results;
}

/** The kept blocks of a page; undefined if one is not kept. */
function findBlocks(
  { kept }: CacheContext,
  state: State,
  location: PlaceRange,
): Map<number, Lines> | undefined {
  const numbers = blocksOf(location);
  const blocks = new Map(numbers.map((number) => [number, kept.find(nameBlock(state, number)) as Lines]));
  return numbers.every((number) => blocks.get(number)) ? blocks : undefined;
}

/** Reads blocks, unless the only one was read with the state, and keeps them. */
async function readBlocks(
  { known: { store, share }, kept, waitUntil }: CacheContext,
  { state, text }: Reading,
  numbers: number[],
): Promise<Map<number, Lines>> {
  const read = () => limitTime(store.readBlocks(state.load, numbers));
  const texts = text === undefined ? await share(`${state.load} ${numbers}`, read, waitUntil) : [text];
  const blocks = new Map<number, Lines>();
  for (const [index, number] of numbers.entries()) {
    const lines = openBlock(state, number, texts[index]);
    kept.keep(nameBlock(state, number), lines, String(texts[index]).length * BYTES_PER_CHARACTER);
    blocks.set(number, lines);
  }
  return blocks;
}

function nameBlock({ load }: State, number: number): string {
  return `${load}/${number}`;
}

async function findStatistics(context: CacheContext): Promise<{ state: State; statistics: Statistics }> {
  const { known, kept } = context;
  const nameOf = ({ load }: State) => `${load} statistics`;
  const chooseBlock: ChooseBlock = (state) => (state && kept.find(nameOf(state)) ? undefined : 0);
  const { state, found } = await findInCollection(context, chooseBlock, async (reading) => {
    const name = nameOf(reading.state);
    const found = kept.find(name) as Statistics | undefined;
    if (found) return found;
    const statistics = await limitTime(readStatistics(known.store, reading));
    const { days, cameras } = statistics;
    kept.keep(name, statistics, (days.length + cameras.length) * BYTES_PER_ENTRY);
    return statistics;
  });
  return { state, statistics: found };
}

/**
 * Creates a memory of values by name.
 * @param mostBytes if there are more, the values that were asked for longest ago are dropped
 */
function createLruCache(mostBytes: number) {
  // A Map remembers the order in which its keys were set: the first is the one that was asked for longest ago.
  const entries = new Map<string, { value: unknown; bytes: number }>();
  let total = 0;
  return {
    find(name: string): unknown {
      const entry = entries.get(name);
      if (!entry) return undefined;
      entries.delete(name);
      entries.set(name, entry);
      return entry.value;
    },
    keep(name: string, value: unknown, bytes: number): void {
      total += bytes - (entries.get(name)?.bytes ?? 0);
      entries.delete(name);
      entries.set(name, { value, bytes });
      for (const [oldest, entry] of entries) {
        if (total <= mostBytes) return;
        entries.delete(oldest);
        total -= entry.bytes;
      }
    },
  };
}
