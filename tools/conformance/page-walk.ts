import { isDeepStrictEqual } from "node:util";
import { lastPage, PAGE_SIZE } from "../../src/records/page.ts";
import type { CollectionPages } from "./collection-pages.ts";
import { addPositions, createSeenPositions, findContradiction, nextNumber } from "./growth.ts";
import { type Fields, isObject, isPage, type PageResponse, readId } from "./page-response.ts";
import type { SeenRecord } from "./rule.ts";

/** The walk ends after so many pages in a row without a new record, and so many pages after the last one by count. */
const MAX_IDLE_PAGES = 10;
/** A page that contradicts earlier ones is read again so many times, because a server may not know a new record yet. */
const MAX_REREADS = 4;
/** After so many pages that still contradict earlier ones, no page is read again. This bounds the time of a check. */
const MAX_CONTRADICTIONS = 3;

export type Walk = ReturnType<typeof createWalk>;

/**
 * A walk over a collection, and what it has found so far.
 * @param pageLimit if set, only the pages up to this number, the middle page and the last page are read
 * @param pause waits before a page is read again; it takes how often that has happened before
 */
export function createWalk(
  pages: CollectionPages,
  pageLimit: number | undefined,
  pause: (rereads: number) => Promise<void>,
) {
  return {
    pages,
    pageLimit,
    pause,
    seen: createSeenPositions(),
    previousPage: undefined as PageResponse | undefined,
    previousRecord: undefined as Fields | undefined,
    pagesRead: 0,
    /** Records with different ids. */
    recordsRead: 0,
    /** How many times the collection grew. */
    growths: 0,
    /** The pages that were read again, and why. */
    rereads: [] as string[],
    /** How many pages still contradicted earlier ones when they were read again. */
    contradictions: 0,
    /** The latest page that was passed on. */
    latest: undefined as PageResponse | undefined,
    /** An earlier page does not have 15 records. */
    hasOddPage: false,
    /** Records in the collection, according to its pages. */
    total: undefined as number | undefined,
    /** The response to the page after the last one. */
    afterLast: undefined as PageResponse | undefined,
    /** Why the walk ended before the last page. */
    stopped: null as string | null,
  };
}

/** A page of the walk, with those of its records that earlier pages should not have shown. */
export interface WalkedPage extends PageResponse {
  records: SeenRecord[];
}

/** Reads the pages from the first to the last, and passes on those that should exist. */
export async function* walkPages(walk: Walk): AsyncGenerator<WalkedPage> {
  /** Pages that are not found or empty. They should exist only if another page follows. */
  let absent: WalkedPage[] = [];
  for await (const page of readPages(walk)) {
    absent.push(page);
    if (page.number > 1 && isAbsent(page)) continue;
    for (const one of absent) yield passPage(walk, one);
    absent = [];
  }
  if (walk.stopped === null || absent.length > 0) walk.total = findTotal(walk);
}

async function* readPages(walk: Walk): AsyncGenerator<WalkedPage> {
  for (let number = 1, idle = 0; idle < MAX_IDLE_PAGES; number = chooseNext(walk, number)) {
    const page = await readConsistent(walk, number);
    const isNew = page.records.some(({ isRepeated }) => !isRepeated);
    const pagesAfterLast = number - lastPage(walk.seen.count ?? 0);
    if (pagesAfterLast > (isNew ? MAX_IDLE_PAGES : 0)) {
      walk.afterLast = page;
      return;
    }
    yield page;
    idle = isNew ? 0 : idle + 1;
  }
  walk.stopped = `The walk ended because ${MAX_IDLE_PAGES} pages in a row have no new record.`;
}

/** How many records the pages show. If they contradict each other or their sizes are wrong, this is unknown. */
function findTotal({ latest, hasOddPage, contradictions }: Walk): number | undefined {
  if (latest === undefined || !isPage(latest) || hasOddPage || contradictions > 0) return undefined;
  return PAGE_SIZE * (latest.number - 1) + latest.results.length;
}

function isAbsent(page: PageResponse): boolean {
  const isEmpty = Array.isArray(page.envelope?.results) && page.results.length === 0;
  return isPage(page) ? isEmpty : page.status === 404;
}

function passPage(walk: Walk, page: WalkedPage): WalkedPage {
  if (walk.latest && walk.latest.results.length !== PAGE_SIZE) walk.hasOddPage = true;
  if (isPage(page)) walk.pagesRead += 1;
  walk.latest = page;
  return page;
}

/** With a limit, the middle page and the last page follow, and the page after it. */
function chooseNext({ seen, pageLimit }: Walk, number: number): number {
  const next = nextNumber(seen, number);
  if (pageLimit === undefined || next <= pageLimit) return next;
  const last = lastPage(seen.count ?? 0);
  const middle = Math.ceil(last / 2);
  return next <= middle ? middle : Math.max(next, last);
}

async function readConsistent(walk: Walk, number: number): Promise<WalkedPage> {
  const { pages, seen, pageLimit = Number.POSITIVE_INFINITY } = walk;
  let page = await pages.read(number, Math.min(lastPage(seen.count ?? 0), pageLimit));
  let contradiction = findContradiction(seen, page);
  let highest = seen.count ?? 0;
  const rereads = walk.contradictions < MAX_CONTRADICTIONS ? MAX_REREADS : 0;
  if (contradiction && rereads > 0) walk.rereads.push(`${page.url}: ${contradiction.problem}`);
  for (let reads = 0; contradiction && reads < rereads; reads++) {
    highest = Math.max(highest, page.count ?? 0);
    await walk.pause(reads);
    page = await pages.readAgain(number);
    contradiction = findContradiction(seen, page, highest);
  }
  if (contradiction) walk.contradictions += 1;
  return addPage(walk, page, contradiction?.isCount ? contradiction.problem : undefined);
}

function addPage(walk: Walk, page: PageResponse, countProblem: string | undefined): WalkedPage {
  const { seen, previousPage } = walk;
  const count = (countProblem === undefined ? page.count : undefined) ?? seen.count;
  if (seen.count !== undefined && count !== seen.count) walk.growths += 1;
  const overlap = count === undefined ? 0 : addPositions(seen, page, count);
  const isSame = overlap < page.results.length && isDeepStrictEqual(page.results, previousPage?.results);
  const sameAs = isSame ? previousPage?.number : undefined;
  walk.previousPage = page;
  const records = page.results.flatMap((result, index) =>
    index >= overlap && isObject(result) ? [addRecord(walk, result, index + 1)] : [],
  );
  return { ...page, sameAs, countProblem, records };
}

function addRecord(walk: Walk, fields: Fields, number: number): SeenRecord {
  const { ids } = walk.seen;
  const id = readId(fields);
  const isRepeated = id !== undefined && ids.has(id);
  const previous = walk.previousRecord;
  if (id !== undefined) ids.add(id);
  if (!isRepeated) {
    walk.recordsRead += 1;
    walk.previousRecord = fields;
  }
  return { number, fields, previous, isRepeated };
}
