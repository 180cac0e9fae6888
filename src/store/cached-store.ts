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
import { readStatistics, type Statistics } from "./stored-statistics.ts";

/*
 * A store behind the caches of an instance. A load writes a snapshot of the collection, which never changes: its records have the
 * positions 1, 2, 3, ..., newest first, and a block has the records of 195 positions. A page has 15, so it lies in one block, unless `grow`
 * hides some of the newest records and moves it. Only which snapshot is current is read again and again (snapshot-cache.ts).
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

/** Where a page is in a snapshot. */
export interface LocatedPage {
  snapshot: MaybeSnapshot;
  location: PageLocation;
}

type CountHidden = (count: number) => number;

export interface PageOptions {
  /** Returns how many of the newest records are hidden (`grow`), given the number of all. By default, none are. */
  countHidden?: CountHidden | undefined;
  /** Whether the client has a current copy of the page, so that its records are not read. By default, it has none. */
  isNotModified?: ((page: LocatedPage) => boolean) | undefined;
}

/** A page with its records as a JSON array, newest first, or without them if the client has a current copy. */
type FoundPage = LocatedPage & ({ kind: "page"; records: string } | { kind: "not modified" });

/** A store behind the caches of this instance. */
export type CachedStore = ReturnType<typeof createCachedStore>;

/** Creates the caches in front of a store. Each response uses one snapshot. */
export function createCachedStore(store: Store, { name, limits = DEFAULT_LIMITS }: CachedStoreOptions = {}) {
  const snapshots = createSnapshotCache(store, name);
  const readRecords = createRecordsReader(store, limits);
  /** The latest statistics. */
  let latest: { id: string | null; statistics: Statistics } | undefined;

  /** Finds a page. Returns undefined if the page is past the end. */
  function findPage(number: PageNumber, { countHidden, isNotModified }: PageOptions = {}) {
    // If it is certain that the page needs a block, and which one, a store such as D1 reads it together with the snapshot.
    const isBlockCertain = countHidden === undefined && isNotModified === undefined;
    const wanted = isBlockCertain ? getWantedBlock(number) : undefined;
    return searchSnapshot(snapshots, wanted, async (current): Promise<FoundPage | undefined> => {
      const { snapshot } = current;
      const hidden = countHidden?.(snapshot.count) ?? 0;
      const location = locatePage(number, { total: snapshot.count, hidden });
      if (location === undefined) return undefined;
      const page = { snapshot, location };
      if (isNotModified?.(page)) return { ...page, kind: "not modified" };
      return { ...page, kind: "page", records: await readRecords(current, location.positions) };
    });
  }

  /** Finds the number of the last page. Reads no record. */
  async function findLastPage(countHidden: CountHidden = () => 0): Promise<number> {
    const { snapshot } = await snapshots.getSnapshot(undefined, Date.now());
    const visible = snapshot.count - countHidden(snapshot.count);
    return getLastPage(visible);
  }

  function getStatistics() {
    return searchSnapshot(snapshots, undefined, async ({ snapshot }) => {
      if (latest?.id === snapshot.id) return { snapshot, statistics: latest.statistics };
      const statistics = await withTimeout(readStatistics(store, snapshot));
      latest = { id: snapshot.id, statistics };
      return { snapshot, statistics };
    });
  }

  return { findPage, findLastPage, getStatistics };
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
