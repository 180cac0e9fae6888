import { lastValue } from "../http/request.ts";

/** Records per page (specification, "Limits"). */
export const PAGE_SIZE = 15;

/** A page asked for: its number from 1 (the newest records), or the last one, whichever that is. */
export type PageNumber = number | "last";

/** The state that a walk holds to while the collection grows: as it was at a count, or as it is when the walk begins. */
export type AsOf = number | "latest";

/** Beyond it positions would no longer be exact; no collection gets there. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / PAGE_SIZE);

/**
 * Reads the query parameter `page`.
 * @param text decimal digits or `last`; absent or empty is page 1
 * @returns undefined if it names no page of any collection
 */
export function parsePageNumber(text: string | null): PageNumber | undefined {
  if (text === null || text === "") return 1;
  if (text === "last") return text;
  const page = parseDigits(text);
  return page !== undefined && page >= 1 && page <= MAX_PAGE ? page : undefined;
}

/**
 * Reads the query parameter `as_of`.
 * @param text decimal digits or `latest`
 * @returns undefined if it is neither
 */
export function parseAsOf(text: string): AsOf | undefined {
  return text === "latest" ? text : parseDigits(text);
}

/** A whole number that is exact. */
function parseDigits(text: string): number | undefined {
  const value = /^[0-9]+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * The number of the last page of a collection.
 * @param count records in the collection, 0 or more; an empty collection has one page, which is empty
 */
export function lastPage(count: number): number {
  return Math.max(1, Math.ceil(count / PAGE_SIZE));
}

/**
 * The positions of a page's records. Positions number the collection 1..count from oldest to newest, so page 1
 * ends at `count` and the last page begins at 1 (design of the collection: every page is one range).
 * @param page 1 to `lastPage(count)`
 * @returns both ends included; for an empty collection `last` is below `first`
 */
export function pagePositions(count: number, page: number): { first: number; last: number } {
  const last = count - PAGE_SIZE * (page - 1);
  return { first: Math.max(1, last - PAGE_SIZE + 1), last };
}

/**
 * Makes the absolute URLs of pages (specification, "Page envelope", rules 1 and 2): always with `format`, `api` unless
 * the request said `json`; the request's other parameters are kept; sorted by name.
 * @param collection absolute URL of the collection, without query
 * @param query the query of the request
 * @returns the URL of a page by its number
 */
export function pageUrls(collection: string, query: URLSearchParams): (page: number) => string {
  const format = lastValue(query, "format") === "json" ? "json" : "api";
  // Hardly any request has other parameters, and a third of the time of a kept page would go into sorting them.
  const own = Number(query.has("format")) + Number(query.has("page"));
  if (query.size === own) return (page) => `${collection}?format=${format}&page=${page}`;
  // Workerd copies the text much faster than the parameters one by one.
  const parameters = new URLSearchParams(query.toString());
  parameters.set("format", format);
  parameters.set("page", "");
  parameters.sort();
  return (page) => {
    parameters.set("page", String(page));
    return `${collection}?${parameters}`;
  };
}

/** The neighbours of a page, null where there is none. */
export function neighbours(count: number, page: number): { next: number | null; previous: number | null } {
  return { next: page < lastPage(count) ? page + 1 : null, previous: page > 1 ? page - 1 : null };
}
