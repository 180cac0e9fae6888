import { lastValue } from "../http/request.ts";

/** Records per page (specification, "Limits"). */
export const PAGE_SIZE = 15;

/** The number of a page, from 1 (the newest records), or the last page. */
export type PageNumber = number | "last";

/**
 * The state that a walk keeps to while the collection grows: the current one when the walk begins, or the collection as
 * it was when it had so many records.
 */
export type AsOf = "latest" | { count: number; load?: string | undefined };

/** What a request for a page asks for. */
export interface PageRequest {
  page: PageNumber;
  /** Undefined for the current state. */
  asOf?: AsOf | undefined;
}

/** Where a page lies. */
export interface PageLocation {
  number: number;
  /** Records in the collection that it is a page of. */
  count: number;
  /** The positions of its records, both included; `last` is less than `first` if there are none. */
  first: number;
  last: number;
}

/** Why a state does not have a page: it ends before it, or the page belongs to another load. */
export type Absence = "past the end" | "replaced";

/** Beyond it positions would no longer be exact; no collection gets there. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / PAGE_SIZE);

/**
 * Parses the query parameter `page`.
 * @param text decimal digits or `last`; absent or empty is page 1
 * @returns undefined if it is not a page of any collection
 */
export function parsePageNumber(text: string | null): PageNumber | undefined {
  if (text === null || text === "") return 1;
  if (text === "last") return text;
  const page = parseDigits(text);
  return page !== undefined && page >= 1 && page <= MAX_PAGE ? page : undefined;
}

/**
 * Parses the query parameter `as_of`.
 * @param text `latest`, a count, or what `formatAsOf` writes into links
 * @returns undefined if it is none of these
 */
export function parseAsOf(text: string): AsOf | undefined {
  if (text === "latest") return text;
  const [, digits = "", load] = /^([0-9]+)(?:-([0-9a-z]+))?$/.exec(text) ?? [];
  const count = parseDigits(digits);
  return count === undefined ? undefined : { count, load };
}

/** Writes the value of `as_of` that keeps a walk to this many records of this load. */
export function formatAsOf({ count, load }: { count: number; load: string }): string {
  return load === "" ? String(count) : `${count}-${load}`;
}

/** A whole number that is exact. */
function parseDigits(text: string): number | undefined {
  const value = /^[0-9]+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Resolves a request for a page against a state of the collection. Positions number the records 1..count from the oldest
 * to the newest, so page 1 ends at `count`, the last page begins at 1, and every page is one range.
 * @returns where the page lies, or why this state does not have it
 */
export function resolvePage(
  { page, asOf }: PageRequest,
  state: { load: string; count: number },
): PageLocation | Absence {
  const { count, load = state.load } = asOf === undefined || asOf === "latest" ? state : asOf;
  if (load !== state.load) return "replaced";
  const number = page === "last" ? lastPage(count) : page;
  if (count > state.count || number > lastPage(count)) return "past the end";
  return { number, count, ...pagePositions(count, number) };
}

/**
 * The number of the last page of a collection.
 * @param count records in the collection, 0 or more; an empty collection has one page, which is empty
 */
export function lastPage(count: number): number {
  return Math.max(1, Math.ceil(count / PAGE_SIZE));
}

/**
 * The positions of a page's records.
 * @param page 1 to `lastPage(count)`
 * @returns both ends included; for an empty collection `last` is less than `first`
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
  // Few requests have other parameters, and sorting them would take a third of the time of a page from memory.
  const known = Number(query.has("format")) + Number(query.has("page"));
  if (query.size === known) return (page) => `${collection}?format=${format}&page=${page}`;
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

/** The numbers of the pages before and after a page; null if there is none. */
export function neighbours(count: number, page: number): { next: number | null; previous: number | null } {
  return { next: page < lastPage(count) ? page + 1 : null, previous: page > 1 ? page - 1 : null };
}
