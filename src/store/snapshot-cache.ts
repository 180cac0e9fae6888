import { logFailure } from "../log.ts";
import { type CurrentSnapshot, MissingBlockError } from "./store.ts";
import { READ_TIMEOUT_MS, withTimeout } from "./timeout.ts";

/*
 * The cache of the current snapshot in an instance. A snapshot never changes, so a cached one can only be outdated. A request reads the
 * current snapshot from the store in these cases only:
 *
 * - Nothing is cached, or the instance was idle: each request waits for its own read.
 * - The cached snapshot has just expired: the first request reads, and the others get the cached one in the meantime.
 * - The cached snapshot lacks the page or a block of it: the request reads once more, because a load may have replaced the snapshot.
 *
 * Requests share no read, because the runtime ends a request, and its reads, without notice.
 */

/** How long a snapshot is served, counted from the start of its read. After a failed read, it is served for the same time again. */
export const MAX_AGE_MS = 5_000;

/** A read that begins within this time after the expiry lets other requests have the cached snapshot. Later, they read, too. */
const GRACE_MS = 1_000;

/** A snapshot proves that a page does not exist if its read began at most this long before the request. */
export const RECENT_MS = 1_000;

/** How long a request may look in a snapshot and, after another read, in the next one. */
const MAX_SEARCH_MS = 7_000;

/** Reads the current snapshot from the store. */
type ReadCurrent = () => Promise<CurrentSnapshot>;

/** The answer of the store, and when it was asked. */
interface Answer {
  current: CurrentSnapshot;
  askedAt: number;
}

type SnapshotCache = ReturnType<typeof createSnapshotCache>;

/**
 * Creates the cache of the current snapshot. It is empty until the first read.
 * @param storeName For the log
 */
export function createSnapshotCache(storeName: string | undefined) {
  let cached: Answer | undefined;
  /** Until this time, requests get the cached snapshot without a read. */
  let freshUntil = 0;
  /** From `freshUntil` to this time, one request reads, and the others still get the cached snapshot. Later, each request reads. */
  let graceUntil = 0;

  function serveUntil(time: number) {
    freshUntil = time;
    graceUntil = time + GRACE_MS;
  }

  /** Reads the current snapshot. Of two reads that overlap, the one that began later is cached. */
  async function refresh(read: ReadCurrent): Promise<Answer> {
    const askedAt = Date.now();
    const current = await withTimeout(read(), READ_TIMEOUT_MS);
    const isLatest = !cached || cached.askedAt <= askedAt;
    if (isLatest) {
      // Without the block, which only this request wants.
      cached = { current: { snapshot: current.snapshot }, askedAt };
      serveUntil(askedAt + MAX_AGE_MS);
    }
    return { current, askedAt };
  }

  /** Returns the cached snapshot if it is fresh or the store fails, and otherwise reads the current one. */
  async function get(read: ReadCurrent): Promise<Answer> {
    const now = Date.now();
    if (cached && now < freshUntil) return cached;
    // Until this read ends, other requests get the cached snapshot. `graceUntil` stays: clients that leave during their reads would
    // otherwise keep an old snapshot fresh.
    if (now < graceUntil) freshUntil = now + READ_TIMEOUT_MS;
    try {
      return await refresh(read);
    } catch (error) {
      if (!cached) throw error;
      serveUntil(Date.now() + MAX_AGE_MS);
      logFailure({ event: "stale_served", store: storeName }, error);
      return cached;
    }
  }

  return { get, refresh };
}

/**
 * Looks for something in the cached snapshot and, if a newer snapshot may have it, once more after a read.
 * @param look Returns undefined if the snapshot does not have it. Throws MissingBlockError if the snapshot may have been replaced
 */
export async function findInSnapshot<T>(
  cache: SnapshotCache,
  read: ReadCurrent,
  look: (current: CurrentSnapshot) => Promise<T>,
): Promise<T> {
  const requestedAt = Date.now();
  const { current, askedAt } = await cache.get(read);
  try {
    const found = await look(current);
    const provesAbsence = requestedAt - askedAt < RECENT_MS;
    if (found !== undefined || provesAbsence) return found;
  } catch (error) {
    if (!(error instanceof MissingBlockError)) throw error;
  }
  const lookAgain = async () => look((await cache.refresh(read)).current);
  return withTimeout(lookAgain(), requestedAt + MAX_SEARCH_MS - Date.now());
}
