import { hash } from "node:crypto";
import { lastPage } from "../../src/records/page.ts";
import { type CollectionReader, isPage, type PageResponse } from "./collection-reader.ts";
import {
  applyPage,
  type CollectionState,
  comparePage,
  describeCountError,
  type PageComparison,
} from "./collection-state.ts";
import type { Emit } from "./events.ts";
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
export interface ComparedPage extends PageResponse {
  /** The number of an earlier page, if it has the same records. */
  duplicateOf: number | undefined;
  hasNewRecords: boolean;
}

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

/** Adds a page to the walk, after comparing it with the pages before it. */
export async function addPage(walk: Walk, response: PageResponse): Promise<ComparedPage> {
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
