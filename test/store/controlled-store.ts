import { afterEach, beforeEach, vi } from "vitest";
import { lastPage } from "../../src/records/page.ts";
import { cachedStore } from "../../src/store/cached.ts";
import type { RecordStore, State } from "../../src/store/store.ts";

export const first: State = { version: 1, count: 100 };
export const second: State = { version: 2, count: 50 };

export const waitUntil = () => {};

/** Gives the tests of a file a clock of their own, and keeps the log quiet. */
export function useClock(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** A store whose answers are ours to time: the real ones answer when they like. */
export function controlledStore(initial: State) {
  const asked: string[] = [];
  const control = { state: initial, fails: false, delay: Promise.resolve() };
  const answer = async <T>(what: string, make: (state: State) => T): Promise<T> => {
    asked.push(what);
    const { state, fails, delay } = control;
    await delay;
    if (fails) throw new Error("the store fails");
    return make(state);
  };
  const store: RecordStore = {
    state: () => answer("state", (state) => state),
    page: (page, asOf) =>
      answer(`page ${page}${asOf === undefined ? "" : ` as of ${asOf}`}`, (current) => {
        const state = { ...current, count: asOf ?? current.count };
        const number = page === "last" ? lastPage(state.count) : page;
        const isInside = number <= lastPage(state.count) && state.count <= current.count;
        return { state, current, number, results: isInside ? `[${state.version},${number}]` : "[]" };
      }),
    loaded: () => answer("loaded", (state) => ({ state, loadedAt: undefined, statistics: undefined })),
  };
  return { store: cachedStore(store, "d1"), asked, control };
}
