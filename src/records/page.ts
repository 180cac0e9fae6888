import { lastValue } from "../http/request.ts";

/** The path of the collection (specification, "List records"). */
export const COLLECTION_PATH = "/api/tf1/records/";

/** Records per page (specification, "Limits"). */
export const PAGE_SIZE = 15;

/** Beyond it positions would no longer be exact; no collection gets there. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / PAGE_SIZE);

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
  /** The numbers of its neighbours; null if there is none. */
  next: number | null;
  previous: number | null;
}

/** Why a state does not have a page: it ends before it, or the page belongs to another load. */
export type Absence = "past the end" | "replaced";

/**
 * Reads the query parameters `page` and `as_of`.
 * @returns what is wrong if no collection has such a page
 */
export function readPageRequest(query: URLSearchParams): PageRequest | "invalid_page" | "invalid_as_of" {
  const page = parsePageNumber(lastValue(query, "page"));
  const text = lastValue(query, "as_of");
  const asOf = text === null ? undefined : parseAsOf(text);
  if (page === undefined) return "invalid_page";
  return text !== null && asOf === undefined ? "invalid_as_of" : { page, asOf };
}

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
 * @param text `latest`, a count, or what `pinQuery` writes into links
 * @returns undefined if it is none of these
 */
function parseAsOf(text: string): AsOf | undefined {
  if (text === "latest") return text;
  const [, digits = "", load] = /^([0-9]+)(?:-([0-9a-z]+))?$/.exec(text) ?? [];
  const count = parseDigits(digits);
  return count === undefined ? undefined : { count, load };
}

/** A whole number that is exact. */
function parseDigits(text: string): number | undefined {
  const value = /^[0-9]+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Resolves a request for a page against a state of the collection.
 * @returns where the page lies, or why this state does not have it
 */
export function resolvePage(
  { page, asOf }: PageRequest,
  state: { load: string; count: number },
): PageLocation | Absence {
  const { count, load = state.load } = asOf === undefined || asOf === "latest" ? state : asOf;
  if (load !== state.load) return "replaced";
  const number = page === "last" ? lastPage(count) : page;
  return count > state.count || number > lastPage(count) ? "past the end" : locatePage(count, number);
}

/**
 * Locates a page. Positions number the records 1..count from the oldest to the newest, so page 1 ends at `count`, the last
 * page begins at 1, and every page is one range.
 * @param number 1 to `lastPage(count)`
 */
export function locatePage(count: number, number: number): PageLocation {
  const last = count - PAGE_SIZE * (number - 1);
  return {
    number,
    count,
    first: Math.max(1, last - PAGE_SIZE + 1),
    last,
    next: number < lastPage(count) ? number + 1 : null,
    previous: number > 1 ? number - 1 : null,
  };
}

/**
 * The number of the last page of a collection.
 * @param count records in the collection, 0 or more; an empty collection has one page, which is empty
 */
export function lastPage(count: number): number {
  return Math.max(1, Math.ceil(count / PAGE_SIZE));
}

/** Puts a state into a query, so that all links lead to pages of the same one. */
export function pinQuery(
  query: URLSearchParams,
  { load, count }: { load: string; count: number },
): URLSearchParams {
  const pinned = new URLSearchParams(query);
  pinned.set("as_of", load === "" ? String(count) : `${count}-${load}`);
  return pinned;
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

/**
 * Writes the page envelope (specification, "Page envelope").
 * @param results the records of the page, a JSON array
 * @param url returns the absolute URL of a page
 */
export function writeEnvelope(
  { count, next, previous }: PageLocation,
  results: string,
  url: (page: number) => string,
): string {
  const [older, newer] = [next && JSON.stringify(url(next)), previous && JSON.stringify(url(previous))];
  return `{"count":${count},"next":${older},"previous":${newer},"results":${results}}`;
}
