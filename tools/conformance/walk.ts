import { isDeepStrictEqual } from "node:util";
import { lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { type CollectionReader, isPage, type PageResponse } from "./collection-reader.ts";
import {
  applyPage,
  type CollectionState,
  comparePage,
  describeCountError,
  type PageComparison,
} from "./collection-state.ts";
import type { Emit } from "./events.ts";
import { emitUnreadable, findNextPage } from "./next-page.ts";
import { isObject } from "./response-body.ts";
import type { SeenRecords } from "./seen-records.ts";

export interface Walk {
  reader: CollectionReader;
  state: CollectionState;
  seenRecords: SeenRecords;
  emit: Emit;
  /** Waits before a page is read again. */
  pause(): Promise<void>;
  /** Called after each page. */
  onPage(): void;
  /** If set, only the pages up to this number, the middle page and the last page are read. */
  pageLimit?: number | undefined;
  result: WalkResult;
}

export interface WalkResult {
  pages: number;
  records: number;
  /** How many times the collection grew. */
  growths: number;
  /** The counts of pages contradict each other. */
  countsContradict: boolean;
  /** A page contradicted earlier ones in every attempt. From then on, each page is read once. */
  isInconsistent: boolean;
  /** All pages but the last hold as many records as they should. */
  allPagesFull: boolean;
  /** The number of the last page, if the walk reached it. */
  lastPage: number | undefined;
  /** Why the walk ended before the last page. */
  stopped: string | undefined;
}

export function createWalkResult(): WalkResult {
  return {
    pages: 0,
    records: 0,
    growths: 0,
    countsContradict: false,
    isInconsistent: false,
    allPagesFull: true,
    lastPage: undefined,
    stopped: undefined,
  };
}

/** A page that has been compared with the pages before it. */
interface ComparedPage extends PageResponse {
  /** The number of the previous page, if it has the same records. */
  duplicateOf: number | undefined;
}

/** A page that contradicts earlier pages is read this many times before the contradiction counts. */
const MAX_READS = 3;

/**
 * Walks from the first page to the last by page number and emits an event for everything it observes. The event of a
 * page follows after the next page has been read, because it includes whether the page is the last one.
 */
export async function walkPages(walk: Walk, first: PageResponse): Promise<void> {
  let page = await addPage(walk, first);
  while (page.number !== walk.pageLimit) {
    const { next, afterLast, stopped } = await waitForNext(walk, page, findNextPage(walk, page));
    if (stopped !== undefined) {
      walk.result.stopped = stopped;
      return emitPage(walk, page, false);
    }
    if (next === undefined) return emitEnd(walk, page, afterLast);
    emitPage(walk, page, false);
    page = await addPage(walk, next, page);
  }
  await walkMiddleAndLast(walk, page);
}

async function walkMiddleAndLast(walk: Walk, current: ComparedPage): Promise<void> {
  let page = current;
  const last = lastPage(walk.state.count ?? 0);
  for (const number of new Set([Math.ceil(last / 2), last])) {
    if (number <= page.number) continue;
    const response = await waitForNext(walk, page, walk.reader.read(number));
    if (!isPage(response)) {
      emitUnreadable(walk.emit, walk.reader, response);
      continue;
    }
    emitPage(walk, page, false);
    page = await addPage(walk, response, page);
  }
  if (isLastByCount(walk, page)) emitEnd(walk, page, undefined);
  else emitPage(walk, page, false);
}

/** Waits for the page after a page. If that fails, the page itself is still reported. */
async function waitForNext<T>(walk: Walk, page: ComparedPage, next: Promise<T>): Promise<T> {
  try {
    return await next;
  } catch (error) {
    emitPage(walk, page, isLastByCount(walk, page));
    throw error;
  }
}

function isLastByCount({ state }: Walk, page: PageResponse): boolean {
  return page.number >= lastPage(state.count ?? 0);
}

/** Adds a page to the walk, after comparing it with the pages before it. */
async function addPage(walk: Walk, response: PageResponse, previous?: PageResponse): Promise<ComparedPage> {
  const { page, comparison } = await readUntilConsistent(walk, response);
  emitCount(walk, page, comparison);
  const overlap = applyPage(walk.state, page, comparison);
  const isDuplicate = overlap < page.results.length && isDeepStrictEqual(page.results, previous?.results);
  const duplicateOf = isDuplicate ? previous?.number : undefined;
  if (duplicateOf === undefined) addRecords(walk, page, overlap);
  walk.result.pages += 1;
  walk.onPage();
  return { ...page, duplicateOf };
}

/** Reads a page again if it contradicts earlier pages, because a record may have been added during the request. */
async function readUntilConsistent(
  walk: Walk,
  response: PageResponse,
): Promise<{ page: PageResponse; comparison: PageComparison }> {
  let page = response;
  let comparison = comparePage(walk.state, page);
  let highest = page.count ?? 0;
  for (let reads = 1; !comparison.isConsistent && reads < MAX_READS && !walk.result.isInconsistent; reads++) {
    await walk.pause();
    const again = await walk.reader.readAgain(page.number);
    if (!isPage(again)) break;
    page = again;
    comparison = comparePage(walk.state, page);
    const { count = 0 } = page;
    if (count < highest) {
      comparison = { ...comparison, isConsistent: false, countError: describeCountError(count, highest) };
    }
    highest = Math.max(highest, count);
  }
  if (!comparison.isConsistent) walk.result.isInconsistent = true;
  return { page, comparison };
}

function emitCount({ result, emit, state }: Walk, page: PageResponse, comparison: PageComparison): void {
  if (page.count === undefined || state.count === undefined) return;
  if (page.number > lastPage(Math.max(page.count, state.count))) return;
  const { hasGrown, countError } = comparison;
  if (countError !== undefined) result.countsContradict = true;
  if (hasGrown) result.growths += 1;
  emit("count", { url: page.url, error: countError });
}

function addRecords(walk: Walk, page: PageResponse, overlap: number): void {
  for (const [index, record] of page.results.entries()) {
    if (index < overlap || !isObject(record)) continue;
    const event = walk.seenRecords.add(page.url, index, record);
    if (!event.isDuplicate) walk.result.records += 1;
    walk.emit("record", event);
  }
}

function emitPage(walk: Walk, page: ComparedPage, isLast: boolean): void {
  if (!isLast && page.results.length !== PAGE_SIZE) walk.result.allPagesFull = false;
  walk.emit("page", { ...page, linkBase: walk.reader.linkBase, isLast });
}

function emitEnd(walk: Walk, page: ComparedPage, afterLast: string | undefined): void {
  emitPage(walk, page, true);
  walk.result.lastPage = page.number;
  const { countsContradict, allPagesFull } = walk.result;
  walk.emit("end", {
    url: page.url,
    lastPage: page.number,
    recordsOnLastPage: page.results.length,
    count: countsContradict ? undefined : walk.state.count,
    allPagesFull: allPagesFull && Array.isArray(page.envelope?.results),
    afterLast,
  });
}
