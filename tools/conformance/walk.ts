import { setTimeout as wait } from "node:timers/promises";
import { isObject } from "../data/formats/validation.ts";
import { isSamePage, type PageResponse, parsePage } from "./page-response.ts";
import type { ClientOptions, RetryingClient } from "./retrying-client.ts";
import {
  checkAllow,
  checkPage,
  checkRecordFields,
  comparePage,
  compareRecord,
  createRecorder,
  createSeenRecords,
  type Finding,
} from "./rules.ts";

export interface CheckOptions extends ClientOptions {
  /** Read only the pages up to this number, the middle page and the last page. */
  pages?: number;
  /** The maximum number of requests at the same time. */
  concurrency?: number;
  /** Send no POST, PUT, PATCH or DELETE request. */
  readOnly?: boolean;
  /** Called after each page. The total is undefined if count is invalid. */
  onPage?: (done: number, total: number | undefined) => void;
}

export type Walk = Awaited<ReturnType<typeof startWalk>>;

/**
 * Reads page 1 of a collection.
 * @param url The absolute URL of the collection, without query
 * @param isFirst Whether contradictions between pages end this walk, so that a second walk can start
 */
export async function startWalk(client: RetryingClient, url: string, options: CheckOptions, isFirst = false) {
  const read = async (number: number, query = `?format=api&page=${number}`) =>
    parsePage(await client.send(url + query), number);
  const first = await read(1);
  const walk = {
    ...createRecorder(),
    client,
    url,
    options,
    isFirst,
    read,
    first,
    /** The page that was checked last. */
    latest: first,
    /** The number of checked pages. */
    pages: 0,
    /** The size of the largest page. */
    pageSize: 1,
    /** The number of records up to the latest page. Skipped pages count as full pages. */
    listedCount: 0,
    records: createSeenRecords(),
    /** The pages that were requested in advance. */
    prefetched: new Map<number, Promise<PageResponse>>(),
    /** Contradictions between pages. The cause may be a change of the collection. */
    contradictions: [] as [rule: string, where: string, finding: string][],
    /** Whether the collection is known to be unchanged, so that contradictions break rules. */
    isUnchanged: false,
    /** Why the check ended early; null if it is complete. */
    stopped: null as string | null,
    /** Adds a finding of a comparison with other responses. */
    addComparison(rule: string, where: string, finding: Finding): void {
      if (finding === true || walk.isUnchanged) walk.addFinding(rule, where, finding);
      else walk.contradictions.push([rule, where, finding]);
    },
  };
  return walk;
}

/**
 * Reads and checks all pages until a page has no new record.
 * @returns False if the walk ended early because the collection may have changed
 */
export async function walkPages(walk: Walk): Promise<boolean> {
  const { pages: limit = Number.POSITIVE_INFINITY, onPage } = walk.options;
  addPage(walk, walk.first);
  for (let hasNewRecord = true; hasNewRecord; ) {
    const last = getLastPageNumber(walk, limit);
    const number = getNextPageNumber(walk.latest.number, last, limit);
    const page = await readAhead(walk, number, Math.min(last, limit));
    hasNewRecord = page.results.some((result) => !walk.records.ids.has(getId(result)));
    if (number > last || isPastEnd(page)) {
      checkEnd(walk, page, hasNewRecord);
      break;
    }
    addPage(walk, page);
    if (!(await resolveContradictions(walk))) return false;
    onPage?.(walk.pages, walk.first.count === undefined ? undefined : Math.min(last, limit + 2));
  }
  await checkOtherPages(walk);
  return resolveContradictions(walk);
}

/** Estimates the number of the last page from count and the previous pages. */
function getLastPageNumber({ first, latest, listedCount, pageSize }: Walk, limit: number): number {
  if (first.count === undefined) return limit;
  return latest.number + Math.ceil((first.count - listedCount) / pageSize);
}

/** With `--pages`, the first pages are followed by the middle page, the last page, and the page after the last page. */
function getNextPageNumber(number: number, last: number, limit: number): number {
  const middle = Math.ceil(last / 2);
  if (number < limit) return number + 1;
  return number < middle ? middle : Math.max(number + 1, last);
}

/** Reads a page and prefetches the following pages: at most `concurrency` pages at a time, and none after `last`. */
function readAhead({ prefetched, read, options }: Walk, number: number, last: number): Promise<PageResponse> {
  const response = prefetched.get(number) ?? read(number);
  prefetched.delete(number);
  for (let ahead = number + 1; ahead < number + (options.concurrency ?? 1) && ahead <= last; ahead++) {
    const page = prefetched.get(ahead) ?? read(ahead);
    page.catch(() => {}); // An error before the page is awaited must not end the process.
    prefetched.set(ahead, page);
  }
  return response;
}

function getId(result: unknown): unknown {
  return isObject(result) ? result.id : undefined;
}

function isPastEnd({ status, envelope, results }: PageResponse): boolean {
  return status === 404 || (envelope?.results === results && results.length === 0);
}

/**
 * If pages contradict each other, waits and checks whether the collection has changed. If not, reports the contradictions.
 * @returns False if the collection may have changed
 */
async function resolveContradictions(walk: Walk): Promise<boolean> {
  const { isFirst, first, read, contradictions, addFinding } = walk;
  if (contradictions.length === 0) return true;
  const { second = 1_000, signal } = walk.options;
  await wait(6 * second, undefined, { signal });
  walk.isUnchanged = !isFirst && isSamePage(first, await read(1));
  if (walk.isUnchanged) for (const finding of contradictions.splice(0)) addFinding(...finding);
  return walk.isUnchanged;
}

function addPage(walk: Walk, page: PageResponse): void {
  const { addFinding, addComparison, records, url, first, latest } = walk;
  walk.pageSize = Math.max(walk.pageSize, page.results.length);
  checkPage(addFinding, page, walk.pageSize, url);
  if (page !== first) comparePage(addComparison, page, first, latest);
  for (const [index, result] of page.results.entries()) {
    if (!isObject(result)) continue;
    const where = `${page.url} record ${index + 1}`;
    checkRecordFields(addFinding, result, where);
    compareRecord(addComparison, records, result, where);
  }
  walk.pages += 1;
  walk.listedCount += walk.pageSize * Math.max(0, page.number - latest.number - 1) + page.results.length;
  walk.latest = page;
}

/** @param after The page after the last page */
function checkEnd(walk: Walk, after: PageResponse, hasMore: boolean): void {
  const { first, listedCount } = walk;
  if (first.count === undefined) return;
  const end = `page ${after.number}, which ${hasMore ? "has more" : after.outcome}`;
  const problem = `count is ${first.count}, but there are ${listedCount} records before ${end}`;
  walk.addComparison("Page envelope.count", walk.url, (!hasMore && first.count === listedCount) || problem);
}

/** Checks page 0, and the URL of the collection without a page number. */
async function checkOtherPages(walk: Walk): Promise<void> {
  const { addFinding, addComparison, read, url, first, records, pageSize } = walk;
  const zero = await read(0);
  addFinding("List records.Allow", zero.url, checkAllow(zero, "GET, OPTIONS"));
  // Page 0 may repeat a different page. If page 0 has records that no other page has, the first page has the number 0 instead of 1.
  const ids = zero.status === 200 ? zero.results.map(getId) : [];
  if (ids.some((id) => id !== undefined && !records.ids.has(id)))
    addComparison("List records.page", zero.url, "has records that are on no other page");
  const page = await read(1, "?format=api");
  const isPage1 = page.status === 200 && isSamePage(first, page);
  const problem = page.status === 200 ? "is not page 1" : page.outcome;
  addComparison("List records.page default", page.url, isPage1 || problem);
  // The rules of single pages also apply without a page number.
  if (isPage1) checkPage(addFinding, page, pageSize, url);
}
