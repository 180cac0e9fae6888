import { logFailure } from "../log.ts";
import { lastPage, type PageNumber } from "../records/page.ts";
import { type Memory, openMemory } from "./memory.ts";
import { shareReads, type WaitUntil } from "./shared-reads.ts";
import type { Loaded, RecordStore, State, StoredPage } from "./store.ts";

/** A store with a memory. Reads from the store behind it are shared, so they must not end with one request. */
export interface CachedStore {
  state(waitUntil: WaitUntil): Promise<State>;
  /** @param asOf the count of an earlier state, if it is to be a page of that */
  page(page: PageNumber, waitUntil: WaitUntil, asOf?: number): Promise<StoredPage>;
  loaded(waitUntil: WaitUntil): Promise<Loaded>;
}

interface Asked {
  page: PageNumber;
  asOf: number | undefined;
}

/**
 * Puts this instance's memory in front of a store. Whatever the store answers also tells the current state: while
 * that is fresh, the pages kept of it are served without asking. If the store fails, what is known and kept is
 * served, however old.
 * @param name of the store, for the log
 */
export function cachedStore(store: RecordStore, name: string): CachedStore {
  const memory = openMemory();
  const instead = <T>(kept: T | undefined) => insteadOf(name, kept);
  const { readState, readPage, readLoaded } = learnFrom(store, memory);
  /** Often nothing has changed, and asking for the state reads one row instead of more. */
  const renew = async <T>(find: () => T | undefined, read: () => Promise<T>, waitUntil: WaitUntil) => {
    await readState(undefined, waitUntil);
    return find() ?? read();
  };
  return {
    async state(waitUntil) {
      const known = memory.state();
      if (known && memory.isFresh()) return known;
      return readState(undefined, waitUntil).catch(instead(known));
    },
    async page(page, waitUntil, asOf) {
      const asked = { page, asOf };
      const find = () => memory.find(page, asOf);
      const read = () => readPage(asked, waitUntil);
      const kept = find();
      if (memory.isFresh()) {
        const fresh = kept ?? pastEnd(asked, memory.state());
        if (fresh) return fresh;
      }
      return (kept ? renew(find, read, waitUntil) : read()).catch(instead(kept));
    },
    async loaded(waitUntil) {
      const kept = memory.findLoaded();
      if (kept && memory.isFresh()) return kept;
      const read = () => readLoaded(undefined, waitUntil);
      return (kept ? renew(memory.findLoaded, read, waitUntil) : read()).catch(instead(kept));
    },
  };
}

/** The reads of a store, shared, from which the memory learns. */
function learnFrom(store: RecordStore, memory: Memory) {
  return {
    readState: shareReads(
      async () => {
        const askedAt = Date.now();
        const state = await store.state();
        memory.learn(state, askedAt);
        return state;
      },
      () => "state",
    ),
    readPage: shareReads(
      async ({ page, asOf }: Asked) => {
        const askedAt = Date.now();
        const stored = await store.page(page, asOf);
        if (memory.learn(stored.current, askedAt) && !isPastEnd(page, stored)) memory.keep(stored);
        return stored;
      },
      ({ page, asOf }) => `${page} ${asOf ?? ""}`,
    ),
    readLoaded: shareReads(
      async () => {
        const askedAt = Date.now();
        const loaded = await store.loaded();
        if (memory.learn(loaded.state, askedAt)) memory.keepLoaded(loaded);
        return loaded;
      },
      () => "loaded",
    ),
  };
}

/** Makes of a failure of the store what is kept, if anything is; the log has the failure all the same. */
function insteadOf<T>(name: string, kept: T | undefined): (error: unknown) => T {
  return (error) => {
    if (kept === undefined) throw error;
    logFailure({ event: "kept_served", store: name }, error);
    return kept;
  };
}

/**
 * A page past the end needs no store: it is empty, whatever its number. A state with more records than are known of
 * may have come since.
 */
function pastEnd({ page, asOf }: Asked, current: State | undefined): StoredPage | undefined {
  if (!current || page === "last") return undefined;
  const state = { ...current, count: asOf ?? current.count };
  const stored = { state, current, number: page, results: "[]" };
  return state.count <= current.count && isPastEnd(page, stored) ? stored : undefined;
}

function isPastEnd(page: PageNumber, { state, current }: StoredPage): boolean {
  return state.count > current.count || (page !== "last" && page > lastPage(state.count));
}
