import { lastPage, type PageNumber } from "../page.ts";
import { openMemory } from "./memory.ts";
import { shareReads, type WaitUntil } from "./shared-reads.ts";
import type { RecordStore, State, StoredPage } from "./store.ts";

/** A store with a memory. Reads from the store behind it are shared, so they must not end with one request. */
export interface CachedStore {
  state(waitUntil: WaitUntil): Promise<State>;
  page(page: PageNumber, waitUntil: WaitUntil): Promise<StoredPage>;
}

/**
 * Puts this instance's memory in front of a store. Whatever the store answers also tells the current state: while
 * that is fresh, the pages kept of it are served without asking. If the store fails, what is known and kept is
 * served, however old.
 */
export function cachedStore(store: RecordStore): CachedStore {
  const memory = openMemory();
  const readState = shareReads(async () => {
    const askedAt = Date.now();
    const state = await store.state();
    memory.learn(state, askedAt);
    return state;
  });
  const readPage = shareReads(async (page: PageNumber) => {
    const askedAt = Date.now();
    const stored = await store.page(page);
    if (memory.learn(stored.state, askedAt) && !isPastEnd(page, stored.state)) memory.keep(stored);
    return stored;
  });
  /** Often nothing has changed, and asking for the state reads one row instead of a page's. */
  const renew = async (page: PageNumber, waitUntil: WaitUntil) => {
    await readState("state", waitUntil);
    return memory.find(page) ?? readPage(page, waitUntil);
  };
  return {
    async state(waitUntil) {
      const known = memory.state();
      if (known && memory.isFresh()) return known;
      return readState("state", waitUntil).catch(instead(known));
    },
    async page(page, waitUntil) {
      const kept = memory.find(page);
      if (memory.isFresh()) {
        const fresh = kept ?? pastEnd(page, memory.state());
        if (fresh) return fresh;
      }
      const read = kept ? renew(page, waitUntil) : readPage(page, waitUntil);
      return read.catch(instead(kept));
    },
  };
}

/** Makes of a failure of the store what is kept, if anything is; the log has the failure all the same. */
function instead<T>(kept: T | undefined): (error: unknown) => T {
  return (error) => {
    if (kept === undefined) throw error;
    console.error(error);
    return kept;
  };
}

/** A page past the end needs no store: it is empty, whatever its number. */
function pastEnd(page: PageNumber, state: State | undefined): StoredPage | undefined {
  return state && isPastEnd(page, state) ? { state, number: page, results: "[]" } : undefined;
}

function isPastEnd(page: PageNumber, { count }: State): page is number {
  return page !== "last" && page > lastPage(count);
}
