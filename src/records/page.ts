/** The path of the collection (specification, "List records"). */
export const COLLECTION_PATH = "/api/tf1/records/";

/** The parameter with the date of a jump (src/site/go.ts). It marks the day in the HTML view, and no link keeps it. */
export const JUMP_DATE_PARAMETER = "jump-date";

/** Records per page (specification, "Limits"). */
export const PAGE_SIZE = 15;

/** Beyond it positions would no longer be exact; no collection gets there. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / PAGE_SIZE);

/** The number of a page, from 1 (the newest records), or the last page. */
export type PageNumber = number | "last";

/** How many of the newest records a view of the collection hides, by the number of records that are loaded. */
export type HiddenCount = (count: number) => number;

/** Where a page lies. */
export interface PageLocation {
  number: number;
  /** How many pages the collection has. */
  pages: number;
  /** Records in the collection that it is a page of. */
  count: number;
  /** The places of its records, both included; `last` is less than `first` if there are none. */
  first: number;
  last: number;
  /** The numbers of its neighbours; null if there is none. */
  next: number | null;
  previous: number | null;
}

/**
 * Parses the query parameter `page`.
 * @param text decimal digits or `last`; absent or empty is page 1
 * @returns undefined if it is not a page of any collection
 */
export function parsePageNumber(text: string | null): PageNumber | undefined {
  if (text === null || text === "") return 1;
  if (text === "last") return text;
  const page = /^[0-9]+$/.test(text) ? Number(text) : 0;
  return page >= 1 && page <= MAX_PAGE ? page : undefined;
}

/**
 * Finds where a page lies. The records have the places 1, 2, ... from the newest to the oldest.
 * @param total records that are loaded
 * @param hidden how many of the newest ones are not shown
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

/**
 * The number of the last page of a collection.
 * @param count records in the collection, 0 or more; an empty collection has one page, which is empty
 */
export function getLastPage(count: number): number {
  return Math.max(1, Math.ceil(count / PAGE_SIZE));
}

/**
 * Makes the absolute URLs of pages (specification, "Page envelope", rules 1 and 2): always with `format`, `api` unless
 * the request said `json`; the request's other parameters are kept, except the date of a jump; sorted by name.
 * @param collection absolute URL of the collection, without query
 * @param query the query of the request
 * @returns the URL of a page by its number
 */
export function createPageUrls(collection: string, query: URLSearchParams): (page: PageNumber) => string {
  const format = query.getAll("format").at(-1) === "json" ? "json" : "api";
  // Copying the parameters one by one would take a tenth of the time of a page from memory.
  const parameters = new URLSearchParams(query.toString());
  parameters.delete(JUMP_DATE_PARAMETER);
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
export function formatEnvelope(
  { count, next, previous }: PageLocation,
  results: string,
  url: (page: number) => string,
): string {
  const [older, newer] = [next && JSON.stringify(url(next)), previous && JSON.stringify(url(previous))];
  return `{"count":${count},"next":${older},"previous":${newer},"results":${results}}`;
}
