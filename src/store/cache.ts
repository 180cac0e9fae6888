import { logFailure } from "../log.ts";
import type { Absence } from "../records/page.ts";
import { createMemory } from "./memory.ts";
import { createReads, type Reads, type StoredStatistics } from "./reads.ts";
import type { Store, StoredPage } from "./store.ts";

/**
 * How long an instance trusts its copy of the state: after a load it serves the old state at most this long. A busy
 * instance hardly ever asks the store, and nobody waits long for a load to show. A store that fails is asked again
 * after the same time, not sooner, if the instance can respond without it.
 */
export const FRESH_MS = 5_000;

/** Blocks and pages that an instance keeps, in bytes: an eighth of the 128 MB that the platform gives it. */
export const KEPT_BYTES = 16 * 1024 * 1024;

/** A store with this instance's cache in front. */
export type CachedStore = Omit<Reads, "failedAt">;

/**
 * Puts a cache in front of a store. While the instance trusts its copy of the state, pages whose blocks it keeps are
 * served without the store. While the store fails, they are served however old they are.
 * @param name of the store, for the log
 */
export function createCachedStore(store: Store, name: string, keptBytes = KEPT_BYTES): CachedStore {
  const memory = createMemory(keptBytes);
  const isFresh = () => Date.now() - memory.readAt() < FRESH_MS;
  const reads = createReads(store, memory, isFresh);
  const log = (error: unknown) => logFailure({ event: "kept_served", store: name }, error);
  let statistics: StoredStatistics | undefined;

  const findStatistics = () =>
    statistics?.statistics && statistics.state.revision === memory.state()?.revision ? statistics : undefined;

  /** Serves what is kept, if it is fresh, if the state has not changed, or if the store fails. */
  const serve: Serve = async (find, read, waitUntil) => {
    const kept = find();
    if (kept === undefined) return read();
    if (isFresh()) return kept;
    const failedAt = reads.failedAt();
    if (failedAt !== undefined) {
      if (Date.now() - failedAt >= FRESH_MS) waitUntil(reads.state(waitUntil).catch(log));
      return kept;
    }
    try {
      await reads.state(waitUntil);
      return find() ?? (await read());
    } catch (error) {
      log(error);
      return kept;
    }
  };

  return {
    state: (waitUntil) => serve(memory.state, () => reads.state(waitUntil), waitUntil),
    page: (request, waitUntil) =>
      serve<StoredPage | Absence>(
        () => memory.findPage(request),
        () => reads.page(request, waitUntil),
        waitUntil,
      ),
    async statistics(waitUntil) {
      const read = () => reads.statistics(waitUntil);
      statistics = await serve(findStatistics, read, waitUntil);
      return statistics;
    },
  };
}

type Serve = <T>(
  find: () => T | undefined,
  read: () => Promise<T>,
  waitUntil: (work: Promise<unknown>) => void,
) => Promise<T>;
