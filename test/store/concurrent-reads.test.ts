import { describe, expect, test, vi } from "vitest";
import { controlledStore, first, second, useClock, waitUntil } from "./controlled-store.ts";

useClock();

describe("concurrent requests", () => {
  test("for the same page ask once, and fail together", async () => {
    const { store, asked, control } = controlledStore(first);
    const pages = await Promise.all(Array.from({ length: 50 }, () => store.page(3, waitUntil)));
    expect(new Set(pages).size).toBe(1);
    control.fails = true;
    const failures = await Promise.allSettled([store.page(4, waitUntil), store.page(4, waitUntil)]);
    expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked).toEqual(["page 3", "page 4"]);
  });

  test("an answer that was overtaken by a later one does not bring the old state back", async () => {
    const { store, control } = controlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, 1_000));
    const slow = store.page(1, waitUntil);
    vi.advanceTimersByTime(1);
    Object.assign(control, { state: second, delay: Promise.resolve() });
    expect((await store.page(2, waitUntil)).state).toEqual(second);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await slow).state, "it is whole, if late").toEqual(first);
    expect((await store.page(1, waitUntil)).state).toEqual(second);
  });

  test("wait for each other, but not for ever", async () => {
    const { store, control } = controlledStore(first);
    control.delay = new Promise(() => {});
    void store.page(1, waitUntil);
    const follower = store.page(1, waitUntil);
    const outcome = expect(follower).rejects.toThrow("The store did not answer within 3000 ms");
    await vi.advanceTimersByTimeAsync(3_000);
    await outcome;
    control.delay = Promise.resolve();
    expect((await store.page(1, waitUntil)).number).toBe(1);
  });

  test("begin work that outlives the request", async () => {
    const { store } = controlledStore(first);
    const kept = vi.fn();
    const page = await store.page(1, kept);
    expect(await kept.mock.calls[0]?.[0]).toBe(page);
  });
});
