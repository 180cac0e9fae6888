import { lastPage, type PageNumber } from "../records/page.ts";
import { keepPages } from "./kept-pages.ts";
import type { Loaded, State, StoredPage } from "./store.ts";

/**
 * How long an instance may answer without asking the store: after a load it serves the old state at most this long.
 * Long enough that a busy instance hardly ever asks, short enough that nobody waits for a load to show.
 */
export const FRESH_MS = 5_000;

/** What an instance keeps at most, some 2,500 pages: an eighth of the 128 MB that the platform gives it. */
export const KEPT_BYTES = 16 * 1024 * 1024;

/** What an instance knows of the collection: the state, as the store told it last, and pages of that state only. */
export interface Memory {
  state(): State | undefined;
  /** Whether the state can still be taken for the current one. */
  isFresh(): boolean;
  /**
   * Takes the store's word for the state.
   * @param askedAt when the store was asked, not when it answered: the state may have changed in between
   * @returns false if a later question was answered before, as then this answer says nothing of the present
   */
  learn(state: State, askedAt: number): boolean;
  /** Keeps a page of the state that was learnt last, or of an earlier one of its version. */
  keep(page: StoredPage): void;
  /** @param asOf the count of an earlier state of the version; by default that of the current one */
  find(page: PageNumber, asOf?: number): StoredPage | undefined;
  /** Keeps what the load of the state that was learnt last stored. */
  keepLoaded(loaded: Loaded): void;
  findLoaded(): Loaded | undefined;
}

export function openMemory(): Memory {
  let known: { state: State; askedAt: number } | undefined;
  const kept = keepPages(KEPT_BYTES);
  let loaded: Loaded | undefined;
  return {
    state: () => known?.state,
    isFresh: () => known !== undefined && Date.now() - known.askedAt < FRESH_MS,
    learn(state, askedAt) {
      if (known && askedAt < known.askedAt) return false;
      // An append leaves the pages of earlier states as they are.
      if (known?.state.version !== state.version) kept.clear();
      if (known && !isSame(known.state, state)) loaded = undefined;
      known = { state, askedAt };
      return true;
    },
    keep: kept.put,
    find(page, asOf = known?.state.count) {
      if (!known || asOf === undefined || asOf > known.state.count) return undefined;
      return kept.get(asOf, page === "last" ? lastPage(asOf) : page);
    },
    keepLoaded(read) {
      loaded = read;
    },
    findLoaded: () => loaded,
  };
}

function isSame(one: State, other: State): boolean {
  return one.version === other.version && one.count === other.count;
}
