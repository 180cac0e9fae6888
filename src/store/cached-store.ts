import {
  type GetHiddenCount,
  locatePage,
  PAGE_SIZE,
  type PageLocation,
  type PageNumber,
} from "../records/page.ts";
import { decodeRange, getBlockNumber, getBlockNumbers, parseBlock } from "./block.ts";
import { createBlockCache } from "./block-cache.ts";
import type { Snapshot } from "./snapshot.ts";
import { createSnapshotCache } from "./snapshot-cache.ts";
import { type CurrentSnapshot, requireBlocks, type Store } from "./store.ts";
import { readStatistics, type Statistics } from "./stored-statistics.ts";
import { withTimeout } from "./timeout.ts";

/** Max blocks in the memory of an instance: usually 6 MB, and 50 of the 128 MB that the platform allows if all names of cameras are long. */
const MAX_BLOCKS = 256;

/** A page of a snapshot. */
export interface PageRead {
  snapshot: Snapshot;
  location: PageLocation;
  /** The records as a JSON array, newest first; undefined if the page is not modified. */
  results: string | undefined;
}

export interface PageOptions {
  /** Returns the number of hidden records. By default, no records are hidden. */
  getHiddenCount?: GetHiddenCount | undefined;
  /** Whether the client has this page already, so that its records need not be read. */
  isNotModified?: ((snapshot: Snapshot, location: PageLocation) => boolean) | undefined;
}

export interface SnapshotStatistics {
  snapshot: Snapshot;
  statistics: Statistics;
}

/** A store behind the cache of this instance. */
export interface CachedStore {
  /** @returns undefined if the page is past the end */
  getPage(page: PageNumber, options?: PageOptions): Promise<PageRead | undefined>;
  getStatistics(): Promise<SnapshotStatistics>;
}

/**
 * Creates a cache in front of a store.
 * @param name The name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, maxBlocks = MAX_BLOCKS): CachedStore {
  const snapshotCache = createSnapshotCache(name);
  const blockCache = createBlockCache(maxBlocks);
  let latestStatistics: SnapshotStatistics | undefined;

  async function getBlock({ snapshot, block }: CurrentSnapshot, number: number): Promise<string[]> {
    const cached = blockCache.get(snapshot.id, number);
    if (cached) return cached;
    const [text = ""] =
      block?.number === number
        ? [block.text]
        : await withTimeout(requireBlocks(store, snapshot.id, [number]));
    const lines = parseBlock(snapshot.count, number, text);
    blockCache.set(snapshot.id, number, lines);
    return lines;
  }

  return {
    getPage(page, { getHiddenCount, isNotModified } = {}) {
      // A page without some of the newest records can span two blocks.
      const needsBlock = !getHiddenCount && !isNotModified;
      const block = page === "last" ? page : getBlockNumber(PAGE_SIZE * page);
      const read = () => store.readCurrent(needsBlock ? block : undefined);
      return snapshotCache.find(read, async (current) => {
        const { snapshot } = current;
        const location = locatePage(page, snapshot.count, getHiddenCount?.(snapshot.count));
        if (!location) return undefined;
        if (isNotModified?.(snapshot, location)) return { snapshot, location, results: undefined };
        const numbers = getBlockNumbers(location);
        const blocks = await Promise.all(numbers.map((number) => getBlock(current, number)));
        return { snapshot, location, results: JSON.stringify(decodeRange(location, blocks)) };
      });
    },

    getStatistics() {
      const read = () => store.readCurrent();
      return snapshotCache.find(read, async ({ snapshot }) => {
        if (latestStatistics?.snapshot.id === snapshot.id) return latestStatistics;
        const statistics = await withTimeout(readStatistics(store, snapshot.id));
        latestStatistics = { snapshot, statistics };
        return latestStatistics;
      });
    },
  };
}
