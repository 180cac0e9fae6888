import { logFailure } from "../log.ts";
import { type CurrentSnapshot, MissingBlockError } from "./store.ts";
import { READ_TIMEOUT_MS, withTimeout } from "./timeout.ts";

// Snapshots never change, so a cached one can only be too old. docs/architecture.md, "The cached snapshot", lists the cases.

/** How long a snapshot is served, from the start of its read. After a failed read, the cached snapshot is served for the same time again. */
export const MAX_AGE_MS = 5_000;

/** If a request reads the snapshot within this time after the expiry, the others get the expired one. Later, each request waits for its own read. */
const GRACE_MS = 1_000;

/** The store need not confirm that something is missing in a snapshot that was asked for at most this long before the request. */
export const RECENT_MS = 1_000;

/** The maximum time of a request. */
const MAX_WAIT_MS = 7_000;

/** Asks the store for the current snapshot. */
type ReadCurrent = () => Promise<CurrentSnapshot>;

/** Creates the cache of the current snapshot. Each request reads the store itself, because the runtime may end another request at any time. */
export function createSnapshotCache(storeName: string) {
  let cached: { current: CurrentSnapshot; askedAt: number } | undefined;
  let freshUntil = 0;
  let graceUntil = 0;

  const serveUntil = (time: number) => {
    freshUntil = time;
    graceUntil = time + GRACE_MS;
  };

  /** Reads the current snapshot. If a later read has ended before this one, returns the snapshot of the later read. */
  async function refresh(read: ReadCurrent) {
    const askedAt = Date.now();
    const current = await withTimeout(read());
    if (cached && cached.askedAt > askedAt) return cached;
    cached = { current, askedAt };
    serveUntil(askedAt + MAX_AGE_MS);
    return cached;
  }

  /** Returns the cached snapshot while it is fresh or the store fails, and otherwise reads it. */
  async function get(read: ReadCurrent) {
    const now = Date.now();
    if (cached && now < freshUntil) return cached;
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

  return {
    /**
     * Looks for something in the current snapshot and, if it is not there, once more after another read.
     * @param look Returns undefined if the snapshot does not have it. Throws MissingBlockError if the snapshot may have been replaced
     */
    async find<T>(read: ReadCurrent, look: (current: CurrentSnapshot) => Promise<T>): Promise<T> {
      const requestedAt = Date.now();
      const { current, askedAt } = await get(read);
      try {
        const found = await look(current);
        if (found !== undefined || requestedAt - askedAt < RECENT_MS) return found;
      } catch (error) {
        if (!(error instanceof MissingBlockError)) throw error;
      }
      const again = refresh(read).then((latest) => look(latest.current));
      return withTimeout(again, requestedAt + MAX_WAIT_MS - Date.now());
    },
  };
}
