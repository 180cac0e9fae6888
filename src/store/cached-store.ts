import { createLru } from "../lru.ts";
import {
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

/**
 * How many blocks and how many pages as JSON an instance caches. In Node, blocks take 5 MB for the sample data and 32 MB for the longest
 * possible records, and pages take 3 MB and 13 MB. The platform allows 128 MB.
 */
const DEFAULT_LIMITS = { blocks: 256, pages: 1_000 };

export type CacheLimits = typeof DEFAULT_LIMITS;

interface CachedStoreOptions {
  /** For the log. */
  name?: string | undefined;
  limits?: CacheLimits | undefined;
}

/** Where a page is in a snapshot. */
export interface LocatedPage {
  snapshot: MaybeSnapshot;
  location: PageLocation;
}

export interface PageOptions {
  /** Returns how many of the newest records are hidden, given the number of all. By default, none are. */
  countHidden?: ((count: number) => number) | undefined;
  /** Whether a page is returned without its records, once it is located. By default, never: then D1 reads them with the snapshot. */
  isLocationEnough?: ((page: LocatedPage) => boolean) | undefined;
}

interface FoundPage extends LocatedPage {
  /** The records of the page as a JSON array, newest first. Undefined if `isLocationEnough` has returned true. */
  results: string | undefined;
}

/** A store behind the caches of this instance. */
export type CachedStore = ReturnType<typeof createCachedStore>;

/** Creates the caches in front of a store. They hold blocks and pages of several snapshots, but each response uses one snapshot. */
export function createCachedStore(store: Store, { name, limits = DEFAULT_LIMITS }: CachedStoreOptions = {}) {
  const snapshotCache = createSnapshotCache(store, name);
  const readResults = createResultsReader(store, limits);
  let latest: { id: string | null; statistics: Statistics } | undefined;

  /** Finds a page. Returns undefined if the page is past the end. */
  function findPage(number: PageNumber, { countHidden, isLocationEnough }: PageOptions) {
    // With hidden records, a page can lie in two blocks. If its location may be enough, it may need none.
    const needsOneBlock = isLocationEnough === undefined && countHidden === undefined;
    const wanted = needsOneBlock ? getWantedBlock(number) : undefined;
    return searchSnapshot(snapshotCache, wanted, async (current): Promise<FoundPage | undefined> => {
      const { snapshot } = current;
      const { count } = snapshot;
      const location = locatePage(number, { total: count, hidden: countHidden?.(count) ?? 0 });
      if (location === undefined) return undefined;
      const page = { snapshot, location };
      if (isLocationEnough?.(page)) return { ...page, results: undefined };
      return { ...page, results: await readResults(current, location.positions) };
    });
  }

  function getStatistics() {
    return searchSnapshot(snapshotCache, undefined, async ({ snapshot }) => {
      if (latest?.id === snapshot.id) return { snapshot, statistics: latest.statistics };
      const statistics = await withTimeout(readStatistics(store, snapshot));
      latest = { id: snapshot.id, statistics };
      return { snapshot, statistics };
    });
  }

  return { findPage, getStatistics };
}

/** Returns the block of a page without hidden records. */
function getWantedBlock(page: PageNumber): WantedBlock {
  return page === "last" ? "last" : getBlockNumber(PAGE_SIZE * page);
}

/** Creates a function that returns the records of a page as JSON. It reads the blocks that are neither cached nor read already. */
function createResultsReader(store: Store, limits: CacheLimits) {
  const blocks = createLru<string, string[]>(limits.blocks);
  const pages = createLru<string, string>(limits.pages);

  /** @param block A block that was read with the snapshot */
  async function getLines(snapshot: Snapshot, block: Block | undefined, number: number) {
    const key = `${snapshot.id}/${number}`;
    const cached = blocks.get(key);
    if (cached) return cached;
    const isRead = block?.number === number;
    const text = isRead ? block.text : await withTimeout(requireBlock(store, snapshot, number));
    const lines = parseBlock({ number, text }, snapshot.count);
    blocks.set(key, lines);
    return lines;
  }

  return async ({ snapshot, block }: CurrentSnapshot, positions: PositionRange): Promise<string> => {
    if (snapshot.id === null) return "[]";
    // The first position is enough: a page has the next `PAGE_SIZE` records, or all that are left.
    const key = `${snapshot.id}/${positions.first}`;
    const cached = pages.get(key);
    if (cached !== undefined) return cached;
    const numbers = getBlockNumbers(positions);
    const lines = await Promise.all(numbers.map((number) => getLines(snapshot, block, number)));
    const results = JSON.stringify(decodeRange(positions, lines));
    pages.set(key, results);
    return results;
  };
}
