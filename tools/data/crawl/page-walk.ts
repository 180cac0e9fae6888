import type { IdSet } from "../../id-set.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { findInconsistency } from "./consistency.ts";
import {
  CollectionReplacedError,
  fetchPage,
  type PageQueue,
  type PositionedPage,
  takePage,
} from "./page-queue.ts";

export interface PageWalk {
  queue: PageQueue;
  /** Must be advanced by each page before the next one is requested. */
  checkpoint: Checkpoint;
  /** The ids of all records that have been copied. */
  ids: IdSet;
  /** Waits a moment before a page is fetched again. */
  pause(): Promise<void>;
}

/** How often an inconsistent page is fetched until it is accepted or ends the crawl. */
const MAX_READS = 3;

/**
 * How many pages are read until page 1 is checked again. The check costs 0.1 % more requests, and finds a replacement
 * hours earlier.
 */
const PAGES_PER_CHECK = 1_000;

/**
 * Yields pages for all positions from `checkpoint.next` down to 1. Each page contains `checkpoint.next` as it is at that
 * moment. Checks that records already copied are unchanged: when a crawl is resumed, after growth that left no overlap
 * between two pages, every 1,000 pages, and at the end.
 * @throws CollectionReplacedError if another record is found at a position that has been copied
 */
export async function* walkPages({
  queue,
  checkpoint,
  ids,
  pause,
}: PageWalk): AsyncGenerator<PositionedPage> {
  const requireConsistent = async (page: PositionedPage, position: number): Promise<PositionedPage> => {
    for (let reads = 1; ; reads++) {
      const inconsistency = findInconsistency(page, checkpoint, ids);
      if (!inconsistency || (reads === MAX_READS && !inconsistency.isFatal)) return page;
      if (reads === MAX_READS) throw new CollectionReplacedError(inconsistency.message);
      if (inconsistency.isFatal) await pause();
      page = await fetchPage(queue, position);
    }
  };
  const checkAgain = async (position: number) =>
    requireConsistent(await fetchPage(queue, position), position);

  if (checkpoint.next < checkpoint.first) await checkAgain(checkpoint.next + 1);
  let count: number | undefined;
  for (let read = 1; checkpoint.next >= 1; read++) {
    const page = await requireConsistent(await takePage(queue, checkpoint.next), checkpoint.next);
    const hasGrown = count !== undefined && page.count !== count;
    if (hasGrown && page.last === checkpoint.next) await checkAgain(checkpoint.next + 1);
    count = page.count;
    yield page;
    if (read % PAGES_PER_CHECK === 0) await checkAgain(checkpoint.first);
  }
  // A single page always comes from a single state.
  if (checkpoint.first <= checkpoint.size) return;
  await checkAgain(checkpoint.first);
  if (queue.latestCount !== count) await checkAgain(checkpoint.next + 1);
}
