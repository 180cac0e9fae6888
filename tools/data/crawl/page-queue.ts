import { RefusedError, TransientError } from "../../http-client/errors.ts";
import { type FetchedPage, type PageReader, STALE_PAGE_ATTEMPTS } from "./page-reader.ts";

/** A range of positions, both ends included. Positions number the records from the oldest, 1, to the newest. */
interface PositionRange {
  first: number;
  last: number;
}

/**
 * A page with the positions of its records. They follow from the count in the same envelope: the first element of
 * `results` has the position `last`.
 */
export interface PositionedPage extends FetchedPage, PositionRange {}

/** A request for a page, with the positions that the page is expected to contain. */
interface PendingFetch extends PositionRange {
  done: Promise<void>;
}

/** Fetches pages ahead of their use. */
export interface PageQueue {
  reader: PageReader;
  /** The maximum number of requests at the same time. */
  concurrency: number;
  /** Records per page. */
  size: number;
  /** The count when the crawl began. A lower count means that the collection was replaced. */
  minCount: number;
  /** The count in the most recent response. */
  latestCount: number;
  /** Pages that have been fetched but not used yet. */
  ready: PositionedPage[];
  pending: Set<PendingFetch>;
  error: unknown;
  /** How many fetches in a row returned a page without the requested position, because the collection had grown. */
  misses: number;
}

/** The collection is not the one that the crawl began with, so no part of the output can be kept. */
export class CollectionReplacedError extends Error {
  constructor(evidence: string) {
    super(
      `${evidence}. The collection was replaced during the crawl, or its order is not stable. ` +
        "Use --restart to start over.",
    );
  }
}

/** After so many misses in a row, the collection grows too fast for the crawl to ever catch up. */
const MAX_MISSES = 200;

/** @param firstPage a page that has been fetched already */
export function createPageQueue(
  reader: PageReader,
  options: Pick<PageQueue, "concurrency" | "size" | "minCount">,
  firstPage?: FetchedPage,
): PageQueue {
  const ready = firstPage ? [addPositions(firstPage, options.size)] : [];
  const latestCount = options.minCount;
  return { ...options, reader, latestCount, ready, pending: new Set(), error: undefined, misses: 0 };
}

/**
 * Returns a page that contains a position, and starts to fetch the pages below it. If growth moved the position to
 * another page, that page is fetched as well.
 * @param position lower than in the previous call
 */
export async function takePage(queue: PageQueue, position: number): Promise<PositionedPage> {
  for (;;) {
    queue.ready = queue.ready.filter(({ first }) => first <= position);
    fetchAhead(queue, position);
    const page = queue.ready.find((range) => contains(range, position));
    if (page) return page;
    if (queue.pending.size === 0) throw queue.error;
    await Promise.race([...queue.pending].map(({ done }) => done));
  }
}

/** Fetches a page that contains a position, even if it has been fetched already. */
export async function fetchPage(queue: PageQueue, position: number): Promise<PositionedPage> {
  for (let misses = 0; misses < MAX_MISSES; misses++) {
    const page = await fetchExpectedPage(queue, position);
    if (contains(page, position)) return page;
  }
  throw createGrowthError();
}

function fetchAhead(queue: PageQueue, position: number): void {
  while (queue.error === undefined && queue.pending.size < queue.concurrency) {
    const next = findGap(queue, position);
    // There is always room for the position itself: the page with the previous position has just been dropped.
    const isFull = queue.ready.length + queue.pending.size >= 2 * queue.concurrency;
    if (next < 1 || isFull) return;
    startFetch(queue, next);
  }
}

/** The highest position, from this one downwards, that is neither ready nor pending. */
function findGap({ ready, pending }: PageQueue, position: number): number {
  const ranges = [...ready, ...pending];
  let gap = position;
  for (let range: PositionRange | undefined; ; gap = range.first - 1) {
    range = ranges.find((range) => contains(range, gap));
    if (!range) return gap;
  }
}

function startFetch(queue: PageQueue, position: number): void {
  const number = pageNumberAt(position, queue.latestCount, queue.size);
  const fetch: PendingFetch = {
    ...pageRange(number, queue.latestCount, queue.size),
    done: Promise.resolve(),
  };
  queue.pending.add(fetch);
  const receive = (page: PositionedPage) => {
    queue.ready.push(page);
    queue.misses = contains(page, position) ? 0 : queue.misses + 1;
    if (queue.misses === MAX_MISSES) throw createGrowthError();
  };
  fetch.done = fetchExpectedPage(queue, position)
    .then(receive)
    .catch((error) => {
      queue.error ??= error;
    })
    .finally(() => queue.pending.delete(fetch));
}

/**
 * Fetches the page that contains a position according to the latest count. If the collection grows at the same time,
 * the page may no longer contain it.
 */
async function fetchExpectedPage(queue: PageQueue, position: number): Promise<PositionedPage> {
  const { reader, size, latestCount, minCount } = queue;
  const number = pageNumberAt(position, latestCount, size);
  const accept = (page: FetchedPage) => {
    requireCount(page, minCount);
    // This server, or this cache, may lag behind the one that returned the latest count.
    if (page.count < latestCount && !contains(addPositions(page, size), position)) {
      throw new TransientError("returned an older state of the collection", {
        maxAttempts: STALE_PAGE_ATTEMPTS,
      });
    }
  };
  const page = await reader.read(number, accept).catch(async (error) => {
    // A missing page may mean that the collection was replaced by a smaller one. Page 1 shows its count.
    if (error instanceof RefusedError && error.status === 404 && number > 1) {
      await reader.read(1, (page) => requireCount(page, minCount));
    }
    throw error;
  });
  queue.latestCount = page.count;
  return addPositions(page, size);
}

function requireCount({ url, count }: FetchedPage, minCount: number): void {
  if (count >= minCount) return;
  const message = `reports ${count} records, fewer than the ${minCount} at the start of the crawl`;
  const finalError = new CollectionReplacedError(`${url} ${message}`);
  throw new TransientError(message, { maxAttempts: STALE_PAGE_ATTEMPTS, finalError });
}

function createGrowthError(): Error {
  return new Error("The collection grows faster than its pages can be read. Try a higher --concurrency.");
}

function addPositions(page: FetchedPage, size: number): PositionedPage {
  return { ...page, ...pageRange(page.number, page.count, size) };
}

/** The number of the page, from 1, that contains a position. */
export function pageNumberAt(position: number, count: number, size: number): number {
  return Math.floor((count - position) / size) + 1;
}

/** Like `locatePage` in src/records/page.ts, but for any number of records per page. */
function pageRange(number: number, count: number, size: number): PositionRange {
  const last = count - size * (number - 1);
  return { first: Math.max(1, last - size + 1), last };
}

function contains({ first, last }: PositionRange, position: number): boolean {
  return first <= position && position <= last;
}
