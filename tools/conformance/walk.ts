import { setTimeout as wait } from "node:timers/promises";
import { isFields, isSamePage, type PageResponse, parsePage } from "./page-response.ts";
import type { ClientOptions, RetryingClient } from "./retrying-client.ts";
import {
  checkAllow,
  comparePage,
  compareRecord,
  createJudge,
  createSeenRecords,
  judgePage,
  judgeRecord,
} from "./rules.ts";

export interface CheckOptions extends ClientOptions {
  /** If set, only the pages up to this number, the middle page and the last page are read. */
  pages?: number;
  /** How many requests may run at the same time. */
  concurrency?: number;
  /** Send no request that would write. */
  readOnly?: boolean;
  /** The URL of the collection in links; by default, the one that is checked. */
  baseUrl?: string;
  /** Called after each page, with the number of pages to read. */
  onPage?: (done: number, total: number) => void;
}

/** Without a valid count, so many pages are read. They need not have an end. */
const PAGES_WITHOUT_COUNT = 10;

export type Walk = Awaited<ReturnType<typeof beginWalk>>;

/**
 * Reads page 1 of a collection.
 * @param url absolute, without query
 * @param isFirst no earlier walk has ended because pages contradict each other
 */
export async function beginWalk(client: RetryingClient, url: string, options: CheckOptions, isFirst = false) {
  const read = async (number: number, query = `?format=api&page=${number}`, isPatient = true) =>
    parsePage(await client.send(url + query, {}, isPatient), number);
  const first = await read(1);
  const walk = {
    ...createJudge(),
    client,
    url,
    options,
    isFirst,
    read,
    first,
    /** The page that was judged last. */
    latest: first,
    /** How many pages were judged. */
    pages: 0,
    /** The most records on a page, and how many there are up to the latest one, if those that were left out have as many. */
    pageSize: 1,
    listed: 0,
    records: createSeenRecords(),
    /** The pages that were requested ahead. */
    started: new Map<number, Promise<PageResponse>>(),
    /** What pages show that contradict each other, until it is known whether the collection has changed. */
    contradictions: [] as [rule: string, where: string, finding: string][],
    /** The collection has not changed, so contradictions break rules. */
    isUnchanged: false,
    /** Why the check ended before it saw everything; null if it did not. */
    stopped: null as string | null,
    /** Judges a response together with those before it. */
    compare(rule: string, where: string, finding: true | string): void {
      if (finding === true || walk.isUnchanged) walk.judge(rule, where, finding);
      else walk.contradictions.push([rule, where, finding]);
    },
  };
  return walk;
}

/**
 * Reads and judges the pages from the first to the last. A page without a new record is the end.
 * @returns false if the walk has ended early, because the collection may have changed
 */
export async function walkPages(walk: Walk): Promise<boolean> {
  const { pages: limit = Number.POSITIVE_INFINITY, onPage } = walk.options;
  addPage(walk, walk.first);
  for (let isNew = true; isNew; ) {
    const last = findLast(walk, limit);
    const number = chooseNext(walk.latest.number, last, limit);
    const page = await readAhead(walk, number, Math.min(last, limit));
    isNew = page.results.some((result) => !walk.records.ids.has(readId(result)));
    if (number > last || isAbsent(page)) {
      judgeEnd(walk, page, isNew);
      break;
    }
    addPage(walk, page);
    if (!(await isClear(walk))) return false;
    onPage?.(walk.pages, Math.min(last, limit + 2));
  }
  await judgeOtherPages(walk);
  return isClear(walk);
}

/** The number of the last page, as far as the pages that were read show it. */
function findLast({ first, latest, listed, pageSize }: Walk, limit: number): number {
  if (first.count === undefined) return Math.min(limit, PAGES_WITHOUT_COUNT);
  return latest.number + Math.ceil((first.count - listed) / pageSize);
}

/** With a limit, the middle page and the last page follow, and the page after it. */
function chooseNext(number: number, last: number, limit: number): number {
  const middle = Math.ceil(last / 2);
  if (number < limit) return number + 1;
  return number < middle ? middle : Math.max(number + 1, last);
}

/** Reads a page, and requests the pages after it, up to the last one. */
function readAhead({ started, read, options }: Walk, number: number, last: number): Promise<PageResponse> {
  const wanted = started.get(number) ?? read(number);
  started.delete(number);
  for (let ahead = number + 1; ahead < number + (options.concurrency ?? 1) && ahead <= last; ahead++) {
    const page = started.get(ahead) ?? read(ahead);
    page.catch(() => {}); // It may fail before anything awaits it, which must not end the process.
    started.set(ahead, page);
  }
  return wanted;
}

function readId(result: unknown): unknown {
  return isFields(result) ? result.id : undefined;
}

function isAbsent({ status, envelope, results }: PageResponse): boolean {
  return status === 404 || (envelope?.results === results && results.length === 0);
}

/** Whether no pages contradict each other, or do so although the collection has not changed. */
async function isClear(walk: Walk): Promise<boolean> {
  const { isFirst, first, read, contradictions, judge } = walk;
  if (contradictions.length === 0) return true;
  const { second = 1_000, signal } = walk.options;
  await wait(6 * second, undefined, { signal });
  walk.isUnchanged = !isFirst && isSamePage(first, await read(1));
  if (walk.isUnchanged) for (const finding of contradictions.splice(0)) judge(...finding);
  return walk.isUnchanged;
}

function addPage(walk: Walk, page: PageResponse): void {
  const { judge, compare, records, url, options, first, latest } = walk;
  walk.pageSize = Math.max(walk.pageSize, page.results.length);
  judgePage(judge, page, walk.pageSize, options.baseUrl ?? url);
  if (page !== first) comparePage(compare, page, first, latest);
  for (const [index, result] of page.results.entries()) {
    if (!isFields(result)) continue;
    const where = `${page.url} record ${index + 1}`;
    judgeRecord(judge, result, where);
    compareRecord(compare, records, result, where);
  }
  walk.pages += 1;
  walk.listed += walk.pageSize * Math.max(0, page.number - latest.number - 1) + page.results.length;
  walk.latest = page;
}

/** @param after the page after the last one */
function judgeEnd(walk: Walk, after: PageResponse, isNew: boolean): void {
  const { first, latest, listed } = walk;
  if (first.count === undefined) {
    if (isNew) walk.stopped = `Page 1 has no valid count, so only ${latest.number} of the pages were read.`;
    return;
  }
  const end = `page ${after.number}, which ${isNew ? "has more" : after.outcome}`;
  const problem = `count is ${first.count}, but there are ${listed} records before ${end}`;
  walk.compare("Page envelope.count", walk.url, (!isNew && first.count === listed) || problem);
}

/** Judges page 0, and the page without a number. */
async function judgeOtherPages(walk: Walk): Promise<void> {
  const { judge, compare, read, url, first, records, options, pageSize } = walk;
  const zero = await read(0);
  judge("List records.Allow", zero.url, checkAllow(zero, "GET, OPTIONS"));
  // Page 0 may repeat another page, but if it has other records, pages are not numbered from 1.
  const ids = zero.status === 200 ? zero.results.map(readId) : [];
  if (ids.some((id) => id !== undefined && !records.ids.has(id)))
    compare("List records.page", zero.url, "has records that are on no other page");
  const page = await read(1, "?format=api");
  const isFirst = page.status === 200 && isSamePage(first, page);
  const problem = page.status === 200 ? "is not page 1" : page.outcome;
  compare("List records.page default", page.url, isFirst || problem);
  // Every rule about pages applies to it, too.
  if (isFirst) judgePage(judge, page, pageSize, options.baseUrl ?? url);
}
