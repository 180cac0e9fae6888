import { lastPage, PAGE_SIZE, pagePositions } from "../../src/records/page.ts";
import { type Ids, recordId } from "./ids.ts";
import type { Answered } from "./pages.ts";

/**
 * Which state of the collection the walk is in, to tell one that grows from one that contradicts itself. Records are
 * numbered from the oldest, 1, to the newest: then a new record at the front renumbers nothing, and every page says by
 * its count which numbers it holds.
 */
export interface State {
  /** Records in the collection, as last believed. */
  count: number | undefined;
  /** The number of the newest record at the start: what is newer was not there to be seen. */
  newest: number;
  /** The number of the oldest record seen. */
  oldest: number;
  ids: Ids;
}

export function createState(ids: Ids): State {
  return { count: undefined, newest: Number.POSITIVE_INFINITY, oldest: Number.POSITIVE_INFINITY, ids };
}

/** How a page goes with the pages before it. */
export interface Fit {
  /** How many records at its front have been seen already, since newer ones moved them there. */
  overlap: number;
  change: "none" | "growth";
  /** Why it does not go with them. */
  doubt?: string;
  /** Whether the count is what does not. */
  isCount?: boolean;
}

/** Holds a page against the state, which stays as it is. */
export function fitPage(state: State, page: Answered): Fit {
  const { count } = page;
  if (count === undefined || state.count === undefined) return { overlap: 0, change: "none" };
  const fit = { overlap: countOverlap(state, page, count), change: "none" } as const;
  // A collection that goes on behind its count has shown what the count is worth.
  if (page.number > lastPage(Math.max(count, state.count))) return { ...fit, overlap: 0 };
  if (count < state.count) {
    return { ...fit, doubt: `count is ${count}, but was ${state.count} before`, isCount: true };
  }
  const hasMoved = isMovedBy(state, page, fit.overlap);
  if (count === state.count) return hasMoved ? fit : { ...fit, doubt: "has records that were seen before" };
  if (hasMoved) return { ...fit, change: "growth" };
  const doubt = `count is ${count}, but was ${state.count} before, and the records have not moved by ${count - state.count}`;
  return { ...fit, doubt, isCount: true };
}

/** Takes what a page says of the collection. Gives how many records at its front have been seen already. */
export function takePage(state: State, page: Answered, fit: Fit): number {
  if (state.count === undefined || fit.change === "growth") state.count = page.count;
  if (state.count === undefined) return 0;
  const overlap = fit.isCount ? countOverlap(state, page, state.count) : fit.overlap;
  const { last } = pagePositions(state.count, page.number);
  if (!Number.isFinite(state.newest)) state.newest = last;
  state.oldest = Math.min(state.oldest, last - PAGE_SIZE + 1);
  return overlap;
}

function countOverlap({ oldest }: State, { number, results }: Answered, count: number): number {
  const { last } = pagePositions(count, number);
  return Number.isFinite(oldest) ? Math.min(Math.max(0, last - oldest + 1), results.length) : 0;
}

/** Whether those records that have been seen are just those that growth moved there. */
function isMovedBy(
  { ids, newest }: State,
  { number, count = 0, results }: Answered,
  overlap: number,
): boolean {
  const { last } = pagePositions(count, number);
  return results.every((record, index) => {
    const id = recordId(record);
    if (id === undefined || last - index > newest) return true;
    return ids.has(id) === index < overlap;
  });
}
