import { describe, expect, test, vi } from "vitest";
import type { PageRequest } from "../../src/records/page.ts";
import { type CachedStore, FRESH_MS } from "../../src/store/cache.ts";
import { CONFIRMED_MS } from "../../src/store/reads.ts";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { createControlledStore, makeState, pageOf, useClock, waitUntil } from "./controlled-store.ts";

useClock();

const read = async (cache: CachedStore, page: PageRequest["page"], asOf?: PageRequest["asOf"]) => {
  const found = await cache.page({ page, asOf }, waitUntil);
  return typeof found === "string" ? found : { count: found.count, results: JSON.parse(found.results) };
};
const expectPage = async (cache: CachedStore, count: number, page: number, asOf?: PageRequest["asOf"]) =>
  expect(await read(cache, page, asOf)).toEqual({ count, results: pageOf(count, page) });

const first = makeState(1_250);
const grown = makeState(1_300, { previous: first.revision });
const replaced = makeState(700, { version: 2, previous: first.revision });

describe("while the state is fresh", () => {
  test("the store is read once for all pages of a block: by number, the last one, or of an earlier state", async () => {
    const { cache, reads } = createControlledStore(first);
    for (const page of [1, 2, 3, 1]) await expectPage(cache, 1_250, page);
    expect(reads).toEqual(["page 1"]);
    await expectPage(cache, 1_250, 84);
    for (const page of [45, 60]) await expectPage(cache, 1_250, page);
    expect(await read(cache, "last")).toEqual({ count: 1_250, results: pageOf(1_250, 84) });
    await expectPage(cache, 100, 2, { count: 100, version: 1 });
    expect(reads).toEqual(["page 1", "page 84"]);
  });

  test("a walk of 400 pages reads the store at most 25 times", async () => {
    const { cache, reads } = createControlledStore(makeState(2_000));
    for (let page = 1; page <= 134; page++) await expectPage(cache, 2_000, page);
    // 134 pages lie in four blocks; 400 pages, in ten.
    expect(reads).toHaveLength(4);
  });

  test("pages whose blocks are cached are served even if the store fails", async () => {
    const { cache, control } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    control.fails = true;
    await expectPage(cache, 1_250, 2);
    await expect(read(cache, 60)).rejects.toThrow("the store fails");
  });

  test("blocks that were used longest ago are dropped when there is no room", async () => {
    const { cache, reads } = createControlledStore(first, 1);
    for (const page of [1, 2, 1]) await expectPage(cache, 1_250, page);
    expect(reads).toEqual(["page 1", "page 2", "page 1"]);
  });
});

describe("when the state is no longer fresh", () => {
  test("an unchanged state makes all cached pages fresh again", async () => {
    const { cache, reads } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    vi.advanceTimersByTime(FRESH_MS);
    for (const page of [1, 2]) await expectPage(cache, 1_250, page);
    expect(reads).toEqual(["page 1", "state"]);
  });

  test("an append keeps full blocks, and earlier states", async () => {
    const { cache, reads, control } = createControlledStore(first);
    for (const page of [1, 60]) await expectPage(cache, 1_250, page);
    control.state = grown;
    vi.advanceTimersByTime(FRESH_MS);
    await expectPage(cache, 1_300, 1);
    for (const page of [60, 70]) await expectPage(cache, 1_300, page);
    await expectPage(cache, 1_250, 1, { count: 1_250, version: 1 });
    expect(reads).toEqual(["page 1", "page 60", "state", "page 1"]);
  });

  test("a load drops everything", async () => {
    const { cache, control } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    control.state = replaced;
    vi.advanceTimersByTime(FRESH_MS);
    await expectPage(cache, 700, 1);
    expect(await read(cache, 1, { count: 700, version: 1 })).toBe("replaced");
  });

  test("another revision with the same version and count drops everything, as after a restored backup", async () => {
    const { cache, reads, control } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    control.state = { ...first, revision: "restored", previous: "another" };
    vi.advanceTimersByTime(FRESH_MS);
    await expectPage(cache, 1_250, 1);
    expect(reads).toEqual(["page 1", "state", "page 1"]);
  });

  test("freshness counts from the request to the store, not from its response", async () => {
    const { cache, reads, control } = createControlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, HANGS_AFTER_MS - 1));
    const page = read(cache, 1);
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS - 1);
    await page;
    vi.advanceTimersByTime(FRESH_MS - HANGS_AFTER_MS + 1);
    await read(cache, 1);
    expect(reads).toEqual(["page 1", "state"]);
  });
});

describe("a store that fails", () => {
  test("is read at most once every few seconds, and cached pages are served at once", async () => {
    const { cache, reads, control } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    control.fails = true;
    vi.advanceTimersByTime(FRESH_MS);
    for (let request = 0; request < 10; request++) await expectPage(cache, 1_250, 1);
    expect(await cache.state(waitUntil)).toEqual(first);
    expect(reads).toEqual(["page 1", "state"]);
    expect(console.error, "the log reports it once").toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(FRESH_MS);
    for (let request = 0; request < 10; request++) await expectPage(cache, 1_250, 1);
    expect(reads).toEqual(["page 1", "state", "state"]);
    await expect(read(cache, 60), "a page that is not kept").rejects.toThrow("the store fails");
  });

  test("is waited for again once it has recovered", async () => {
    const { cache, control } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    vi.advanceTimersByTime(FRESH_MS);
    control.fails = true;
    await expectPage(cache, 1_250, 1);
    control.fails = false;
    vi.advanceTimersByTime(FRESH_MS);
    await expectPage(cache, 1_250, 1);
    // The background read has shown that the store works.
    await vi.advanceTimersByTimeAsync(FRESH_MS);
    control.state = grown;
    await expectPage(cache, 1_300, 1);
  });

  test("is read in the background while it hangs, so that no request waits for it", async () => {
    const { cache, reads, control } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    control.delay = new Promise(() => {});
    vi.advanceTimersByTime(FRESH_MS);
    const waiting = expectPage(cache, 1_250, 1);
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
    await waiting;
    for (let round = 0; round < 3; round++) {
      await vi.advanceTimersByTimeAsync(FRESH_MS + HANGS_AFTER_MS);
      // These would never settle if they waited, since nothing advances the clock.
      for (let request = 0; request < 5; request++) await expectPage(cache, 1_250, 2);
    }
    expect(reads.length).toBeLessThanOrEqual(5);
    control.delay = Promise.resolve();
    control.state = grown;
    await vi.advanceTimersByTimeAsync(FRESH_MS + HANGS_AFTER_MS);
    await expectPage(cache, 1_250, 1);
    await vi.advanceTimersByTimeAsync(1);
    await expectPage(cache, 1_300, 1);
  });
});

describe("a page past the end", () => {
  test("is confirmed by the primary database, at most once a second", async () => {
    const { cache, reads } = createControlledStore(first);
    for (let request = 0; request < 5; request++) expect(await read(cache, 85)).toBe("past the end");
    expect(reads).toEqual(["page 85", "page 85 (newest)"]);
    vi.advanceTimersByTime(CONFIRMED_MS);
    expect(await read(cache, 90)).toBe("past the end");
    expect(reads).toEqual(["page 85", "page 85 (newest)", "page 90 (newest)"]);
  });

  test("of a state that this instance has not seen yet is served", async () => {
    const { cache, control } = createControlledStore(first);
    await expectPage(cache, 1_250, 1);
    control.state = grown;
    await expectPage(cache, 1_300, 87);
    control.state = makeState(1_310, { previous: grown.revision });
    vi.advanceTimersByTime(CONFIRMED_MS);
    await expectPage(cache, 1_310, 1, { count: 1_310, version: 1 });
  });
});

test("the count does not go backwards when a replica lags", async () => {
  const { cache, reads, control } = createControlledStore(first);
  const later = new Date(Date.parse(String(first.switchedAt)) + 1_000).toISOString();
  control.state = { ...grown, switchedAt: later };
  await expectPage(cache, 1_300, 1);
  control.replica = first;
  vi.advanceTimersByTime(FRESH_MS);
  await expectPage(cache, 1_300, 1);
  await expectPage(cache, 1_300, 60);
  expect(reads).toEqual(["page 1", "state", "state (newest)", "page 60", "page 60 (newest)"]);
});

describe("concurrent requests", () => {
  test("for the same page read the store once, and fail together", async () => {
    const { cache, reads, control } = createControlledStore(first);
    await Promise.all(Array.from({ length: 50 }, () => expectPage(cache, 1_250, 3)));
    control.fails = true;
    const failures = await Promise.allSettled([read(cache, 60), read(cache, 60)]);
    expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(reads).toEqual(["page 3", "page 60"]);
  });

  test("a response that was overtaken by a later one does not bring the old state back", async () => {
    const { cache, control } = createControlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, 1_000));
    const slow = read(cache, 1);
    vi.advanceTimersByTime(1);
    Object.assign(control, { state: replaced, delay: Promise.resolve() });
    await expectPage(cache, 700, 2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await slow, "it is complete, if late").toEqual({ count: 1_250, results: pageOf(1_250, 1) });
    await expectPage(cache, 700, 1);
  });

  test("wait for each other, but not forever", async () => {
    const { cache, control } = createControlledStore(first);
    control.delay = new Promise(() => {});
    read(cache, 1).catch(() => undefined);
    const follower = expect(read(cache, 1)).rejects.toThrow(
      `The store did not respond within ${HANGS_AFTER_MS} ms`,
    );
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
    await follower;
    control.delay = Promise.resolve();
    await expectPage(cache, 1_250, 1);
  });

  test("start work that may continue after the request", async () => {
    const { cache } = createControlledStore(first);
    const outlive = vi.fn();
    await cache.page({ page: 1 }, outlive);
    expect(await outlive.mock.calls[0]?.[0]).toMatchObject({ number: 1, count: 1_250 });
  });
});

describe("statistics", () => {
  test("are read once for each state", async () => {
    const { cache, reads, control } = createControlledStore(first);
    const statistics = await cache.statistics(waitUntil);
    expect(statistics.statistics?.records).toBe(1_250);
    expect(await cache.statistics(waitUntil)).toBe(statistics);
    vi.advanceTimersByTime(FRESH_MS);
    expect(await cache.statistics(waitUntil)).toBe(statistics);
    expect(reads).toEqual(["state", "statistics", "state"]);
    control.state = grown;
    vi.advanceTimersByTime(FRESH_MS);
    expect((await cache.statistics(waitUntil)).state).toEqual(grown);
    control.fails = true;
    vi.advanceTimersByTime(FRESH_MS);
    expect((await cache.statistics(waitUntil)).state).toEqual(grown);
  });
});
