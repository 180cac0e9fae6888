import { logFailure } from "../log.ts";
import { type Absence, type PageRequest, resolvePage } from "../records/page.ts";
import {
  BLOCK_SIZE,
  type Block,
  blockStarts,
  ContentError,
  countInBlocks,
  type Lines,
  openBlock,
  openTail,
  type Range,
  renderResults,
} from "./blocks.ts";
import { createSharing, limitTime, type WaitUntil } from "./retry.ts";
import {
  continues,
  MissingBlockError,
  type State,
  type StateStatistics,
  type Store,
  type StoredPage,
} from "./store.ts";

/*
 * What an instance keeps of the collection: the newest state that it has seen, and blocks and pages up to a fixed number of
 * bytes. The state is trusted for some seconds after it was read. A response comes from one state with the blocks that it
 * names, whether they are kept or read.
 */

/** Blocks and pages that an instance keeps, in bytes: an eighth of the 128 MB that the platform gives it. */
export const KEPT_BYTES = 16 * 1024 * 1024;

/** A page that does not exist is looked for in the current state, but not more often than this. */
export const CONFIRMED_MS = 1_000;

/** A store that fails is asked again after this time, not sooner, if the instance can respond without it. */
export const ASK_AGAIN_MS = 5_000;

/** A string takes at most two bytes per character. Where each line of a block begins is a number. */
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_LINE = 8;

/** A store with this instance's cache in front. */
export interface CachedStore {
  state(waitUntil: WaitUntil): Promise<State>;
  page(request: PageRequest, waitUntil: WaitUntil): Promise<StoredPage | Absence>;
  statistics(waitUntil: WaitUntil): Promise<StateStatistics>;
}

interface Cache {
  name: string;
  store: Store;
  /** The newest state that was seen, when the store was last asked for it, and when it last showed it. */
  known?: { state: State; askedAt: number; seenAt: number };
  /** A state before the known one, which is served for a while because this location does not see all blocks of that one. */
  fallback?: { state: State; until: number } | undefined;
  /** When a page was last looked for in the current state. */
  confirmedAt: number;
  /** When the latest read failed; undefined if it did not. */
  failedAt?: number | undefined;
  statistics?: StateStatistics;
  /** The lines of blocks, by load and position, and the results of pages, by revision, count and number. */
  kept: Lru<Lines | string>;
}

/**
 * Puts a cache in front of a store. While the instance trusts its copy of the state, pages whose blocks it keeps are served
 * without the store. While the store fails, they are served however old they are.
 * @param name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, keptBytes = KEPT_BYTES): CachedStore {
  const cache: Cache = { name, store, confirmedAt: Number.NEGATIVE_INFINITY, kept: createLru(keptBytes) };
  const share = createSharing();
  const serve = <T>(
    find: () => T | undefined,
    what: string,
    read: () => Promise<T>,
    waitUntil: WaitUntil,
  ) => {
    const refresh = () => share("state", () => readState(cache), waitUntil);
    return serveKept(cache, find, () => share(what, read, waitUntil), refresh, waitUntil);
  };
  return {
    state: (waitUntil) =>
      serve(
        () => servedState(cache),
        "state",
        () => readState(cache),
        waitUntil,
      ),
    page: (request, waitUntil) =>
      serve<StoredPage | Absence>(
        () => findPage(cache, request),
        `page ${JSON.stringify(request)}`,
        () => lookUpPage(cache, request),
        waitUntil,
      ),
    statistics: (waitUntil) =>
      serve(
        () => findStatistics(cache),
        "statistics",
        () => readStatistics(cache),
        waitUntil,
      ),
  };
}

/** Serves what is kept, if the state is fresh or has not changed, or if the store fails. */
async function serveKept<T>(
  cache: Cache,
  find: () => T | undefined,
  read: () => Promise<T>,
  refresh: () => Promise<State>,
  waitUntil: WaitUntil,
): Promise<T> {
  const kept = find();
  if (kept === undefined) return read();
  if (isFresh(cache)) return kept;
  const log = (error: unknown) => logFailure({ event: "kept_served", store: cache.name }, error);
  if (cache.failedAt !== undefined) {
    if (Date.now() - cache.failedAt >= ASK_AGAIN_MS) waitUntil(refresh().catch(log));
    return kept;
  }
  try {
    await refresh();
    return find() ?? (await read());
  } catch (error) {
    if (error instanceof ContentError) throw error;
    log(error);
    return kept;
  }
}

function isFresh({ known, store }: Cache): boolean {
  return known !== undefined && Date.now() - known.askedAt < store.trustMs;
}

function servedState({ known, fallback }: Cache): State | undefined {
  return fallback && Date.now() < fallback.until ? fallback.state : known?.state;
}

/**
 * Whether a state that was read is older than the known one, and does not prove that the known one is gone. In KV, a load that
 * met another may have a lower sequence, but is newer unless the known state replaced it.
 */
function isOlder({ known, store }: Cache, state: State, askedAt: number, newest: boolean): boolean {
  if (!known || state.sequence >= known.state.sequence) return false;
  if (store.lagMs === 0) return !newest;
  return continues(known.state, state) && askedAt - known.seenAt < store.lagMs;
}

/**
 * Takes a state that the store gave, unless it is older.
 * @param askedAt when the store was asked, not when it responded: the state may have changed in between
 * @param newest whether the primary database was asked
 */
function learn(cache: Cache, state: State, askedAt: number, newest: boolean): void {
  const { known, store } = cache;
  if (known && askedAt < known.askedAt) return;
  if (known && isOlder(cache, state, askedAt, newest)) {
    // A location of KV that lags would show nothing else if it were asked again at once.
    if (store.lagMs > 0) known.askedAt = askedAt;
    return;
  }
  cache.known = { state, askedAt, seenAt: askedAt };
  if (!known || state.revision === known.state.revision) return;
  cache.fallback = undefined;
  // No name is used for other content, except after a backup was restored.
  if (!continues(state, known.state)) cache.kept.clear();
}

/** Runs a read, and notes whether the store works. Damaged content is an error of that content alone. */
async function attempt<T>(cache: Cache, read: Promise<T>): Promise<T> {
  try {
    const result = await limitTime(read);
    cache.failedAt = undefined;
    return result;
  } catch (error) {
    if (!(error instanceof ContentError)) cache.failedAt = Date.now();
    throw error;
  }
}

/** Reads something with the state to which it belongs; from the primary database if a replica is behind the known state. */
async function readWithState<T extends { state: State }>(
  cache: Cache,
  read: (newest: boolean) => Promise<T>,
  newest: boolean,
): Promise<T> {
  const askedAt = Date.now();
  const result = await attempt(cache, read(newest));
  const isBehind = cache.store.lagMs === 0 && isOlder(cache, result.state, askedAt, newest);
  learn(cache, result.state, askedAt, newest);
  return isBehind ? readWithState(cache, read, true) : result;
}

async function readState(cache: Cache, newest = false): Promise<State> {
  const read = async (fromPrimary: boolean) => ({
    state: await cache.store.readState({ known: servedState(cache), newest: fromPrimary }),
  });
  const { state } = await readWithState(cache, read, newest);
  return servedState(cache) ?? state;
}

function findStatistics(cache: Cache): StateStatistics | undefined {
  const { statistics } = cache;
  return statistics?.state.revision === servedState(cache)?.revision ? statistics : undefined;
}

async function readStatistics(cache: Cache): Promise<StateStatistics> {
  const read = (newest: boolean) => cache.store.readStatistics(newest);
  // In KV, they may be those of the state before.
  cache.statistics = await (cache.store.lagMs > 0
    ? attempt(cache, read(false))
    : readWithState(cache, read, false));
  return cache.statistics;
}

/** @throws MissingBlockError if the request is for a load that this location may not see yet */
async function lookUpPage(cache: Cache, request: PageRequest): Promise<StoredPage | Absence> {
  const page = await confirmPage(cache, request);
  if (page === "replaced") requireNoLag(cache);
  return page;
}

/** Reads a page; a page that does not exist is looked for in the current state too, because the client may know a newer one. */
async function confirmPage(cache: Cache, request: PageRequest): Promise<StoredPage | Absence> {
  const trusted = isFresh(cache) ? servedState(cache) : undefined;
  const absence = trusted && resolvePage(request, trusted);
  if (typeof absence !== "string") {
    const page = await readPage(cache, request, false);
    if (typeof page === "object") return page;
  } else if (Date.now() - cache.confirmedAt < CONFIRMED_MS) {
    return absence;
  }
  const page = await readPage(cache, request, true);
  cache.confirmedAt = Date.now();
  return page;
}

/**
 * While a location may lag, a load that the instance does not know may be a newer one.
 * @throws MissingBlockError
 */
function requireNoLag({ store, known }: Cache): void {
  if (Date.now() - Date.parse(known?.state.switchedAt ?? "") < store.lagMs)
    throw new MissingBlockError("The request is for a load that this location may not see yet");
}

/** Reads a page with its state in one step, if the store can. */
async function readPage(cache: Cache, request: PageRequest, newest: boolean): Promise<StoredPage | Absence> {
  const { readPage: readAtOnce } = cache.store;
  if (!readAtOnce) return readInSteps(cache, request, newest);
  const read = (fromPrimary: boolean) =>
    readAtOnce(request, { known: servedState(cache), newest: fromPrimary });
  const { state, blocks } = await readWithState(cache, read, newest);
  return renderPage(cache, request, state, keepBlocks(cache, state, blocks));
}

/** Reads the state, unless it is fresh, and then the blocks that it names. */
async function readInSteps(
  cache: Cache,
  request: PageRequest,
  newest: boolean,
): Promise<StoredPage | Absence> {
  const trusted = isFresh(cache) && !newest ? servedState(cache) : undefined;
  const state = trusted ?? (await readState(cache, newest));
  const location = resolvePage(request, state);
  if (typeof location === "string") return location;
  const missing = neededBlocks(state, location).filter((first) => !findBlock(cache, state, first));
  try {
    const range = { first: missing[0] ?? 1, last: missing.at(-1) ?? 0 };
    const blocks = missing.length > 0 ? await attempt(cache, cache.store.readBlocks(state, range)) : [];
    return renderPage(cache, request, state, keepBlocks(cache, state, blocks));
  } catch (error) {
    // A location may see a new state before its blocks. A page that only the new state has must not look missing.
    const { before } = state;
    if (!(error instanceof MissingBlockError) || !before || typeof resolvePage(request, before) === "string")
      throw error;
    cache.fallback = { state: before, until: Date.now() + cache.store.trustMs };
    return readInSteps(cache, request, false);
  }
}

/** Keeps blocks of a known state, and returns them opened. */
function keepBlocks({ known, fallback, kept }: Cache, state: State, blocks: Block[]): Map<number, Lines> {
  const isKnown = [known?.state.revision, fallback?.state.revision].includes(state.revision);
  const opened = new Map(blocks.map((block) => [block.first, openBlock(block)]));
  for (const { first, text } of isKnown ? blocks : []) {
    const bytes = text.length * BYTES_PER_CHARACTER + BLOCK_SIZE * BYTES_PER_LINE;
    kept.put(blockKey(state, first), opened.get(first) as Lines, bytes);
  }
  return opened;
}

function blockKey({ load }: State, first: number): string {
  return `${load}/${first}`;
}

function findBlock({ kept }: Cache, state: State, first: number): Lines | undefined {
  const lines = kept.get(blockKey(state, first));
  return typeof lines === "object" ? lines : undefined;
}

/** The blocks that hold a range of positions; the rest of the range is in the tail. */
function neededBlocks({ count }: State, { first, last }: Range): number[] {
  return blockStarts({ first, last: Math.min(last, countInBlocks(count)) });
}

/** A page of the served state; undefined if it does not exist or a block of it is not kept. */
function findPage(cache: Cache, request: PageRequest): StoredPage | undefined {
  const state = servedState(cache);
  const location = state && resolvePage(request, state);
  if (!state || typeof location !== "object") return undefined;
  const key = `${state.revision} ${location.count} ${location.number}`;
  const results = cache.kept.get(key);
  if (typeof results === "string") return { ...location, state, results };
  if (!neededBlocks(state, location).every((first) => findBlock(cache, state, first))) return undefined;
  const page = renderPage(cache, request, state, new Map());
  if (typeof page === "string") return undefined;
  cache.kept.put(key, page.results, page.results.length * BYTES_PER_CHARACTER);
  return page;
}

/**
 * Renders a page of a state.
 * @param opened blocks in addition to those that are kept
 * @throws MissingBlockError
 */
function renderPage(
  cache: Cache,
  request: PageRequest,
  state: State,
  opened: Map<number, Lines>,
): StoredPage | Absence {
  const location = resolvePage(request, state);
  if (typeof location === "string") return location;
  const results = renderResults(location, (start) => {
    if (start > countInBlocks(state.count)) return openTail(state.tail, state.count);
    const lines = opened.get(start) ?? findBlock(cache, state, start);
    if (lines) return lines;
    throw new MissingBlockError(`The store has no block at position ${start} of load ${state.load}`);
  });
  return { ...location, state, results };
}

/** Values up to a number of bytes; when there are more, those that were asked for longest ago are dropped. */
type Lru<T> = ReturnType<typeof createLru<T>>;

function createLru<T>(mostBytes: number) {
  // A Map remembers the order in which its keys were set: the first is the one that was asked for longest ago.
  const entries = new Map<string, { value: T; bytes: number }>();
  let total = 0;

  const remove = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  return {
    get(key: string): T | undefined {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    put(key: string, value: T, bytes: number): void {
      remove(key);
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= mostBytes) return;
        remove(oldest);
      }
    },
    clear(): void {
      entries.clear();
      total = 0;
    },
  };
}
