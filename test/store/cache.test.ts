import { describe, expect, test, vi } from "vitest";
import { ASK_AGAIN_MS, CONFIRMED_MS } from "../../src/store/cache.ts";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { createControlledStore, makeState, pageOf, useClock } from "./controlled-store.ts";
import { waitUntil } from "./reader.ts";

useClock();

/** How long an instance trusts the state of a D1 or KV store. */
const TRUST_MS = 5_000;

const first = makeState(1_250);
const grown = makeState(1_600, { previous: [first.revision] });
const replaced = makeState(700, { load: "b", sequence: 2_000, previous: [first.revision] });

describe("while the state is fresh", () => {
  test("the store is read once for all pages of a block: by number, the last one, or without the newest records", async () => {
    const { read, reads } = createControlledStore(first);
    for (const page of [1, 2, 3, 1]) expect(await read(page)).toEqual(pageOf(1_250, page));
    expect(reads, "the tail is a part of the state").toEqual(["page 1"]);
    for (const page of [84, 75, "last"] as const)
      expect(await read(page)).toEqual(pageOf(1_250, page === "last" ? 84 : page));
    expect(await read(2, () => 1_150)).toEqual(pageOf(100, 2));
    expect(reads).toEqual(["page 1", "page 84"]);
  });

  test.each([
    ["d1", 41],
    ["kv", 41],
  ] as const)("a walk of 400 pages reads a store like %s at most %i times", async (kind, most) => {
    const { read, reads } = createControlledStore(makeState(6_000), kind);
    for (let page = 1; page <= 400; page++) expect(await read(page)).toEqual(pageOf(6_000, page));
    expect(reads.length).toBeLessThanOrEqual(most);
  });

  test("pages whose blocks are kept are served even if the store fails", async () => {
    const { read, control } = createControlledStore(first);
    await read(1);
    control.fails = true;
    expect(await read(2)).toEqual(pageOf(1_250, 2));
    await expect(read(60)).rejects.toThrow("the store fails");
  });

  test("blocks that were used longest ago are dropped when there is no room", async () => {
    // A block takes about 20 kB, and the results of a page 7 kB.
    const { read, reads } = createControlledStore(first, "d1", 60_000);
    for (const page of [84, 60, 83, 40, 84, 60]) await read(page);
    expect(reads).toEqual(["page 84", "page 60", "page 40", "page 60"]);
  });
});

describe("when the state is no longer fresh", () => {
  test("an unchanged state makes all kept pages fresh again", async () => {
    const { read, reads } = createControlledStore(first);
    await read(60);
    vi.advanceTimersByTime(TRUST_MS);
    for (const page of [60, 61]) expect(await read(page)).toEqual(pageOf(1_250, page));
    expect(reads).toEqual(["page 60", "state"]);
  });

  test("an append keeps blocks, and earlier states", async () => {
    const { read, reads, control } = createControlledStore(first);
    for (const page of [1, 60]) await read(page);
    control.state = grown;
    vi.advanceTimersByTime(TRUST_MS);
    for (const page of [1, 84]) expect(await read(page)).toEqual(pageOf(1_600, page));
    expect(await read(60, () => 350)).toEqual(pageOf(1_250, 60));
    expect(reads).toEqual(["page 1", "page 60", "state"]);
  });

  test("a load is served without blocks of the load before", async () => {
    const { read, control } = createControlledStore(first);
    await read(60);
    control.state = replaced;
    vi.advanceTimersByTime(TRUST_MS);
    for (const page of [1, 30]) expect(await read(page)).toEqual(pageOf(700, page));
  });

  test("a state that does not continue the known one drops all blocks, as after a restored backup", async () => {
    const { read, reads, control } = createControlledStore(first);
    await read(60);
    control.state = makeState(1_250, { revision: "restored", previous: ["another"], sequence: 1_249 });
    vi.advanceTimersByTime(TRUST_MS);
    await read(60);
    expect(reads).toEqual(["page 60", "state", "state (newest)", "page 60"]);
  });

  test("a restored backup drops the blocks of its load, although another load came in between", async () => {
    const { read, reads, control } = createControlledStore(first);
    await read(60);
    control.state = replaced;
    vi.advanceTimersByTime(TRUST_MS);
    await read(1);
    control.state = makeState(1_250, { revision: "restored" });
    vi.advanceTimersByTime(TRUST_MS);
    for (const page of [1, 60]) await read(page);
    expect(reads.filter((what) => what === "page 60")).toHaveLength(2);
  });

  test("freshness counts from the request to the store, not from its response", async () => {
    const { read, reads, control } = createControlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, HANGS_AFTER_MS - 1));
    const page = read(1);
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS - 1);
    await page;
    vi.advanceTimersByTime(TRUST_MS - HANGS_AFTER_MS + 1);
    await read(1);
    expect(reads).toEqual(["page 1", "state"]);
  });

  test.each(["d1", "kv"] as const)("blocks that are read do not delay a new state of %s", async (kind) => {
    const { read, control } = createControlledStore(first, kind);
    await read(1);
    control.state = replaced;
    for (let second = 2; second < 60; second += 2) {
      vi.advanceTimersByTime(2_000);
      // A page whose block is not kept.
      const page = second > TRUST_MS / 1_000 ? 1 : 84 - 10 * second;
      const { count } = (await read(page)) as { count: number };
      if (second > TRUST_MS / 1_000) expect(count).toBe(700);
    }
  });
});

describe("a store that fails", () => {
  test("is read at most once every few seconds, and kept pages are served at once", async () => {
    const { cache, read, reads, control } = createControlledStore(first);
    await read(1);
    control.fails = true;
    vi.advanceTimersByTime(TRUST_MS);
    for (let request = 0; request < 10; request++) expect(await read(1)).toEqual(pageOf(1_250, 1));
    expect(await cache.state(waitUntil)).toEqual(first);
    expect(reads).toEqual(["page 1", "state"]);
    expect(console.error, "the log reports it once").toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(ASK_AGAIN_MS);
    for (let request = 0; request < 10; request++) await read(1);
    expect(reads).toEqual(["page 1", "state", "state"]);
    await expect(read(60), "a page that is not kept").rejects.toThrow("the store fails");
  });

  test("is waited for again once it has recovered", async () => {
    const { read, control } = createControlledStore(first);
    await read(1);
    vi.advanceTimersByTime(TRUST_MS);
    control.fails = true;
    await read(1);
    control.fails = false;
    vi.advanceTimersByTime(ASK_AGAIN_MS);
    await read(1);
    // The read in the background has shown that the store works.
    await vi.advanceTimersByTimeAsync(TRUST_MS);
    control.state = grown;
    expect(await read(1)).toEqual(pageOf(1_600, 1));
  });

  test("is read in the background while it hangs, so that no request waits for it", async () => {
    const { read, reads, control } = createControlledStore(first);
    await read(1);
    control.delay = new Promise(() => {});
    vi.advanceTimersByTime(TRUST_MS);
    const waiting = read(1);
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
    expect(await waiting).toEqual(pageOf(1_250, 1));
    for (let round = 0; round < 3; round++) {
      await vi.advanceTimersByTimeAsync(ASK_AGAIN_MS + HANGS_AFTER_MS);
      // These would never settle if they waited, since nothing advances the clock.
      for (let request = 0; request < 5; request++) await read(2);
    }
    expect(reads.length).toBeLessThanOrEqual(5);
  });
});

test.each(["d1", "kv"] as const)(
  "a damaged or missing block of %s is an error of its page alone, and other pages stay up to date",
  async (kind) => {
    const { read, control } = createControlledStore(first, kind);
    await read(1);
    control.damaged = 1;
    for (let second = 0; second < 12; second += 2) {
      vi.advanceTimersByTime(2_000);
      await expect(read("last")).rejects.toThrow("The block at position 1 is damaged");
      const { count } = (await read(2)) as { count: number };
      expect(count).toBe(second < 6 ? 1_250 : 1_600);
      if (second !== 4) continue;
      control.state = grown;
      vi.advanceTimersByTime(TRUST_MS);
    }
  },
);

describe("a page past the end", () => {
  test("is looked for in the primary database, at most once a second", async () => {
    const { read, reads } = createControlledStore(first);
    for (let request = 0; request < 5; request++) expect(await read(85)).toBe("past the end");
    expect(reads).toEqual(["page 85", "page 85 (newest)"]);
    vi.advanceTimersByTime(CONFIRMED_MS);
    expect(await read(90)).toBe("past the end");
    expect(reads).toEqual(["page 85", "page 85 (newest)", "page 90 (newest)"]);
  });

  test("of a state that this instance has not seen yet is served", async () => {
    const { read, control } = createControlledStore(first);
    await read(1);
    control.state = grown;
    expect(await read(100)).toEqual(pageOf(1_600, 100));
  });
});

test("the count does not go backwards when a replica lags", async () => {
  const { read, reads, control } = createControlledStore(grown);
  await read(1);
  control.replica = first;
  vi.advanceTimersByTime(TRUST_MS);
  expect(await read(1)).toEqual(pageOf(1_600, 1));
  expect(await read(60)).toEqual(pageOf(1_600, 60));
  expect(reads).toEqual(["page 1", "state", "state (newest)", "page 60", "page 60 (newest)"]);
});

describe("concurrent requests", () => {
  test("for the same page read the store once, and fail together", async () => {
    const { read, reads, control } = createControlledStore(first);
    await Promise.all(Array.from({ length: 50 }, () => read(30)));
    control.fails = true;
    const failures = await Promise.allSettled([read(60), read(60)]);
    expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(reads).toEqual(["page 30", "page 60"]);
  });

  test("a response that was overtaken by a later one does not bring the old state back", async () => {
    const { read, control } = createControlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, 1_000));
    const slow = read(30);
    vi.advanceTimersByTime(1);
    Object.assign(control, { state: replaced, delay: Promise.resolve() });
    expect(await read(2)).toEqual(pageOf(700, 2));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await slow).toEqual(pageOf(700, 30));
    expect(await read(1)).toEqual(pageOf(700, 1));
  });
});

describe("a location of KV", () => {
  const before = makeState(310, { load: "b" });
  const load = (changes = {}) =>
    makeState(1_250, { load: "c", sequence: 400, previous: [before.revision], before, ...changes });

  test("that shows an earlier state again is not believed for 70 seconds", async () => {
    const { read, control } = createControlledStore(load(), "kv");
    await read(1);
    control.state = before;
    for (let second = 0; second < 60; second += TRUST_MS / 1_000) {
      vi.advanceTimersByTime(TRUST_MS);
      expect(await read(1)).toEqual(pageOf(1_250, 1));
    }
    vi.advanceTimersByTime(10_000);
    expect(await read(1), "the newer state is gone").toEqual(pageOf(310, 1));
  });

  test("that shows another state with the same sequence is believed", async () => {
    const { read, control } = createControlledStore(load(), "kv");
    await read(1);
    control.state = makeState(700, { load: "d", sequence: 400, before });
    vi.advanceTimersByTime(TRUST_MS);
    expect(await read(30)).toEqual(pageOf(700, 30));
  });

  test("that does not see the blocks of a load yet serves the state before, whole, until it does", async () => {
    const { cache, read, control } = createControlledStore(load(), "kv");
    control.hidden = "c";
    for (const page of [20, 1, 21]) expect(await read(page)).toEqual(pageOf(310, page));
    expect(await cache.state(waitUntil)).toEqual(before);
    control.hidden = undefined;
    vi.advanceTimersByTime(TRUST_MS);
    for (const page of [1, 84]) expect(await read(page)).toEqual(pageOf(1_250, page));
  });

  test("fails for a page that only the new state has, rather than report that it does not exist", async () => {
    const { read, control } = createControlledStore(load(), "kv");
    control.hidden = "c";
    await expect(read(84)).rejects.toThrow("no block 1 of c");
  });
});

test("statistics are read once for each state", async () => {
  const { cache, reads, control } = createControlledStore(first);
  const statistics = await cache.statistics(waitUntil);
  expect(statistics).toMatchObject({ state: first, statistics: { records: 1_250 } });
  expect(await cache.statistics(waitUntil)).toBe(statistics);
  vi.advanceTimersByTime(TRUST_MS);
  expect(await cache.statistics(waitUntil)).toBe(statistics);
  expect(reads).toEqual(["statistics", "state"]);
  control.state = grown;
  vi.advanceTimersByTime(TRUST_MS);
  expect(await cache.statistics(waitUntil)).toMatchObject({ state: grown, statistics: { records: 1_600 } });
  control.fails = true;
  vi.advanceTimersByTime(TRUST_MS);
  expect((await cache.statistics(waitUntil)).state).toEqual(grown);
});
