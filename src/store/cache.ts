import { logFailure } from "../log.ts";
import type { Statistics } from "../records/statistics.ts";
import { BLOCK_SIZE, blocksOf, decodeRange, type Lines, openBlock, type Range } from "./block.ts";
import { createKept, type Kept } from "./kept.ts";
import { readStatistics } from "./pieces.ts";
import { createSharing, HANGS_AFTER_MS, limitTime, type WaitUntil } from "./retry.ts";
import { MissingBlockError, type Reading, type State, type Store, type WantedBlock } from "./state.ts";

/*
 * What an instance keeps of the collection: the newest state that it has seen, and blocks and pages up to a fixed number of
 * bytes. A response comes from one state and the blocks of its load. Blocks never change, so only the state can be too old.
 */

/** Blocks and pages that an instance keeps, in bytes: an eighth of the 128 MB that the platform gives it. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** A page that does not exist is looked for in the newest state, but not more often than this. */
export const CONFIRMED_MS = 1_000;

/** A store that fails is asked again after this time, not sooner, if the instance can respond without it. */
export const ASK_AGAIN_MS = 5_000;

/**
 * While a refresh runs, others use the known state if the refresh began within this part of the time for which that state is trusted.
 * An instance that was idle for longer waits, because its state can be of any age.
 */
const REFRESHED_IN_TIME = 1.2;

/** How often something is looked for: in the known state, and in newer ones while loads replace each other. */
const ATTEMPTS = 3;

/** A string takes at most two bytes per character. Where each line of a block begins is a number. */
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_LINE = 8;

/** What is asked for: a page. */
export interface PageRequest<Place extends Range> {
  /** The block in which it lies; undefined if that depends on the state. */
  block: WantedBlock | undefined;
  /** Finds the page in a collection of so many records; undefined if it has no such page. */
  locate(count: number): Place | undefined;
}

/** The state, and the page if it has one. `results` is the JSON text of its records, newest first. */
export interface FoundPage<Place> {
  state: State;
  page?: { place: Place; results: string };
}

/** A store with this instance's cache in front. */
export interface CachedStore {
  state(waitUntil: WaitUntil): Promise<State>;
  page<Place extends Range>(request: PageRequest<Place>, waitUntil: WaitUntil): Promise<FoundPage<Place>>;
  statistics(waitUntil: WaitUntil): Promise<{ state: State; statistics: Statistics }>;
}

/** What was read of the store, or is known of it. */
interface Snapshot extends Reading {
  /** Whether the newest state was asked for. */
  isNewest?: boolean;
}

interface Cache {
  name: string;
  store: Store;
  /** The newest state that was seen, and when the store was asked for it. */
  known?: { state: State; askedAt: number };
  /** When the store last failed to give a state. */
  failedAt: number;
  /** When the refresh began that is running. */
  refreshingSince?: number | undefined;
  /** When a page was last looked for in the newest state. */
  confirmedAt: number;
  statistics?: { load: string; statistics: Statistics };
  kept: Kept;
  share: ReturnType<typeof createSharing>;
}

/**
 * Puts a cache in front of a store. While the instance trusts its copy of the state, pages whose blocks it keeps are served
 * without the store. While the store fails, they are served however old they are.
 * @param name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, keptBytes = KEPT_BYTES): CachedStore {
  const cache: Cache = {
    name,
    store,
    failedAt: Number.NEGATIVE_INFINITY,
    confirmedAt: Number.NEGATIVE_INFINITY,
    kept: createKept(keptBytes),
    share: createSharing(),
  };
  return {
    state: async (waitUntil) => (await takeState(cache, () => undefined, waitUntil)).state,
    page: (request, waitUntil) => findPage(cache, request, waitUntil),
    statistics: (waitUntil) => findStatistics(cache, waitUntil),
  };
}

/**
 * The state to serve: the known one while it is trusted, or while the store fails.
 * @param wanted chooses a block to read along, if the state must be read and the store can do both at once
 */
async function takeState(
  cache: Cache,
  wanted: () => WantedBlock | undefined,
  waitUntil: WaitUntil,
): Promise<Snapshot> {
  const { known, store, failedAt, refreshingSince = 0 } = cache;
  if (!known) return readState(cache, wanted(), false, waitUntil);
  const now = Date.now();
  if (now - known.askedAt < store.trustMs || now - failedAt < ASK_AGAIN_MS) return known;
  const triedAt = Math.max(known.askedAt, failedAt);
  const isInTime = refreshingSince - triedAt < REFRESHED_IN_TIME * store.trustMs;
  if (now - refreshingSince < HANGS_AFTER_MS && isInTime) return known;
  cache.refreshingSince = now;
  try {
    return await readState(cache, wanted(), false, waitUntil);
  } catch (error) {
    logFailure({ event: "kept_served", store: cache.name }, error);
    return known;
  } finally {
    cache.refreshingSince = undefined;
  }
}

/**
 * Reads the current state. A state with a lower sequence than the known one is asked for once more, from the primary database if there
 * are replicas, and then believed: a backup may have been restored.
 */
async function readState(
  cache: Cache,
  wanted: WantedBlock | undefined,
  isNewest: boolean,
  waitUntil: WaitUntil,
): Promise<Snapshot> {
  const read = async () => {
    const askedAt = Date.now();
    const reading = await limitTime(cache.store.readState(wanted, isNewest));
    const isBehind = reading.state.sequence < Number(cache.known?.state.sequence);
    if (isBehind && !isNewest) return undefined;
    // A response that took longer must not replace one that was asked for later.
    if (!cache.known || askedAt >= cache.known.askedAt) cache.known = { state: reading.state, askedAt };
    if (isNewest) cache.confirmedAt = askedAt;
    return { ...reading, isNewest };
  };
  try {
    const reading = await cache.share(`state ${wanted} ${isNewest}`, read, waitUntil);
    return reading ?? (await readState(cache, wanted, true, waitUntil));
  } catch (error) {
    cache.failedAt = Date.now();
    throw error;
  }
}

/**
 * Looks for something in the state to serve and, if it is missing there, in the newest one, because another load may be current.
 * @param find returns undefined if the newest state may have it; throws MissingBlockError if a block is missing, which may be visible
 *   later, or may be of a load that was replaced
 */
async function look<T>(
  cache: Cache,
  wanted: () => WantedBlock | undefined,
  waitUntil: WaitUntil,
  find: (reading: Snapshot) => Promise<T | undefined>,
): Promise<T> {
  let reading = await takeState(cache, wanted, waitUntil);
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await find(reading);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof MissingBlockError) || attempt === ATTEMPTS) throw error;
    }
    reading = await readState(cache, wanted(), true, waitUntil);
  }
}

function findPage<Place extends Range>(
  cache: Cache,
  request: PageRequest<Place>,
  waitUntil: WaitUntil,
): Promise<FoundPage<Place>> {
  const wanted = () => {
    const place = cache.known && request.locate(cache.known.state.count);
    return cache.known && place && findBlocks(cache, cache.known.state, place) ? undefined : request.block;
  };
  return look(cache, wanted, waitUntil, async (reading) => {
    const { state } = reading;
    const place = request.locate(state.count);
    if (!place) return isConfirmed(cache, reading) ? { state } : undefined;
    return { state, page: { place, results: await findResults(cache, reading, place, waitUntil) } };
  });
}

/** Whether a page that this state does not have was looked for in the newest state a moment ago. */
function isConfirmed({ confirmedAt }: Cache, { isNewest = false }: Snapshot): boolean {
  return isNewest || Date.now() - confirmedAt < CONFIRMED_MS;
}

/** The results of a page. They are kept if they are rendered from kept blocks, because the page is then asked for again. */
async function findResults(
  cache: Cache,
  reading: Reading,
  place: Range,
  waitUntil: WaitUntil,
): Promise<string> {
  const { state } = reading;
  const name = `${state.load} ${place.first} ${place.last}`;
  const kept = cache.kept.find(name);
  if (typeof kept === "string") return kept;
  const blocks = findBlocks(cache, state, place);
  const opened = blocks ?? (await readBlocks(cache, reading, blocksOf(place), waitUntil));
  const results = JSON.stringify(decodeRange(place, (number) => opened.get(number) as Lines));
  if (blocks) cache.kept.keep(name, results, results.length * BYTES_PER_CHARACTER);
  return results;
}

/** The kept blocks of a page; undefined if one is not kept. */
function findBlocks({ kept }: Cache, state: State, place: Range): Map<number, Lines> | undefined {
  const numbers = blocksOf(place);
  const blocks = new Map(numbers.map((number) => [number, kept.find(nameBlock(state, number)) as Lines]));
  return numbers.every((number) => blocks.get(number)) ? blocks : undefined;
}

/** Reads blocks, unless the only one was read with the state, and keeps them. */
async function readBlocks(
  { store, kept, share }: Cache,
  { state, text }: Reading,
  numbers: number[],
  waitUntil: WaitUntil,
): Promise<Map<number, Lines>> {
  const read = () => limitTime(store.readBlocks(state.load, numbers));
  const texts = text === undefined ? await share(`${state.load} ${numbers}`, read, waitUntil) : [text];
  const blocks = new Map<number, Lines>();
  for (const [index, number] of numbers.entries()) {
    const content = texts[index];
    if (typeof content !== "string") throw new MissingBlockError(state, `Block ${number}`);
    const lines = openBlock({ number, text: content }, state.count);
    const bytes = content.length * BYTES_PER_CHARACTER + BLOCK_SIZE * BYTES_PER_LINE;
    kept.keep(nameBlock(state, number), lines, bytes);
    blocks.set(number, lines);
  }
  return blocks;
}

function nameBlock({ load }: State, number: number): string {
  return `${load}/${number}`;
}

async function findStatistics(
  cache: Cache,
  waitUntil: WaitUntil,
): Promise<{ state: State; statistics: Statistics }> {
  const wanted = () => (cache.known && cache.statistics?.load === cache.known.state.load ? undefined : 0);
  return look(cache, wanted, waitUntil, async (reading) => {
    const { state } = reading;
    if (cache.statistics?.load === state.load) return { state, statistics: cache.statistics.statistics };
    const statistics = await limitTime(readStatistics(cache.store, reading));
    cache.statistics = { load: state.load, statistics };
    return { state, statistics };
  });
}
