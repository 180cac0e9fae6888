/** The path of the collection (specification, "List records"). */
export const COLLECTION_PATH = "/api/tf1/records/";

/** The path that redirects to the page of a date. */
export const DATE_JUMP_PATH = "/go";

/** The query parameter for the date of a jump (src/routes/date-jump.ts). The HTML view marks this day. Links omit the parameter. */
export const JUMP_DATE_PARAMETER = "jump-date";

/** Records per page (specification, "Limits"). */
export const PAGE_SIZE = 15;

/** The largest page number whose positions are safe integers. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / PAGE_SIZE);

/** The number of a page, from 1 (the newest records), or the last page. */
export type PageNumber = number | "last";

/** Returns how many of the newest records are hidden, given the number of loaded records. */
export type GetHiddenCount = (count: number) => number;

/** Where a page is in the collection. */
export interface PageLocation {
  number: number;
  /** The number of pages in the collection. */
  pages: number;
  /** The number of records in the collection. */
  count: number;
  /** The positions of the first and the last record of the page. In an empty collection, `last` is less than `first`. */
  first: number;
  last: number;
  /** The numbers of the neighboring pages; null if there is none. */
  next: number | null;
  previous: number | null;
}

/**
 * Parses the query parameter `page`.
 * @param text Decimal digits or `last`. Null and the empty string mean page 1
 * @returns undefined if no collection can have this page
 */
export function parsePageNumber(text: string | null): PageNumber | undefined {
  if (text === null || text === "") return 1;
  if (text === "last") return text;
  const page = /^[0-9]+$/.test(text) ? Number(text) : 0;
  return page >= 1 && page <= MAX_PAGE ? page : undefined;
}

/**
 * Locates a page. The records have the positions 1, 2, ... from the newest to the oldest.
 * @param total The number of loaded records
 * @param hidden The number of hidden records, the newest ones
 * @returns undefined if the page is past the end
 */
export function locatePage(page: PageNumber, total: number, hidden = 0): PageLocation | undefined {
  const count = total - hidden;
  const pages = getLastPage(count);
  const number = page === "last" ? pages : page;
  if (number > pages) return undefined;
  return {
    number,
    pages,
    count,
    first: hidden + PAGE_SIZE * (number - 1) + 1,
    last: Math.min(total, hidden + PAGE_SIZE * number),
    next: number < pages ? number + 1 : null,
    previous: number > 1 ? number - 1 : null,
  };
}

/** Returns the number of the last page. An empty collection has one empty page. */
export function getLastPage(count: number): number {
  return Math.max(1, Math.ceil(count / PAGE_SIZE));
}

/**
 * Returns a function that builds the absolute URL of a page (specification, "Page envelope", rules 1 and 2). The URL has the
 * parameters of the request, sorted by name, without the date of a jump. Its `format` is `api` unless the request has `json`.
 * @param collectionUrl The absolute URL of the collection, without query
 * @param query The query of the request
 */
export function createPageUrlBuilder(
  collectionUrl: string,
  query: URLSearchParams,
): (page: PageNumber) => string {
  const format = query.getAll("format").at(-1) === "json" ? "json" : "api";
  // Copy the query as a string, because copying each parameter is slower.
  const parameters = new URLSearchParams(query.toString());
  parameters.delete(JUMP_DATE_PARAMETER);
  parameters.set("format", format);
  parameters.set("page", "");
  parameters.sort();
  return (page) => {
    parameters.set("page", String(page));
    return `${collectionUrl}?${parameters}`;
  };
}

/**
 * Formats the page envelope (specification, "Page envelope").
 * @param results The records of the page, as a JSON array
 * @param getPageUrl Returns the absolute URL of a page
 */
export function formatEnvelope(
  { count, next, previous }: PageLocation,
  results: string,
  getPageUrl: (page: number) => string,
): string {
  const [nextUrl, previousUrl] = [next, previous].map((page) => page && JSON.stringify(getPageUrl(page)));
  return `{"count":${count},"next":${nextUrl},"previous":${previousUrl},"results":${results}}`;
}
