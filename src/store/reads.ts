import { type Absence, type PageRequest, resolvePage } from "../records/page.ts";
import type { Statistics } from "../records/statistics.ts";
import { renderResults } from "./blocks.ts";
import type { Memory } from "./memory.ts";
import { limitTime } from "./retry.ts";
import type { Blocks, ReadOptions, State, Store, StoredPage } from "./store.ts";

/** A page that does not exist is confirmed by the primary database, but not more often than this. */
export const CONFIRMED_MS = 1_000;

/** Keeps work going when the request that began it ends, since other requests may be waiting for it too. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** The statistics of a state; undefined if there are none, or if they are not visible yet. */
export interface StoredStatistics {
  state: State;
  statistics: Statistics | undefined;
}

/** Reads of a store, from which the memory of this instance learns. Concurrent reads of the same thing are one read. */
export interface Reads {
  state(waitUntil: WaitUntil): Promise<State>;
  page(request: PageRequest, waitUntil: WaitUntil): Promise<StoredPage | Absence>;
  statistics(waitUntil: WaitUntil): Promise<StoredStatistics>;
  /** When the latest read failed, in milliseconds since 1970; undefined if it did not. */
  failedAt(): number | undefined;
}

/** @param isFresh whether the state in the memory can still be trusted */
export function createReads(store: Store, memory: Memory, isFresh: () => boolean): Reads {
  const share = createSharing();
  const read = createLearning(memory);

  const readState = async () => {
    const before = memory.state();
    const begin = (newest: boolean) =>
      read.run(async () => ({ state: await store.readState(newest) }), newest);
    const { state } = await begin(false);
    // A replica may lag behind what this instance has seen.
    return isOlder(state, before) ? (await begin(true)).state : state;
  };

  const readBlocks = async (request: PageRequest, options: ReadOptions) => {
    const result = await read.run(() => store.readPage(request, options), options.newest);
    memory.keep(result.state, result.blocks);
    return toPage(request, result);
  };

  let confirmedAt = Number.NEGATIVE_INFINITY;
  const readPage = async (request: PageRequest) => {
    const before = memory.state();
    const known = isFresh() ? before : undefined;
    const absence = known && resolvePage(request, known);
    if (typeof absence === "string") {
      if (Date.now() - confirmedAt < CONFIRMED_MS) return absence;
    } else {
      const page = await readBlocks(request, { known });
      if (typeof page === "object" && !isOlder(page.state, before)) return page;
    }
    // The client may know a newer state than this instance, or than the replica that responded.
    const page = await readBlocks(request, { newest: true });
    confirmedAt = Date.now();
    return page;
  };

  const readStatistics = async () => {
    const state = await readState();
    return { state, statistics: await limitTime(store.readStatistics(state)) };
  };

  return {
    state: (waitUntil) => share("state", readState, waitUntil),
    page: (request, waitUntil) =>
      share(`page ${JSON.stringify(request)}`, () => readPage(request), waitUntil),
    statistics: (waitUntil) => share("statistics", readStatistics, waitUntil),
    failedAt: read.failedAt,
  };
}

/**
 * Runs reads that give the state among other things. The memory learns it, unless a replica gave a state that is older
 * than the known one; failures are noted.
 */
function createLearning(memory: Memory) {
  let failedAt: number | undefined;
  return {
    failedAt: () => failedAt,
    async run<T extends { state: State }>(begin: () => Promise<T>, newest = false): Promise<T> {
      const askedAt = Date.now();
      try {
        const result = await limitTime(begin());
        failedAt = undefined;
        if (newest || !isOlder(result.state, memory.state())) memory.learn(result.state, askedAt);
        return result;
      } catch (error) {
        failedAt = Date.now();
        throw error;
      }
    },
  };
}

/** @throws Error if a block is damaged */
function toPage(
  request: PageRequest,
  { state, blocks }: { state: State; blocks: Blocks },
): StoredPage | Absence {
  const location = resolvePage(request, state);
  if (typeof location === "string") return location;
  return { ...location, state, results: renderResults(location, (start) => blocks.get(start) ?? []) };
}

function isOlder(state: State, than: State | undefined): boolean {
  return than?.switchedAt !== undefined && (state.switchedAt ?? "") < than.switchedAt;
}

/**
 * Makes concurrent reads of the same thing one read: the first request begins it, the others wait for its result. They
 * do not wait forever, because the runtime may end a request, and with it the work that it began, without notice.
 */
function createSharing() {
  const running = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>, waitUntil: WaitUntil): Promise<T> => {
    const begun = running.get(name) as Promise<T> | undefined;
    const forget = (work: Promise<unknown>) => {
      if (running.get(name) === work) running.delete(name);
    };
    if (begun) return limitTime(begun, () => forget(begun));
    const work: Promise<T> = read().finally(() => forget(work));
    running.set(name, work);
    waitUntil(work.catch(() => undefined));
    return work;
  };
}
