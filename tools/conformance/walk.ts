import { isDeepStrictEqual } from "node:util";
import { lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import { findFollowing, isReadable, tellUnreadable } from "./following.ts";
import { isObject } from "./json.ts";
import type { Memory } from "./memory.ts";
import type { Observe, SeenEnd } from "./observation.ts";
import type { Answered, Pages } from "./pages.ts";
import { type Fit, fitPage, type State, takePage } from "./state.ts";

export interface Walk {
  pages: Pages;
  state: State;
  memory: Memory;
  observe: Observe;
  /** Waits a little before a page is read again. */
  pause(): Promise<void>;
  /** @param page just read */
  onPage(page: number): void;
  /** Only so many pages from the first, and the middle and last one. */
  most?: number | undefined;
  /** What has been walked. */
  walked: Walked;
}

export interface Walked {
  pages: number;
  records: number;
  /** How often the collection grew. */
  growths: number;
  /** The counts of pages contradict each other. */
  contradictory: boolean;
  /** A page did not go with the ones before, however often it was read: from then on each is read once. */
  doubtful: boolean;
  /** All pages but the last hold as many records as they should. */
  regular: boolean;
  /** The number of the last page, if the walk came to it. */
  last: number | undefined;
  /** Why the walk ended before the last page. */
  stopped: string | undefined;
}

/** A page that has been compared with the ones before. */
interface Settled extends Answered {
  /** The number of the page before, if it has the same records. */
  copies: number | undefined;
}

/** A doubt that outlasts so many readings of a page is none. */
const MOST_READS = 3;

/**
 * Walks from the first page to the last, by the number that `next` should carry, and tells what it sees. A page is told
 * when it is known what follows it.
 */
export async function walkPages(walk: Walk, first: Answered): Promise<void> {
  let page = await settle(walk, first);
  for (;;) {
    if (page.number === walk.most) break;
    const { following, after } = await orTell(walk, page, findFollowing(walk, page));
    if (walk.walked.stopped !== undefined) return tellPage(walk, page, false);
    if (following === undefined) return tellEnd(walk, page, after);
    tellPage(walk, page, false);
    page = await settle(walk, following, page);
  }
  await walkRest(walk, page);
}

/** Goes on, where only some pages are wanted, with the middle and the last one. */
async function walkRest(walk: Walk, newest: Settled): Promise<void> {
  let page = newest;
  const last = lastPage(walk.state.count ?? 0);
  for (const number of new Set([Math.ceil(last / 2), last])) {
    if (number <= page.number) continue;
    const answered = await orTell(walk, page, walk.pages.read(number));
    if (!isReadable(answered)) {
      tellUnreadable(walk, answered);
      continue;
    }
    tellPage(walk, page, false);
    page = await settle(walk, answered, page);
  }
  if (page.number >= lastPage(walk.state.count ?? 0)) tellEnd(walk, page, undefined);
  else tellPage(walk, page, false);
}

/** Waits for what follows a page. If that fails, all that was seen of the page is told. */
async function orTell<T>(walk: Walk, page: Settled, following: Promise<T>): Promise<T> {
  try {
    return await following;
  } catch (error) {
    tellPage(walk, page, page.number >= lastPage(walk.state.count ?? 0));
    throw error;
  }
}

/** Reads a page again that does not go with the ones before: it may be of the moment in which a record came. */
async function settle(walk: Walk, read: Answered, before?: Answered): Promise<Settled> {
  let page = read;
  let fit = fitPage(walk.state, page);
  let highest = page.count ?? 0;
  for (let reads = 1; fit.doubt && reads < MOST_READS && !walk.walked.doubtful; reads++) {
    await walk.pause();
    const again = await walk.pages.readAgain(page.number);
    if (!isReadable(again)) break;
    page = again;
    fit = fitPage(walk.state, page);
    const { count = 0 } = page;
    if (count < highest)
      fit = { ...fit, doubt: `count is ${count}, but was ${highest} before`, isCount: true };
    highest = Math.max(highest, count);
  }
  if (fit.doubt) walk.walked.doubtful = true;
  tellCount(walk, page, fit);
  const overlap = takePage(walk.state, page, fit);
  const copies = overlap < page.results.length && isCopy(page, before) ? before?.number : undefined;
  if (copies === undefined) meetRecords(walk, page, overlap);
  walk.walked.pages += 1;
  walk.onPage(page.number);
  return { ...page, copies };
}

function tellCount({ walked, observe, state }: Walk, page: Answered, fit: Fit): void {
  const isInside =
    state.count !== undefined && page.number <= lastPage(Math.max(page.count ?? 0, state.count));
  if (page.count === undefined || !isInside) return;
  if (fit.isCount) walked.contradictory = true;
  if (fit.change === "growth") walked.growths += 1;
  observe("count", { url: page.url, change: fit.change, flaw: fit.isCount ? fit.doubt : undefined });
}

function meetRecords(walk: Walk, page: Answered, overlap: number): void {
  for (const [index, record] of page.results.entries()) {
    if (index < overlap || !isObject(record)) continue;
    const seen = walk.memory.meet(page.url, index, record);
    if (!seen.repeated) walk.walked.records += 1;
    walk.observe("record", seen);
  }
}

function isCopy({ results }: Answered, before: Answered | undefined): boolean {
  return before !== undefined && isDeepStrictEqual(results, before.results);
}

function tellPage(walk: Walk, page: Settled, isLast: boolean): void {
  if (!isLast && page.results.length !== PAGE_SIZE) walk.walked.regular = false;
  walk.observe("page", { ...page, base: walk.pages.base, isLast });
}

function tellEnd(walk: Walk, page: Settled, after: string | undefined): void {
  tellPage(walk, page, true);
  walk.walked.last = page.number;
  const { contradictory, regular } = walk.walked;
  const end: SeenEnd = {
    url: page.url,
    number: page.number,
    length: page.results.length,
    count: contradictory ? undefined : walk.state.count,
    regular: regular && Array.isArray(page.fields?.results),
    after,
  };
  walk.observe("end", end);
}
