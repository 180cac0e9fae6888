import { isDeepStrictEqual } from "node:util";
import { lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { type PageResponse, readId } from "./page-response.ts";

export type SeenPositions = ReturnType<typeof createSeenPositions>;

/**
 * Which records a walk has seen. Records are numbered by position, from the oldest (1) to the newest, so new records
 * renumber nothing, and the count of a page determines its positions. This shows whether a page belongs to a collection
 * that grows, or contradicts the pages before it.
 */
export function createSeenPositions() {
  return {
    /** Records in the collection, according to the last page that did not contradict earlier ones. */
    count: undefined as number | undefined,
    /** The positions of the newest and of the oldest record seen. */
    newest: 0,
    oldest: Number.POSITIVE_INFINITY,
    ids: new Set<number | string>(),
  };
}

/**
 * Finds how a page contradicts the pages before it.
 * @param least what its count must not be less than
 * @returns `isCount`: whether it is the count that contradicts them
 */
export function findContradiction(seen: SeenPositions, page: PageResponse, least = seen.count ?? 0) {
  const { results, count = seen.count } = page;
  if (seen.count === undefined || count === undefined) return undefined;
  // Beyond the last page by count, the count is known to be wrong.
  if (page.number > lastPage(Math.max(count, seen.count))) return undefined;
  const problem = `count is ${count}, but it was ${least} before`;
  if (count < least) return { problem, isCount: true };
  const overlap = countOverlap(seen, page, count);
  const first = positionOf(page, count);
  // The records that have been seen before must be exactly those that growth has moved to this page.
  const hasMoved = results.every((record, index) => {
    const id = readId(record);
    return id === undefined || first - index > seen.newest || seen.ids.has(id) === index < overlap;
  });
  if (hasMoved) return undefined;
  const isCount = count !== seen.count;
  return { problem: isCount ? `${problem}, and the records have not moved` : "it repeats records", isCount };
}

/** The position of the first record of a page. */
function positionOf({ number }: PageResponse, count: number): number {
  return count - PAGE_SIZE * (number - 1);
}

/** How many records at the start of a page earlier pages have shown, because growth moved them to this page. */
function countOverlap({ oldest }: SeenPositions, page: PageResponse, count: number): number {
  return Math.max(0, Math.min(positionOf(page, count) - oldest + 1, page.results.length));
}

/**
 * Adds the positions of a page.
 * @returns how many records at its start earlier pages have shown, because growth moved them to this page
 */
export function addPositions(seen: SeenPositions, page: PageResponse, count: number): number {
  const overlap = countOverlap(seen, page, count);
  const first = positionOf(page, count);
  if (seen.count === undefined) seen.newest = first;
  seen.oldest = Math.min(seen.oldest, first - PAGE_SIZE + 1);
  seen.count = count;
  return overlap;
}

/** The number of the page that follows a page. If the collection has grown, the next record may be on a later one. */
export function nextNumber({ count = 0, oldest }: SeenPositions, number: number): number {
  return Math.max(number + 1, Math.floor((count - oldest + 1) / PAGE_SIZE) + 1);
}

/** Whether one of two responses to the same page is what the other becomes if newer records are added. */
export function isGrowth(one: PageResponse, other: PageResponse): boolean {
  const growth = (other.count ?? 0) - (one.count ?? 0);
  if (growth < 0) return isGrowth(other, one);
  const moved = other.results.slice(growth);
  return isDeepStrictEqual(moved, one.results.slice(0, moved.length));
}
