import { logFailure } from "../log.ts";
import {
  type CurrentSnapshot,
  MissingBlockError,
  READ_TIMEOUT_MS,
  type Store,
  type WantedBlock,
  withTimeout,
} from "./store.ts";

/*
 * The cache of the current snapshot in an instance. A snapshot never changes, so a cached one can only be outdated. docs/architecture.md
 * shows in a table what a request gets.
 *
 * No request waits for the read of another one: the runtime ends a request, and its reads, without notice.
 */

/** How long a snapshot counts as fresh after the start of its read, and again after the failure of a later read. */
export const FRESH_MS = 5_000;

/**
 * In this time after the expiry of a snapshot, the first request begins a refresh: while its read goes on, for READ_TIMEOUT_MS at most,
 * others get the cached snapshot. Later, while no refresh goes on, each request waits for a read of its own.
 */
const GRACE_MS = 1_000;

/** If a snapshot was read less than this time before a request, and lacks a page, then the page does not exist. */
const RECENT_MS = 1_000;

/**
 * A request that searches a second snapshot gets an answer within this time. Without the limit, it could wait for four reads of
 * READ_TIMEOUT_MS each: two snapshots, and a block of each.
 */
const MAX_SEARCH_MS = 7_000;

/** What a read of the current snapshot has returned. */
interface TimedRead extends CurrentSnapshot {
  /** When the read began. */
  readAt: number;
}

/** Whether the cached snapshot can be served. */
interface Freshness {
  /** When its time of FRESH_MS began: at the start of its read, or at the failure of a later read. */
  freshFrom: number;
  /** When a request began to refresh it, if one did. That request may have ended without notice. */
  refreshingFrom: number | undefined;
}

/**
 * Decides what happens to a request that needs the current snapshot:
 * - `serve`: it gets the cached one.
 * - `refresh`: it reads the current one. Until that read ends or takes too long, others get the cached one.
 * - `read`: it reads the current one, and so do others.
 */
function decide({ freshFrom, refreshingFrom }: Freshness, now: number): "serve" | "refresh" | "read" {
  const expiry = freshFrom + FRESH_MS;
  if (now < expiry) return "serve";
  const isRefreshing = refreshingFrom !== undefined && now < refreshingFrom + READ_TIMEOUT_MS;
  if (isRefreshing) return "serve";
  return now < expiry + GRACE_MS ? "refresh" : "read";
}

type SnapshotCache = ReturnType<typeof createSnapshotCache>;

/** Creates the cache of the current snapshot. It is empty until the first read. */
export function createSnapshotCache(store: Store, storeName: string | undefined) {
  let cached: (TimedRead & Freshness) | undefined;

  /** Reads the current snapshot. Of two reads that overlap, the one that began later is cached. */
  async function readAndCache(wanted: WantedBlock | undefined): Promise<TimedRead> {
    const readAt = Date.now();
    const { snapshot, block } = await withTimeout(store.readCurrent({ wanted }));
    const isLatest = cached === undefined || cached.readAt <= readAt;
    // The block is not cached here, because only this request wants it.
    if (isLatest) cached = { snapshot, readAt, freshFrom: readAt, refreshingFrom: undefined };
    return { snapshot, block, readAt };
  }

  /** Reads the current snapshot. If that fails, returns the cached one, which is then fresh again unless another request has changed it. */
  async function readOrGetCached(wanted: WantedBlock | undefined): Promise<TimedRead> {
    const previous = cached;
    try {
      return await readAndCache(wanted);
    } catch (error) {
      if (cached === undefined) throw error;
      logFailure({ event: "stale_served", store: storeName }, error);
      if (cached === previous) cached = { ...cached, freshFrom: Date.now(), refreshingFrom: undefined };
      return cached;
    }
  }

  /** Returns the cached snapshot, or reads the current one. */
  function getCurrent(wanted: WantedBlock | undefined, now: number): TimedRead | Promise<TimedRead> {
    if (cached === undefined) return readOrGetCached(wanted);
    const decision = decide(cached, now);
    if (decision === "serve") return cached;
    // `freshFrom` stays as it is: if the client disconnects, this read ends, and such clients could keep an old snapshot fresh forever.
    if (decision === "refresh") cached = { ...cached, refreshingFrom: now };
    return readOrGetCached(wanted);
  }

  return { getCurrent, readAndCache };
}

/**
 * Searches the cached snapshot and, if a newer one may have what it lacks, the current one.
 * @param wanted The block that `search` needs, in case of a read
 * @param search Returns undefined if the snapshot lacks what is searched for. Throws MissingBlockError if the snapshot may have been
 *   replaced
 */
export async function searchSnapshot<T>(
  cache: SnapshotCache,
  wanted: WantedBlock | undefined,
  search: (current: CurrentSnapshot) => Promise<T>,
): Promise<T> {
  const requestedAt = Date.now();
  const current = await cache.getCurrent(wanted, requestedAt);
  try {
    const found = await search(current);
    const isRecent = requestedAt - current.readAt < RECENT_MS;
    if (found !== undefined || isRecent) return found;
  } catch (error) {
    if (!(error instanceof MissingBlockError)) throw error;
  }
  // The snapshot may be outdated, or its blocks are gone.
  const searchCurrent = async () => search(await cache.readAndCache(wanted));
  const timeoutMs = Math.max(0, requestedAt + MAX_SEARCH_MS - Date.now());
  return withTimeout(searchCurrent(), { timeoutMs });
}
