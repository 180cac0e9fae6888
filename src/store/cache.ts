import { logFailure } from "../log.ts";
import { type PageLocation, type PageRequest, resolvePage } from "../records/page.ts";
import {
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
import { createKept, type Kept } from "./kept.ts";
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
const KEPT_BYTES = 16 * 1024 * 1024;

/** A page that does not exist is looked for in the current state, but not more often than this. */
export const CONFIRMED_MS = 1_000;

/** A store that fails is asked again after this time, not sooner, if the instance can respond without it. */
export const ASK_AGAIN_MS = 5_000;

/** A store with this instance's cache in front. */
export interface CachedStore {
  state(waitUntil: WaitUntil): Promise<State>;
  page(request: PageRequest, waitUntil: WaitUntil): Promise<StoredPage | undefined>;
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
  kept: Kept;
}

/**
 * Puts a cache in front of a store. While the instance trusts its copy of the state, pages whose blocks it keeps are served
 * without the store. While the store fails, they are served however old they are.
 * @param name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, keptBytes = KEPT_BYTES): CachedStore {
  const cache: Cache = { name, store, confirmedAt: Number.NEGATIVE_INFINITY, kept: createKept(keptBytes) };
  const share = createSharing();
  const serve = <T>(
    waitUntil: WaitUntil,
    what: string,
    find: (cache: Cache) => T | undefined,
    read: (cache: Cache) => Promise<T>,
  ) => {
    const refresh = () => share("state", () => readState(cache), waitUntil);
    const readOnce = () => share(what, () => read(cache), waitUntil);
    return serveKept(cache, () => find(cache), readOnce, refresh, waitUntil);
  };
  return {
    state: (waitUntil) => serve(waitUntil, "state", servedState, readState),
    statistics: (waitUntil) => serve(waitUntil, "statistics", findStatistics, readStatistics),
    page(request, waitUntil) {
      // Views that hide records depend on a clock, so their reads are not shared.
      const what = `page ${request.page} ${request.hide ? crypto.randomUUID() : ""}`;
      const find = () => findPage(cache, request);
      return serve<StoredPage | undefined>(waitUntil, what, find, () => confirmPage(cache, request));
    },
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

/** Reads a page; a page that does not exist is looked for in the current state too, because the client may know a newer one. */
async function confirmPage(cache: Cache, request: PageRequest): Promise<StoredPage | undefined> {
  const trusted = isFresh(cache) ? servedState(cache) : undefined;
  if (!trusted || resolvePage(request, trusted.count)) {
    const page = await readPage(cache, request, false);
    if (page) return page;
  } else if (Date.now() - cache.confirmedAt < CONFIRMED_MS) {
    return undefined;
  }
  const page = await readPage(cache, request, true);
  cache.confirmedAt = Date.now();
  return page;
}

/** Reads a page with its state in one step, if the store can and no records are hidden, which depends on the state. */
async function readPage(
  cache: Cache,
  request: PageRequest,
  newest: boolean,
): Promise<StoredPage | undefined> {
  const { readPage: readAtOnce } = cache.store;
  if (!readAtOnce || request.hide) return readInSteps(cache, request, newest);
  const read = (fromPrimary: boolean) =>
    readAtOnce(request, { known: servedState(cache), newest: fromPrimary });
  const { state, blocks } = await readWithState(cache, read, newest);
  const opened = keepBlocks(cache, state, blocks);
  const location = resolvePage(request, state.count);
  return location && renderPage(cache.kept, state, location, opened);
}

/** Reads the state, unless it is fresh, and then the blocks that it names. */
async function readInSteps(
  cache: Cache,
  request: PageRequest,
  newest: boolean,
): Promise<StoredPage | undefined> {
  const trusted = isFresh(cache) && !newest ? servedState(cache) : undefined;
  const state = trusted ?? (await readState(cache, newest));
  const location = resolvePage(request, state.count);
  if (!location) return undefined;
  const missing = neededBlocks(state, location).filter((first) => !cache.kept.findBlock(state, first));
  try {
    const range = { first: missing[0] ?? 1, last: missing.at(-1) ?? 0 };
    const blocks = missing.length > 0 ? await attempt(cache, cache.store.readBlocks(state, range)) : [];
    return renderPage(cache.kept, state, location, keepBlocks(cache, state, blocks));
  } catch (error) {
    // A location may see a new state before its blocks. A page that only the new state has must not look missing.
    const { before } = state;
    if (!(error instanceof MissingBlockError) || !before || !resolvePage(request, before.count)) throw error;
    cache.fallback = { state: before, until: Date.now() + cache.store.trustMs };
    return readInSteps(cache, request, false);
  }
}

/** Keeps blocks of a known state, and returns them opened. */
function keepBlocks({ known, fallback, kept }: Cache, state: State, blocks: Block[]): Map<number, Lines> {
  const isKnown = [known?.state.revision, fallback?.state.revision].includes(state.revision);
  return new Map(
    blocks.map((block) => {
      const lines = openBlock(block);
      if (isKnown) kept.keepBlock(state, block, lines);
      return [block.first, lines];
    }),
  );
}

/** The blocks that hold a range of positions; the rest of the range is in the tail. */
function neededBlocks({ count }: State, { first, last }: Range): number[] {
  return blockStarts({ first, last: Math.min(last, countInBlocks(count)) });
}

/** A page of the served state; undefined if it does not exist or a block of it is not kept. */
function findPage(cache: Cache, request: PageRequest): StoredPage | undefined {
  const state = servedState(cache);
  const location = state && resolvePage(request, state.count);
  if (!state || !location) return undefined;
  const { kept } = cache;
  const results = kept.findResults(state, location);
  if (results !== undefined) return { ...location, state, results };
  if (!neededBlocks(state, location).every((first) => kept.findBlock(state, first))) return undefined;
  const page = renderPage(kept, state, location, new Map());
  kept.keepResults(state, location, page.results);
  return page;
}

/**
 * Renders a page of a state.
 * @param opened blocks in addition to those that are kept
 * @throws MissingBlockError
 */
function renderPage(
  kept: Kept,
  state: State,
  location: PageLocation,
  opened: Map<number, Lines>,
): StoredPage {
  const results = renderResults(location, (start) => {
    if (start > countInBlocks(state.count)) return openTail(state.tail, state.count);
    const lines = opened.get(start) ?? kept.findBlock(state, start);
    if (lines) return lines;
    throw new MissingBlockError(`The store has no block at position ${start} of load ${state.load}`);
  });
  return { ...location, state, results };
}
