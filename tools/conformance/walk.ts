import { hash } from "node:crypto";
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
  /** Remembers a page. Returns the number of an earlier page with the same records. */
  findSamePage(page: PageResponse): number | undefined;
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
  /** A page is so large that only the requests that are necessary are sent. */
  isOversized: boolean;
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
    isOversized: false,
    allPagesFull: true,
    lastPage: undefined,
    stopped: undefined,
  };
}

/** A page that has been compared with the pages before it. */
interface ComparedPage extends PageResponse {
  /** The number of an earlier page, if it has the same records. */
  duplicateOf: number | undefined;
  hasNewRecords: boolean;
}

/** After so many pages in a row without a new record, nothing more can be learned from the walk. */
const MAX_IDLE_PAGES = 20;

/** Keeps a few bytes of each page. */
export function createPageMemory(): Walk["findSamePage"] {
  const numbers = new Map<string, number>();
  return ({ number, results }) => {
    if (results.length === 0) return undefined;
    const key = hash("sha1", JSON.stringify(results), "base64").slice(0, 12);
    const earlier = numbers.get(key);
    if (earlier === undefined) numbers.set(key, number);
    return earlier === number ? undefined : earlier;
  };
}

/** A page that contradicts earlier pages is read this many times before the contradiction counts. */
const MAX_READS = 3;

/**
 * Walks from the first page to the last by page number and emits an event for everything it observes. The event of a
 * page follows after the next page has been read, because it includes whether the page is the last one.
 */
export async function walkPages(walk: Walk, first: PageResponse): Promise<void> {
  const start = await readFirstPage(walk, first);
  if (start === undefined) return;
  let page = await addPage(walk, start);
  /** Pages without a new record since the last one with any. Empty ones may lie beyond the end. */
  let idle: ComparedPage[] = [];
  while (page.number !== walk.pageLimit) {
    const latest = idle.at(-1) ?? page;
    const { next, afterLast, stopped } = await waitForNext(walk, latest, findNextPage(walk, latest));
    if (stopped !== undefined) {
      walk.result.stopped = stopped;
      emitPages(walk, [page, ...idle]);
      return;
    }
    if (next === undefined) {
      emitEndAfter(walk, page, idle, afterLast);
      return;
    }
    const added = await addPage(walk, next);
    idle.push(added);
    if (added.hasNewRecords) {
      emitPages(walk, [page, ...idle.slice(0, -1)]);
      [page, idle] = [added, []];
    } else if (idle.length >= MAX_IDLE_PAGES) {
      walk.result.stopped = `The walk ended after ${added.url}: ${idle.length} pages in a row have no new record.`;
      if (areEmpty(idle)) emitEndAfter(walk, page, idle, "200 without records");
      else emitPages(walk, [page, ...idle]);
      return;
    }
  }
  await walkMiddleAndLast(walk, page);
}

/** @returns the first page that can be read; undefined if it is none of the first few */
async function readFirstPage(walk: Walk, first: PageResponse): Promise<PageResponse | undefined> {
  if (isPage(first)) return first;
  emitUnreadable(walk.emit, walk.reader, first);
  const { next, stopped } = await findNextPage(walk, first);
  if (next === undefined) walk.result.stopped = stopped ?? `${first.url} is not a page of a collection.`;
  return next;
}

/** Pages without records after the last page are beyond the end; others are pages. */
function emitEndAfter(
  walk: Walk,
  page: ComparedPage,
  idle: ComparedPage[],
  afterLast: string | undefined,
): void {
  const areBeyond = areEmpty(idle);
  const pages = areBeyond ? [page] : [page, ...idle];
  emitPages(walk, pages.slice(0, -1));
  emitEnd(walk, pages.at(-1) ?? page, areBeyond ? (afterLast ?? "200 without records") : afterLast);
}

function areEmpty(pages: ComparedPage[]): boolean {
  const isEmpty = ({ envelope, results }: ComparedPage) =>
    Array.isArray(envelope?.results) && results.length === 0;
  return pages.length > 0 && pages.every(isEmpty);
}

function emitPages(walk: Walk, pages: ComparedPage[]): void {
  for (const page of pages) emitPage(walk, page, false);
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
    page = await addPage(walk, response);
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
async function addPage(walk: Walk, response: PageResponse): Promise<ComparedPage> {
  const { page, comparison } = await readUntilConsistent(walk, response);
  emitCount(walk, page, comparison);
  const overlap = applyPage(walk.state, page, comparison);
  const earlier = walk.findSamePage(page);
  const duplicateOf = overlap < page.results.length ? earlier : undefined;
  const added = duplicateOf === undefined ? addRecords(walk, page, overlap) : 0;
  walk.result.pages += 1;
  if (page.isOversized) walk.result.isOversized = true;
  walk.onPage();
  return { ...page, duplicateOf, hasNewRecords: added > 0 };
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

/** @returns how many records have not been seen before */
function addRecords(walk: Walk, page: PageResponse, overlap: number): number {
  const before = walk.result.records;
  for (const [index, record] of page.results.entries()) {
    if (index < overlap || !isObject(record)) continue;
    const event = walk.seenRecords.add(page.url, index, record);
    if (!event.isDuplicate) walk.result.records += 1;
    walk.emit("record", event);
  }
  return walk.result.records - before;
}

function emitPage(walk: Walk, page: ComparedPage, isLast: boolean): void {
  if (!isLast && page.results.length !== PAGE_SIZE) walk.result.allPagesFull = false;
  const { linkBase, format } = walk.reader;
  walk.emit("page", { ...page, linkBase, format, isLast });
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
