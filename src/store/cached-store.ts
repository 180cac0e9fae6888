import { createLru } from "../lru.ts";
import {
  getLastPage,
  locatePage,
  PAGE_SIZE,
  type PageLocation,
  type PageNumber,
  type PositionRange,
} from "../records/page.ts";
import { type Block, decodeRange, getBlockNumber, getBlockNumbers, parseBlock } from "./block.ts";
import type { MaybeSnapshot, Snapshot } from "./snapshot.ts";
import { createSnapshotCache, searchSnapshot } from "./snapshot-cache.ts";
import { type CurrentSnapshot, requireBlock, type Store, type WantedBlock, withTimeout } from "./store.ts";
import { readStatistics, type Statistics, selectOldestDays } from "./stored-statistics.ts";

/*
 * A store behind the caches of an instance. A load writes a snapshot of the collection, which never changes: its records have the
 * positions 1, 2, 3, ..., newest first, and a block has the records of 195 positions. A page has 15, so it lies in one block, unless
 * `withoutNewest` moves it. Only which snapshot is current is read again and again (snapshot-cache.ts).
 */

/**
 * How many blocks and pages are cached. In Node, the blocks take 5 MB for the sample data and 32 MB for the longest possible records, and
 * the pages 3 MB and 13 MB. The platform allows 128 MB.
 */
const DEFAULT_LIMITS = { blocks: 256, pages: 1_000 };

export type CacheLimits = typeof DEFAULT_LIMITS;

interface CachedStoreOptions {
  /** The name of the store in the log. */
  name?: string | undefined;
  limits?: CacheLimits | undefined;
}

/** Where a page is in a collection. */
export interface LocatedPage {
  /** The snapshot that the collection shows. Its `count` is that of the collection. */
  snapshot: MaybeSnapshot;
  location: PageLocation;
  /** How many newer records are loaded, but not in the collection. */
  hidden: number;
}

interface PageOptions {
  /** Whether the client has a current copy of the page, so that its records are not read. By default, it has none. */
  matchesCopy?: ((page: LocatedPage) => boolean) | undefined;
}

/** A page with its records as a JSON array, newest first, or without them if the client has a current copy. */
type FoundPage = LocatedPage & ({ kind: "page"; records: string } | { kind: "not modified" });

/** The records of the current snapshot: all, or all but some of the newest. Each call uses one snapshot. */
export type Collection = ReturnType<typeof createCollection>;

/** A store behind the caches of this instance. */
export type CachedStore = ReturnType<typeof createCachedStore>;

/** Creates the caches in front of a store. */
export function createCachedStore(store: Store, options: CachedStoreOptions = {}) {
  const caches = createCaches(store, options);
  return {
    ...createCollection(caches),
    /** Returns the collection as if some of the newest records were not loaded yet. Both share the caches. */
    withoutNewest: (countHidden: (count: number) => number) => createCollection(caches, { countHidden }),
  };
}

function createCaches(store: Store, { name, limits = DEFAULT_LIMITS }: CachedStoreOptions) {
  return {
    snapshots: createSnapshotCache(store, name),
    readRecords: createRecordsReader(store, limits),
    readStatistics: createStatisticsReader(store),
  };
}

type Caches = ReturnType<typeof createCaches>;

/** @param options `countHidden` returns how many of the newest records the collection hides, given the number of all. By default, none */
function createCollection(caches: Caches, { countHidden }: { countHidden?: (count: number) => number } = {}) {
  const { snapshots, readRecords, readStatistics } = caches;
  const shorten = (snapshot: MaybeSnapshot): MaybeSnapshot => {
    if (countHidden === undefined || snapshot.id === null) return snapshot;
    return { ...snapshot, count: snapshot.count - countHidden(snapshot.count) };
  };
  return {
    /** Finds a page. Returns undefined if the page is past the end. */
    findPage(number: PageNumber, { matchesCopy }: PageOptions = {}) {
      // If it is certain that the page needs a block, and which one, a store such as D1 reads it together with the snapshot.
      const isBlockCertain = countHidden === undefined && matchesCopy === undefined;
      const wanted = isBlockCertain ? getWantedBlock(number) : undefined;
      return searchSnapshot(snapshots, wanted, async (current): Promise<FoundPage | undefined> => {
        const snapshot = shorten(current.snapshot);
        const location = locatePage(number, snapshot.count);
        if (location === undefined) return undefined;
        const hidden = current.snapshot.count - snapshot.count;
        const page = { snapshot, location, hidden };
        if (matchesCopy?.(page)) return { ...page, kind: "not modified" };
        const { first, last } = location.positions;
        const records = await readRecords(current, { first: hidden + first, last: hidden + last });
        return { ...page, kind: "page", records };
      });
    },
    /** Finds the number of the last page. Reads no record. */
    async findLastPage(): Promise<number> {
      const current = await snapshots.getCurrent(undefined, Date.now());
      return getLastPage(shorten(current.snapshot).count);
    },
    /** Gets the days of the collection, oldest first, and the statistics of all loaded records, also of those that it lacks. */
    getStatistics: () =>
      searchSnapshot(snapshots, undefined, async (current) => {
        const snapshot = shorten(current.snapshot);
        const statistics = await readStatistics(current.snapshot);
        const days = selectOldestDays(statistics.days, snapshot.count);
        return { snapshot, days, statistics, loaded: current.snapshot.count };
      }),
  };
}

/** Creates a function that reads the statistics of a snapshot, and keeps the latest. */
function createStatisticsReader(store: Store) {
  let latest: { id: string | null; statistics: Statistics } | undefined;
  return async (snapshot: MaybeSnapshot): Promise<Statistics> => {
    if (latest?.id === snapshot.id) return latest.statistics;
    const statistics = await withTimeout(readStatistics(store, snapshot));
    latest = { id: snapshot.id, statistics };
    return statistics;
  };
}

/** Returns the block of a page, if no records are hidden: that of its last position. */
function getWantedBlock(page: PageNumber): WantedBlock {
  return page === "last" ? "last" : getBlockNumber(PAGE_SIZE * page);
}

/** Creates a function that returns the records at some positions as JSON, from the cached pages, the cached blocks or the store. */
function createRecordsReader(store: Store, limits: CacheLimits) {
  const blocks = createLru<string, string[]>(limits.blocks);
  const pages = createLru<string, string>(limits.pages);

  /**
   * Gets the lines of a block, one for each record.
   * @param block A block that was read together with the snapshot, perhaps another one
   */
  async function getLines(snapshot: Snapshot, block: Block | undefined, number: number) {
    const key = `${snapshot.id}/${number}`;
    const cached = blocks.get(key);
    if (cached) return cached;
    const isReadAlready = block?.number === number;
    const text = isReadAlready ? block.text : await withTimeout(requireBlock(store, snapshot, number));
    const lines = parseBlock({ number, text }, snapshot.count);
    blocks.set(key, lines);
    return lines;
  }

  return async ({ snapshot, block }: CurrentSnapshot, positions: PositionRange): Promise<string> => {
    const isNothingLoaded = snapshot.id === null;
    if (isNothingLoaded) return "[]";
    // The first position is enough: a page has the next `PAGE_SIZE` records, or all that are left.
    const key = `${snapshot.id}/${positions.first}`;
    const cached = pages.get(key);
    if (cached !== undefined) return cached;
    const numbers = getBlockNumbers(positions);
    const lines = await Promise.all(numbers.map((number) => getLines(snapshot, block, number)));
    const records = JSON.stringify(decodeRange(positions, lines));
    pages.set(key, records);
    return records;
  };
}
