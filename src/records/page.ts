/** Records per page (specification, "List records", rule 1). */
export const PAGE_SIZE = 15;

/** The highest number of a page. The positions of its records are still safe integers. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / PAGE_SIZE);

/** A page as a client asks for it. Page 1 has the newest records. */
export type PageNumber = number | "last";

/** Consecutive positions, including both ends. Position 1 is the newest record. An empty range has a `last` of `first - 1`. */
export interface PositionRange {
  first: number;
  last: number;
}

/** Where a page is in the collection. */
export interface PageLocation {
  number: number;
  /** How many records the collection has. */
  count: number;
  /** The positions of the records of the page. */
  positions: PositionRange;
  /** The number of the page with older records; null on the last page. */
  next: number | null;
  /** The number of the page with newer records; null on page 1. */
  previous: number | null;
}

/**
 * Parses the query parameter `page`.
 * @param text Decimal digits or `last`. Null and the empty string mean page 1
 * @returns undefined for any other text, such as `0`, and for a number above `MAX_PAGE`
 */
export function parsePageNumber(text: string | null): PageNumber | undefined {
  if (text === null || text === "") return 1;
  if (text === "last") return "last";
  if (!/^[0-9]+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= 1 && number <= MAX_PAGE ? number : undefined;
}

/** Locates a page among `count` records. Returns undefined if the page is past the end. */
export function locatePage(requested: PageNumber, count: number): PageLocation | undefined {
  const lastPage = getLastPage(count);
  const number = requested === "last" ? lastPage : requested;
  if (number > lastPage) return undefined;
  const newerCount = PAGE_SIZE * (number - 1);
  return {
    number,
    count,
    positions: { first: newerCount + 1, last: Math.min(count, newerCount + PAGE_SIZE) },
    next: number < lastPage ? number + 1 : null,
    previous: number > 1 ? number - 1 : null,
  };
}

/** Returns the number of the last page. An empty collection has one empty page. */
export function getLastPage(count: number): number {
  return Math.max(1, Math.ceil(count / PAGE_SIZE));
}
