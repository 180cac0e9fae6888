import { RefusedError, TransientError } from "../../tools/http-client/errors.ts";
import { type Answered, FEW_ATTEMPTS, type Reader } from "./reader.ts";
import { Replaced } from "./replaced.ts";

/** A range of positions, both ends included. Positions number the records from the oldest, 1, to the newest. */
interface Range {
  first: number;
  last: number;
}

/**
 * A page and the positions of its records, which follow from the count in the same envelope: the first of its
 * results has the position `last`.
 */
export interface ReadPage extends Answered, Range {}

/** A page that has been asked for, and the positions that it should hold. */
interface Flight extends Range {
  landed: Promise<void>;
}

/** Reads ahead: pages that have been read but not used, and pages on their way. */
export interface Pages {
  reader: Reader;
  concurrency: number;
  /** Records per page. */
  size: number;
  /** Records when the crawl began: there will never be fewer, unless the collection is replaced. */
  least: number;
  /** The count as last heard of. */
  latest: number;
  ready: ReadPage[];
  flights: Set<Flight>;
  failure: unknown;
  /** How many pages in a row had moved away, by growth, before they were answered. */
  strays: number;
}

/** Growth that outruns so many requests is none that a copy could keep up with. */
const MOST_STRAYS = 200;

/** @param first the page that the crawl began with, if it is to be used */
export function createPages(
  reader: Reader,
  options: Pick<Pages, "concurrency" | "size" | "least">,
  first?: Answered,
): Pages {
  const ready = first ? [place(first, options.size)] : [];
  const latest = options.least;
  return { ...options, reader, latest, ready, flights: new Set(), failure: undefined, strays: 0 };
}

/**
 * Gives a page that holds a position, and lets the pages with the positions below it be read meanwhile. Whatever
 * has not moved by growth is read once; what has moved is looked for again.
 * @param position lower than that of the last call
 */
export async function takePage(pages: Pages, position: number): Promise<ReadPage> {
  for (;;) {
    pages.ready = pages.ready.filter(({ first }) => first <= position);
    readAhead(pages, position);
    const page = pages.ready.find((range) => holds(range, position));
    if (page) return page;
    if (pages.flights.size === 0) throw pages.failure;
    await Promise.race([...pages.flights].map(({ landed }) => landed));
  }
}

/** Reads a page that holds a position, whatever has been read already. */
export async function readPage(pages: Pages, position: number): Promise<ReadPage> {
  for (let strays = 0; strays < MOST_STRAYS; strays++) {
    const page = await aimAt(pages, position);
    if (holds(page, position)) return page;
  }
  throw outrun();
}

function readAhead(pages: Pages, position: number): void {
  while (pages.failure === undefined && pages.flights.size < pages.concurrency) {
    const next = findGap(pages, position);
    // Never with the position itself missing: the page that held the last one has just been dropped.
    const isFull = pages.ready.length + pages.flights.size >= 2 * pages.concurrency;
    if (next < 1 || isFull) return;
    launch(pages, next);
  }
}

/** The highest position, from this one downwards, that is neither here nor on its way. */
function findGap({ ready, flights }: Pages, position: number): number {
  const ranges = [...ready, ...flights];
  let gap = position;
  for (let range: Range | undefined; ; gap = range.first - 1) {
    range = ranges.find((range) => holds(range, gap));
    if (!range) return gap;
  }
}

function launch(pages: Pages, position: number): void {
  const number = pageHolding(position, pages.latest, pages.size);
  const flight: Flight = { ...positionsOf(number, pages.latest, pages.size), landed: Promise.resolve() };
  pages.flights.add(flight);
  const land = (page: ReadPage) => {
    pages.ready.push(page);
    pages.strays = holds(page, position) ? 0 : pages.strays + 1;
    if (pages.strays === MOST_STRAYS) throw outrun();
  };
  flight.landed = aimAt(pages, position)
    .then(land)
    .catch((error) => {
      pages.failure ??= error;
    })
    .finally(() => pages.flights.delete(flight));
}

/** Reads the page where a position is by the latest count; if the collection grows meanwhile, it may be past it. */
async function aimAt(pages: Pages, position: number): Promise<ReadPage> {
  const { reader, size, latest, least } = pages;
  const number = pageHolding(position, latest, size);
  const accept = (answered: Answered) => {
    refuseShrunk(answered, least);
    // Another server, or a cache, may be behind the one that gave the latest count.
    if (answered.count < latest && !holds(place(answered, size), position)) {
      throw new TransientError("answered an older state of the collection", { maxAttempts: FEW_ATTEMPTS });
    }
  };
  const answered = await reader.read(number, accept).catch(async (error) => {
    if (error instanceof RefusedError && error.status === 404 && number > 1) {
      await reader.read(1, (answered) => refuseShrunk(answered, least));
    }
    throw error;
  });
  pages.latest = answered.count;
  return place(answered, size);
}

function refuseShrunk({ url, count }: Answered, least: number): void {
  if (count >= least) return;
  const message = `counts ${count} records, fewer than the ${least} when the crawl began`;
  throw new TransientError(message, {
    maxAttempts: FEW_ATTEMPTS,
    finalError: new Replaced(`${url} ${message}`),
  });
}

function outrun(): Error {
  return new Error("The collection grows faster than it can be read");
}

function place(answered: Answered, size: number): ReadPage {
  return { ...answered, ...positionsOf(answered.number, answered.count, size) };
}

/** The page, from 1, that holds a position. */
export function pageHolding(position: number, count: number, size: number): number {
  return Math.floor((count - position) / size) + 1;
}

/** As `pagePositions` of the service, for any number of records per page. */
function positionsOf(number: number, count: number, size: number): Range {
  const last = count - size * (number - 1);
  return { first: Math.max(1, last - size + 1), last };
}

function holds({ first, last }: Range, position: number): boolean {
  return first <= position && position <= last;
}
