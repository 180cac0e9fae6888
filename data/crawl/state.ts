import * as z from "zod";
import { lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { type CollectionUrl, formatCollectionUrl, pageUrl } from "../../tools/http-client/collection-url.ts";
import type { ReadPage } from "./pages.ts";
import type { Answered } from "./reader.ts";

const wholeNumber = z.int().nonnegative();

/** How far a crawl is: all that it needs to go on, beside the file that it writes. */
export const CrawlState = z.strictObject({
  collection: z.string(),
  fromPage: wholeNumber,
  /** The query that its pages are asked with: that of the command, and what the links of the first page add to it. */
  query: z.string(),
  /** Records in the collection when the crawl began. */
  count: wholeNumber,
  /** Records per page. */
  size: wholeNumber.min(1),
  /** The position of the newest record to copy. */
  first: wholeNumber,
  /** The position to copy next; all above it, up to `first`, are in the file. */
  next: wholeNumber,
  /** By position, the JSON of the records of the first page and of the last ones copied, to compare others with. */
  known: z.map(wholeNumber, z.string()),
  /** Of the last record copied. */
  timestamp: z.string().nullable(),
  /** Of the file, and the records in it. */
  bytes: wholeNumber,
  records: wholeNumber,
  problems: wholeNumber,
  pages: wholeNumber,
  retries: wholeNumber,
});
export type CrawlState = z.infer<typeof CrawlState>;

/**
 * The state before the first record.
 * @param newest page 1, which tells the count and the records per page
 * @throws Error if the collection has no page of this number
 */
export function beginState(collection: CollectionUrl, fromPage: number, newest: Answered): CrawlState {
  const { count, results } = newest;
  const size = count > results.length && results.length > 0 ? results.length : PAGE_SIZE;
  const first = count - size * (fromPage - 1);
  if (first < 1 && fromPage > 1) {
    throw new Error(`${pageUrl(collection, fromPage)} does not exist: the last page is ${lastPage(count)}`);
  }
  const none = { timestamp: null, bytes: 0, records: 0, problems: 0, pages: 0, retries: 0 };
  const name = formatCollectionUrl(collection);
  const query = newest.collection.query.toString();
  return { collection: name, fromPage, query, count, size, first, next: first, known: new Map(), ...none };
}

/** Notes that all records of a page down to its last one are copied. */
export function advance(state: CrawlState, page: ReadPage): void {
  const { first, size, known } = state;
  for (const [index, record] of page.results.entries()) known.set(page.last - index, JSON.stringify(record));
  state.next = page.first - 1;
  for (const position of known.keys()) {
    if (position > state.next + size && position <= first - size) known.delete(position);
  }
}
