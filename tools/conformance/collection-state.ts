import { lastPage, locatePage, PAGE_SIZE } from "../../src/records/page.ts";
import type { PageResponse } from "./collection-reader.ts";
import { readRecordId, type SeenIds } from "./seen-records.ts";

/**
 * The state of the collection that the walk has seen so far. It shows whether a page belongs to a collection that grows
 * or contradicts earlier pages. Records are numbered by position, from the oldest (1) to the newest, so that new records
 * renumber nothing and the count of a page determines its positions.
 */
export interface CollectionState {
  /** Records in the collection, according to the last page that did not contradict earlier ones. */
  count: number | undefined;
  /** The position of the newest record at the start of the walk. Newer records came later and were not seen. */
  newest: number;
  /** The position of the oldest record seen. */
  oldest: number;
  seenIds: SeenIds;
}

export function createCollectionState(seenIds: SeenIds): CollectionState {
  return { count: undefined, newest: Number.POSITIVE_INFINITY, oldest: Number.POSITIVE_INFINITY, seenIds };
}

/** How a page relates to the pages before it. */
export interface PageComparison {
  /** How many records at the start of the page have been seen before, because growth moved them to this page. */
  overlap: number;
  hasGrown: boolean;
  isConsistent: boolean;
  /** How the count contradicts earlier pages. */
  countError?: string;
}

/** Compares a page with the state and leaves the state as it is. */
export function comparePage(state: CollectionState, page: PageResponse): PageComparison {
  const { count } = page;
  const consistent = { overlap: 0, hasGrown: false, isConsistent: true };
  if (count === undefined || state.count === undefined) return consistent;
  // Beyond the last page by count, the count is known to be wrong.
  if (page.number > lastPage(Math.max(count, state.count))) return consistent;
  const comparison = { ...consistent, overlap: countOverlap(state, page, count) };
  if (count < state.count) {
    return { ...comparison, isConsistent: false, countError: describeCountError(count, state.count) };
  }
  const hasMoved = hasMovedByGrowth(state, page, comparison.overlap);
  if (count === state.count) return { ...comparison, isConsistent: hasMoved };
  if (hasMoved) return { ...comparison, hasGrown: true };
  const detail = `, and the records have not moved by ${count - state.count}`;
  const countError = describeCountError(count, state.count) + detail;
  return { ...comparison, isConsistent: false, countError };
}

export function describeCountError(count: number, previous: number): string {
  return `count is ${count}, but it was ${previous} before`;
}

/**
 * Updates the state with a page.
 * @returns how many records at the start of the page have been seen before
 */
export function applyPage(state: CollectionState, page: PageResponse, comparison: PageComparison): number {
  if (state.count === undefined || comparison.hasGrown) state.count = page.count;
  if (state.count === undefined) return 0;
  const isCountWrong = comparison.countError !== undefined;
  const overlap = isCountWrong ? countOverlap(state, page, state.count) : comparison.overlap;
  const { last } = locatePage(state.count, page.number);
  if (!Number.isFinite(state.newest)) state.newest = last;
  state.oldest = Math.min(state.oldest, last - PAGE_SIZE + 1);
  return overlap;
}

function countOverlap({ oldest }: CollectionState, { number, results }: PageResponse, count: number): number {
  const { last } = locatePage(count, number);
  return Number.isFinite(oldest) ? Math.min(Math.max(0, last - oldest + 1), results.length) : 0;
}

/** Whether the records that have been seen before are exactly those that growth would move to this page. */
function hasMovedByGrowth(
  { seenIds, newest }: CollectionState,
  { number, count = 0, results }: PageResponse,
  overlap: number,
): boolean {
  const { last } = locatePage(count, number);
  return results.every((record, index) => {
    const id = readRecordId(record);
    if (id === undefined || last - index > newest) return true;
    return seenIds.has(id) === index < overlap;
  });
}
