import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readStatistics } from "../../src/store/block.ts";
import { ASK_AGAIN_MS, CONFIRMED_MS } from "../../src/store/known-state.ts";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { createControlledStore, makeState, NO_PAGE, pageOf } from "./controlled-store.ts";
import { waitUntil } from "./reader.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** How long an instance trusts the state of a D1 or KV store. */
const TRUST_MS = 5_000;

const first = makeState(1_250);
const replaced = makeState(700, 2);
const KINDS = ["d1", "kv"] as const;

describe("while the state is fresh", () => {
  test.each([
    ["d1", ["state and block 1", "block 9", "block 2", "block 4,5"]],
    ["kv", ["state", "block 1", "block 9", "block 2", "block 4,5"]],
  ] as const)("%s is read once for all pages of a block", async (kind, expected) => {
    const { read, reads } = createControlledStore(first, kind);
    for (const page of [1, 2, 10, 1]) expect(await read(page)).toEqual(pageOf(1_250, page));
    for (const page of [84, 81]) expect(await read(page)).toEqual(pageOf(1_250, page));
    expect(await read("last")).toEqual(pageOf(1_250, 84));
    expect(await read(1, () => 150)).toMatchObject({ count: 1_100, number: 1 });
    expect(await read(1, () => 590)).toMatchObject({ count: 660, number: 1 });
    expect(reads).toEqual(expected);
  });

  test("the last page of a new instance is read in one step, without a known number", async () => {
    const { read, reads } = createControlledStore(first);
    expect(await read("last")).toEqual(pageOf(1_250, 84));
    expect(reads).toEqual(["state and block last"]);
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
    for (const page of [1, 25, 2, 45, 1, 25]) await read(page);
    expect(reads).toEqual(["state and block 1", "block 3", "block 5", "block 3"]);
  });
});

describe("when the state is no longer fresh", () => {
  test.each(KINDS)("a kept page needs only the state of %s", async (kind) => {
    const { read, reads } = createControlledStore(first, kind);
    await read(60);
    reads.length = 0;
    vi.advanceTimersByTime(TRUST_MS);
    for (const page of [60, 59]) expect(await read(page)).toEqual(pageOf(1_250, page));
    expect(reads).toEqual(["state"]);
  });

  test.each(KINDS)("another load in %s is served without blocks of the load before", async (kind) => {
    const { read, control } = createControlledStore(first, kind);
    for (const page of [1, 30]) await read(page);
    control.state = replaced;
    vi.advanceTimersByTime(TRUST_MS);
    for (const page of [1, 30, 47]) expect(await read(page)).toEqual(pageOf(700, page));
    expect(await read(48)).toEqual(NO_PAGE);
  });

  test("the blocks of a load are right whenever it is served, as after a backup was restored", async () => {
    const { read, reads, control } = createControlledStore(first);
    await read(60);
    for (const state of [replaced, first]) {
      control.state = state;
      vi.advanceTimersByTime(TRUST_MS);
      await read(1);
    }
    reads.length = 0;
    expect(await read(60)).toEqual(pageOf(1_250, 60));
    expect(reads).toEqual([]);
  });

  test("freshness counts from the request to the store, not from its response", async () => {
    const { read, reads, control } = createControlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, HANGS_AFTER_MS - 1));
    const page = read(1);
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS - 1);
    await page;
    vi.advanceTimersByTime(TRUST_MS - HANGS_AFTER_MS + 1);
    await read(1);
    expect(reads).toEqual(["state and block 1", "state"]);
  });

  test.each(KINDS)("blocks that are read do not delay a new state of %s", async (kind) => {
    const { read, control } = createControlledStore(first, kind);
    await read(1);
    control.state = replaced;
    for (let second = 2; second < 20; second += 2) {
      vi.advanceTimersByTime(2_000);
      // A page whose block is not kept.
      const { count } = await read(second > TRUST_MS / 1_000 ? 1 : 10 * second);
      expect(count).toBe(second > TRUST_MS / 1_000 ? 700 : 1_250);
    }
  });

  test.each([
    [TRUST_MS + 900, "at once, if the refresh began in time"],
    [3_600_000, "from the refresh, if the instance was idle for longer"],
  ])("%i ms after the state was read, others are served %s", async (idle) => {
    const { read, reads, control } = createControlledStore(first);
    await read(1);
    control.state = replaced;
    let respond = () => {};
    control.delay = new Promise<void>((resolve) => {
      respond = resolve;
    });
    vi.advanceTimersByTime(idle);
    const refreshing = read(1);
    const other = read(2);
    respond();
    expect(await other).toEqual(pageOf(idle < 6_000 ? 1_250 : 700, 2));
    expect(await refreshing).toEqual(pageOf(700, 1));
    expect(reads, "the state is read once").toEqual(["state and block 1", "state", "block 1"]);
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
    expect(reads).toEqual(["state and block 1", "state"]);
    expect(console.error, "the log reports it once").toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(ASK_AGAIN_MS);
    for (let request = 0; request < 10; request++) await read(1);
    expect(reads).toEqual(["state and block 1", "state", "state"]);
    await expect(read(60), "a page that is not kept").rejects.toThrow("the store fails");
  });

  test("is used again at once when it has recovered", async () => {
    const { read, control } = createControlledStore(first);
    await read(1);
    vi.advanceTimersByTime(TRUST_MS);
    control.fails = true;
    await read(1);
    Object.assign(control, { fails: false, state: replaced });
    vi.advanceTimersByTime(ASK_AGAIN_MS);
    expect(await read(1)).toEqual(pageOf(700, 1));
  });

  test("delays at most one request in a few seconds while it hangs", async () => {
    const { read, reads, control } = createControlledStore(first);
    await read(1);
    control.delay = new Promise(() => {});
    vi.advanceTimersByTime(TRUST_MS);
    for (let round = 0; round < 3; round++) {
      const waiting = read(1);
      // These would never settle if they waited, since nothing advances the clock.
      for (let request = 0; request < 5; request++) expect(await read(2)).toEqual(pageOf(1_250, 2));
      await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
      expect(await waiting).toEqual(pageOf(1_250, 1));
      vi.advanceTimersByTime(ASK_AGAIN_MS);
    }
    expect(reads).toHaveLength(1 + 3);
  });

  test("and was never read is a failure of each request", async () => {
    const { read, control } = createControlledStore(first);
    control.fails = true;
    for (let request = 0; request < 2; request++) await expect(read(1)).rejects.toThrow("the store fails");
    control.fails = false;
    expect(await read(1)).toEqual(pageOf(1_250, 1));
  });
});

test.each(KINDS)("a damaged or missing block of %s is an error of its pages alone", async (kind) => {
  const { read, control } = createControlledStore(first, kind);
  control.damaged = 9;
  for (const page of ["last", 81] as const)
    await expect(read(page)).rejects.toThrow("Block 9 is damaged: it is not a JSON array");
  expect(await read(80)).toEqual(pageOf(1_250, 80));
  Object.assign(control, { damaged: undefined, hidden: first.load });
  await expect(read("last")).rejects.toThrow("Block 9 of load of-1250 is missing");
  expect(await read(80)).toEqual(pageOf(1_250, 80));
  control.state = replaced;
  expect(await read(45), "a load repairs it").toEqual(pageOf(700, 45));
});

test.each(KINDS)(
  "a load of %s whose blocks were removed meanwhile is replaced by the current one",
  async (kind) => {
    const { read, control } = createControlledStore(first, kind);
    await read(1);
    Object.assign(control, { state: replaced, hidden: first.load });
    expect(await read(30), "although the state is fresh").toEqual(pageOf(700, 30));
    expect(await read(1)).toEqual(pageOf(700, 1));
  },
);

describe("a page past the end", () => {
  test("is looked for in the primary database, at most once a second", async () => {
    const { read, reads } = createControlledStore(first);
    for (let request = 0; request < 5; request++) expect(await read(85)).toEqual(NO_PAGE);
    expect(reads).toEqual(["state and block 9", "state and block 9 (newest)"]);
    vi.advanceTimersByTime(CONFIRMED_MS);
    expect(await read(91)).toEqual(NO_PAGE);
    expect(reads.slice(2)).toEqual(["state and block 10 (newest)"]);
  });

  test("is not served for long from a store that responds slowly", async () => {
    const { read, control } = createControlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, CONFIRMED_MS + 1));
    const page = read(85);
    await vi.advanceTimersByTimeAsync(2 * CONFIRMED_MS + 2);
    expect(await page).toEqual(NO_PAGE);
  });

  test("of a load that this instance has not seen yet is served", async () => {
    const { read, control } = createControlledStore(replaced);
    await read(1);
    control.state = makeState(1_600, 3);
    expect(await read(100)).toEqual(pageOf(1_600, 100));
  });

  test("is not confirmed by a store that fails", async () => {
    const { read, control } = createControlledStore(first);
    await read(1);
    control.fails = true;
    await expect(read(85)).rejects.toThrow("the store fails");
  });
});

describe("a state with a lower sequence", () => {
  test("of a replica that lags is not served", async () => {
    const { read, reads, control } = createControlledStore(replaced);
    await read(1);
    control.replica = first;
    vi.advanceTimersByTime(TRUST_MS);
    expect(await read(1)).toEqual(pageOf(700, 1));
    expect(reads.slice(1)).toEqual(["state", "state (newest)"]);
  });

  test.each(KINDS)("that %s shows twice is believed, as after a restored backup", async (kind) => {
    const { read, control } = createControlledStore(replaced, kind);
    await read(1);
    control.state = first;
    vi.advanceTimersByTime(TRUST_MS);
    expect(await read(1)).toEqual(pageOf(1_250, 1));
  });
});

describe("concurrent requests", () => {
  test.each([
    ["d1", ["state and block 3", "block 6"]],
    ["kv", ["state", "block 3", "block 6"]],
  ] as const)("for the same block of %s read it once, and fail together", async (kind, expected) => {
    const { read, reads, control } = createControlledStore(first, kind);
    await Promise.all(Array.from({ length: 50 }, () => read(30)));
    control.fails = true;
    const failures = await Promise.allSettled([read(59), read(60)]);
    expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(reads).toEqual(expected);
  });

  test("a response that was overtaken by a later one does not bring the old state back", async () => {
    const { read, control } = createControlledStore(first);
    control.delay = new Promise((resolve) => setTimeout(resolve, 1_000));
    const slow = read(30);
    vi.advanceTimersByTime(1);
    Object.assign(control, { state: replaced, delay: Promise.resolve() });
    expect(await read(2)).toEqual(pageOf(700, 2));
    await vi.advanceTimersByTimeAsync(1_000);
    await slow;
    expect(await read(1)).toEqual(pageOf(700, 1));
  });
});

test.each(KINDS)("statistics of %s are read once for each load", async (kind) => {
  const { cache, reads, control } = createControlledStore(first, kind);
  const read = async () => (await cache.statistics(waitUntil)).statistics.days.length;
  const days = await read();
  expect(days).toBeGreaterThan(1);
  reads.length = 0;
  vi.advanceTimersByTime(TRUST_MS);
  expect(await read()).toBe(days);
  expect(reads).toEqual(["state"]);
  control.state = replaced;
  vi.advanceTimersByTime(TRUST_MS);
  expect(await read()).toBeLessThan(days);
  control.fails = true;
  vi.advanceTimersByTime(TRUST_MS);
  expect((await cache.statistics(waitUntil)).state).toEqual(replaced);
  control.fails = false;
  const next = makeState(900, 3);
  Object.assign(control, { state: next, hidden: next.load });
  vi.advanceTimersByTime(ASK_AGAIN_MS);
  await expect(read()).rejects.toThrow("Piece 0 of the statistics of load of-900 is missing");
});

test("statistics that do not come are waited for by an instance for three seconds, and by a command for longer", async () => {
  const { cache, store, control } = createControlledStore(first, "kv");
  const state = await cache.state(waitUntil);
  control.delay = new Promise((resolve) => setTimeout(resolve, 2 * HANGS_AFTER_MS));
  const served = cache.statistics(waitUntil).catch(String);
  const shown = readStatistics(store, { state });
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
  expect(await served).toContain("did not respond");
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
  expect((await shown).days.length).toBeGreaterThan(1);
});
