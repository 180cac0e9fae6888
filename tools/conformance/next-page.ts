import { lastPage } from "../../src/records/page.ts";
import { type CollectionReader, isPage, type PageResponse } from "./collection-reader.ts";
import type { CollectionState } from "./collection-state.ts";
import type { Emit } from "./events.ts";
import { readRecordId } from "./seen-records.ts";

/** The walk ends after this many pages in a row that cannot be read. */
const MAX_UNREADABLE = 3;
/** How many pages are read after the last page according to the count. */
const MAX_BEYOND_COUNT = 20;
/** How many pages are read if the collection has no valid count. */
const MAX_WITHOUT_COUNT = 10_000;

interface Search {
  reader: CollectionReader;
  state: CollectionState;
  emit: Emit;
  /** The walk does not read ahead beyond this page. */
  pageLimit?: number | undefined;
}

/** What follows a page: another page, a response that is not a page of the collection, or nothing. */
interface NextPage {
  next?: PageResponse;
  /** The response that is not a page of the collection, for the report. */
  afterLast?: string;
  /** Why the walk cannot continue. */
  stopped?: string;
}

/**
 * Finds the page after a page: within the count, or as long as `next` links to records that have not been seen. Pages
 * that cannot be read are skipped.
 */
export async function findNextPage(search: Search, page: PageResponse): Promise<NextPage> {
  const { state, reader, emit, pageLimit } = search;
  let isLinked = !isPage(page) || typeof page.envelope?.next === "string";
  for (let number = page.number + 1; number <= page.number + MAX_UNREADABLE; number++) {
    const { count } = state;
    const last = count === undefined ? 0 : lastPage(count);
    const max = count === undefined ? MAX_WITHOUT_COUNT : last + MAX_BEYOND_COUNT;
    if (number > last && (!isLinked || number > max)) return {};
    const response = await reader.read(number, Math.min(last, pageLimit ?? last));
    const nextPage = classifyResponse(state, response, number <= last, isLinked);
    if (nextPage) return nextPage;
    emitUnreadable(emit, reader, response);
    if (number === last) break;
    isLinked = true;
  }
  return { stopped: `The walk ended after ${page.url} because the next page could not be read.` };
}

/**
 * @param isExpected whether the page should exist according to the count
 * @param isLinked whether the page before links to it
 * @returns undefined if it should be a page but cannot be read
 */
function classifyResponse(
  { seenIds }: CollectionState,
  response: PageResponse,
  isExpected: boolean,
  isLinked: boolean,
): NextPage | undefined {
  const { status, results } = response;
  if (!isPage(response)) {
    const isMissing = !isLinked && status !== 200;
    return isExpected && !isMissing ? undefined : { afterLast: String(status) };
  }
  const hasNewRecords = results.some((record) => {
    const id = readRecordId(record);
    return id !== undefined && !seenIds.has(id);
  });
  const isNext = isExpected ? isLinked || results.length > 0 : hasNewRecords;
  return isNext ? { next: response } : { afterLast: `${status} without new records` };
}

export function emitUnreadable(
  emit: Emit,
  { linkBase, format }: CollectionReader,
  response: PageResponse,
): void {
  emit("page", { ...response, linkBase, format, envelope: undefined, isLast: false });
}
