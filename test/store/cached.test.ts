import { describe, expect, test, vi } from "vitest";
import { FRESH_MS } from "../../src/store/memory.ts";
import type { State } from "../../src/store/store.ts";
import { controlledStore, first, second, useClock, waitUntil } from "./controlled-store.ts";

useClock();

describe("while the state is fresh", () => {
  test("the store is asked for a page once, whether by number or as the last", async () => {
    const { store, asked } = controlledStore(first);
    const page = await store.page("last", waitUntil);
    expect(await store.page(7, waitUntil)).toBe(page);
    expect(await store.page("last", waitUntil)).toBe(page);
    expect(await store.state(waitUntil)).toEqual(first);
    expect(asked).toEqual(["page last"]);
  });

  test("pages past the end need no store", async () => {
    const { store, asked } = controlledStore(first);
    await store.page(1, waitUntil);
    expect(await store.page(8, waitUntil)).toEqual({
      state: first,
      current: first,
      number: 8,
      results: "[]",
    });
    expect(asked).toEqual(["page 1"]);
  });

  test("a failing store does not matter to kept pages", async () => {
    const { store, control } = controlledStore(first);
    await store.page(1, waitUntil);
    control.fails = true;
    expect((await store.page(1, waitUntil)).results).toBe("[1,1]");
    await expect(store.page(2, waitUntil)).rejects.toThrow("the store fails");
  });
});

describe("when the state is no longer fresh", () => {
  test("an unchanged state renews all kept pages", async () => {
    const { store, asked } = controlledStore(first);
    await store.page(1, waitUntil);
    await store.page(2, waitUntil);
    vi.advanceTimersByTime(FRESH_MS);
    await store.page(1, waitUntil);
    await store.page(2, waitUntil);
    expect(asked).toEqual(["page 1", "page 2", "state"]);
  });

  test("a changed state drops them", async () => {
    const { store, control } = controlledStore(first);
    await store.page(1, waitUntil);
    await store.page(2, waitUntil);
    control.state = second;
    vi.advanceTimersByTime(FRESH_MS);
    expect((await store.page(2, waitUntil)).results).toBe("[2,2]");
    expect((await store.page(1, waitUntil)).results).toBe("[2,1]");
  });

  test("a failing store leaves what is kept and known, and no page that is not", async () => {
    const { store, control } = controlledStore(first);
    await store.page(1, waitUntil);
    control.fails = true;
    vi.advanceTimersByTime(100 * FRESH_MS);
    expect((await store.page(1, waitUntil)).results).toBe("[1,1]");
    expect(await store.state(waitUntil)).toEqual(first);
    expect(console.error, "the log has it all the same").toHaveBeenCalledTimes(2);
    await expect(store.page(2, waitUntil)).rejects.toThrow("the store fails");
    await expect(store.page(99, waitUntil)).rejects.toThrow("the store fails");
  });

  test("freshness counts from the question, not from the answer", async () => {
    const { store, asked, control } = controlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, FRESH_MS));
    const page = store.page(1, waitUntil);
    await vi.advanceTimersByTimeAsync(FRESH_MS);
    await page;
    await store.page(1, waitUntil);
    expect(asked).toEqual(["page 1", "state"]);
  });
});

describe("a page of an earlier state", () => {
  const grown: State = { version: 1, count: 120 };

  test("is kept while the collection grows, and its number is another page's too", async () => {
    const { store, asked, control } = controlledStore(first);
    const page = await store.page(2, waitUntil);
    control.state = grown;
    vi.advanceTimersByTime(FRESH_MS);
    expect((await store.page(2, waitUntil)).state).toEqual(grown);
    expect(await store.page(2, waitUntil, first.count)).toBe(page);
    expect(asked).toEqual(["page 2", "state", "page 2"]);
  });

  test("goes when the collection is replaced", async () => {
    const { store, control } = controlledStore(first);
    await store.page(1, waitUntil, 40);
    control.state = second;
    vi.advanceTimersByTime(FRESH_MS);
    expect((await store.page(1, waitUntil, 40)).results).toBe("[2,1]");
  });

  test("that is not known of yet is asked for, fresh or not", async () => {
    const { store, asked, control } = controlledStore(first);
    await store.page(1, waitUntil);
    control.state = grown;
    expect((await store.page(99, waitUntil, grown.count)).current).toEqual(grown);
    expect((await store.page(1, waitUntil, grown.count)).results).toBe("[1,1]");
    expect(asked).toEqual(["page 1", "page 99 as of 120", "page 1 as of 120"]);
  });

  test("past its end needs no store", async () => {
    const { store, asked } = controlledStore(first);
    await store.page(1, waitUntil);
    expect((await store.page(4, waitUntil, 45)).results).toBe("[]");
    expect(asked).toEqual(["page 1"]);
  });
});

describe("what a load stored", () => {
  test("is read once for each state", async () => {
    const { store, asked, control } = controlledStore(first);
    const loaded = await store.loaded(waitUntil);
    expect(await store.loaded(waitUntil)).toBe(loaded);
    vi.advanceTimersByTime(FRESH_MS);
    expect(await store.loaded(waitUntil)).toBe(loaded);
    expect(asked).toEqual(["loaded", "state"]);
    control.state = second;
    vi.advanceTimersByTime(FRESH_MS);
    expect((await store.loaded(waitUntil)).state).toEqual(second);
    expect(asked).toEqual(["loaded", "state", "state", "loaded"]);
  });

  test("tells the state, and so renews and drops pages", async () => {
    const { store, asked, control } = controlledStore(first);
    await store.page(1, waitUntil);
    control.state = second;
    vi.advanceTimersByTime(FRESH_MS);
    await store.loaded(waitUntil);
    expect((await store.page(1, waitUntil)).results).toBe("[2,1]");
    expect(asked).toEqual(["page 1", "loaded", "page 1"]);
  });

  test("is served on when the store fails", async () => {
    const { store, control } = controlledStore(first);
    const loaded = await store.loaded(waitUntil);
    control.fails = true;
    vi.advanceTimersByTime(FRESH_MS);
    expect(await store.loaded(waitUntil)).toBe(loaded);
  });
});
