import { lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { isPage, type PageResponse } from "./collection-reader.ts";
import { emitUnreadable, findNextPage } from "./next-page.ts";
import { addPage, type ComparedPage, type Walk } from "./walked-page.ts";

/** After so many pages in a row without a new record, nothing more can be learned from the walk. */
const MAX_IDLE_PAGES = 20;

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
