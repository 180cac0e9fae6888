import type { IdSet } from "../../tools/id-set.ts";
import type { ReadPage } from "./pages.ts";
import type { CrawlState } from "./state.ts";

/** Why a page does not go with what has been copied, and whether the copy can go on if it stays so. */
export interface Doubt {
  message: string;
  grave: boolean;
}

/**
 * Holds a page against what has been copied. A page can be at odds with a collection that is in order: a server that
 * counts and selects in two steps may have grown in between, so that the positions are wrong by a few.
 * @param ids of all records that have been copied
 */
export function findDoubt(page: ReadPage, state: CrawlState, ids: IdSet): Doubt | undefined {
  return (
    findChange(page, state) ??
    findRepetition(page, state, ids) ??
    findDisorder(page, state) ??
    findWrongLength(page)
  );
}

function findChange({ url, last, results }: ReadPage, { known }: CrawlState): Doubt | undefined {
  for (const [index, record] of results.entries()) {
    const text = known.get(last - index);
    if (text === undefined || text === JSON.stringify(record)) continue;
    const message = `${url} has ${nameRecord(record)} where ${nameRecord(JSON.parse(text))} was`;
    return { message, grave: true };
  }
  return undefined;
}

function findRepetition({ url, last, results }: ReadPage, { next }: CrawlState, ids: IdSet) {
  const fresh = results.slice(Math.max(0, last - next));
  const repeated = fresh.filter((record) => ids.has(idOf(record) ?? Number.NaN));
  if (repeated.length === 0) return undefined;
  // A few may just have ids that are not unique; a whole page of them is no page of its own.
  const grave = repeated.length > 1 && repeated.length === fresh.length;
  return { message: `${url} has ${grave ? "only" : "some"} records that are on newer pages`, grave };
}

/** What is newer than the records before it may be from after growth. */
function findDisorder({ url, last, results }: ReadPage, state: CrawlState): Doubt | undefined {
  const { timestamp } = Object(results[last - state.next]);
  if (state.timestamp === null || typeof timestamp !== "string" || timestamp <= state.timestamp)
    return undefined;
  return { message: `${url} has newer records than the page before`, grave: false };
}

function findWrongLength({ url, first, last, results }: ReadPage): Doubt | undefined {
  if (results.length === last - first + 1) return undefined;
  return { message: `${url} has ${results.length} records`, grave: false };
}

/** The id of what should be a record, if it has one. */
export function idOf(record: unknown): number | undefined {
  const id = Object(record).id;
  return Number.isSafeInteger(id) ? id : undefined;
}

function nameRecord(record: unknown): string {
  const id = idOf(record);
  return id === undefined ? "something" : `record ${id}`;
}
