import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { JOIN_WINDOW_MS, READ_TIMEOUT_MS } from "../../src/store/retry.ts";
import { NOTHING_LOADED } from "../../src/store/state.ts";
import { CONFIRMATION_MAX_AGE_MS, STATE_MAX_AGE_MS } from "../../src/store/state-cache.ts";
import { createControlledStore, makeState, NO_PAGE } from "./controlled-store.ts";
import { waitUntil } from "./reader.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const expireState = () => vi.advanceTimersByTime(STATE_MAX_AGE_MS);
const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

const first = makeState(1_250);
const replaced = makeState(700, 2);
const KINDS = ["d1", "kv"] as const;

/** Creates an instance that has read the first page of a load. */
async function createWarmInstance(state = first, kind?: "d1" | "kv") {
  const instance = createControlledStore(state, kind);
  await instance.serves(state.count, 1);
  instance.reads.length = 0;
  return instance;
}

describe("while the state is fresh", () => {
  test.each([
    ["d1", ["state and block 1", "block 7", "block 2", "block 4", "block 5"]],
    ["kv", ["state", "block 1", "block 7", "block 2", "block 4", "block 5"]],
  ] as const)("an instance reads each block of %s once", async (kind, expected) => {
    const { read, reads, serves } = createControlledStore(first, kind);
    await serves(1_250, 1, 2, 13, 1, 84, 81);
    expect(await read("last")).toMatchObject({ count: 1_250, number: 84 });
    expect(await read(1, () => 195)).toMatchObject({ count: 1_055, number: 1 });
    expect(await read(1, () => 770)).toMatchObject({ count: 480, number: 1 });
    expect(reads).toEqual(expected);
  });

  test("the least recently used blocks are evicted when the cache is full", async () => {
    // A block takes about 24 kB, and the results of a page 7 kB.
    const { serves, reads } = createControlledStore(first, "d1", 84_000);
    await serves(1_250, 1, 25, 2, 45, 1, 26);
    expect(reads).toEqual(["state and block 1", "block 2", "block 4", "block 2"]);
  });
});

describe("after the expiry of the state", () => {
  test.each(KINDS)("a cached page needs only the state of %s", async (kind) => {
    const { serves, reads } = await createWarmInstance(first, kind);
    expireState();
    await serves(1_250, 1, 2);
    expect(reads).toEqual(["state"]);
  });

  test("the age of a state starts with its read, not with the response of the store", async () => {
    const { reads, serves, control } = createControlledStore(first);
    control.delay = sleep(READ_TIMEOUT_MS - 1);
    const served = serves(1_250, 1);
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS - 1);
    await served;
    vi.advanceTimersByTime(STATE_MAX_AGE_MS - READ_TIMEOUT_MS + 1);
    await serves(1_250, 1);
    expect(reads).toEqual(["state and block 1", "state"]);
  });

  test.each([
    [STATE_MAX_AGE_MS + 900, 1_250, "immediately if the refresh starts soon after the expiry"],
    [3_600_000, 700, "after the refresh if the instance was idle for longer"],
  ])(
    "%i ms after the read of the state, a second request gets the load of %i records, %s",
    async (idle, count) => {
      const { serves, reads, control } = await createWarmInstance();
      control.state = replaced;
      control.delay = sleep(idle + 1);
      vi.advanceTimersByTime(idle);
      const refreshing = serves(700, 1);
      const second = serves(count, 2);
      await vi.advanceTimersByTimeAsync(1);
      await Promise.all([refreshing, second]);
      expect(reads, "the state is read once").toEqual(["state", "block 1"]);
    },
  );
});

test("a load is visible within 9 seconds if the store is slow but healthy", async () => {
  const ages: number[] = [];
  for (let idle = 4_000; idle <= 8_000; idle += 100) {
    const { read, control } = await createWarmInstance();
    Object.assign(control, { state: replaced, delayMs: READ_TIMEOUT_MS - 1 });
    vi.advanceTimersByTime(idle);
    const responses = [];
    for (let age = idle; age < 15_000; age += 200) {
      responses.push(read(1).then(({ count }) => count === first.count && ages.push(age)));
      await vi.advanceTimersByTimeAsync(200);
    }
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
    await Promise.all(responses);
  }
  expect(Math.max(...ages)).toBeLessThan(9_000);
  expect(Math.max(...ages), "no lower limit would be true").toBeGreaterThan(8_500);
});

describe("a failing store", () => {
  test("is read at most once every few seconds, while cached pages are served immediately", async () => {
    const { cache, read, reads, serves, control } = await createWarmInstance();
    control.fails = true;
    expireState();
    await serves(1_250, ...Array(10).fill(1));
    expect(await cache.getState(waitUntil)).toEqual(first);
    expect(reads).toEqual(["state"]);
    expect(console.error, "the log reports the failure once").toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(STATE_MAX_AGE_MS);
    await serves(1_250, ...Array(10).fill(1));
    expect(reads).toEqual(["state", "state"]);
    await expect(read(60), "a page that is not cached").rejects.toThrow("the store fails");
  });
});

test.each(KINDS)(
  "if %s loses the state of a load, reading the state fails until the next load",
  async (kind) => {
    const { read, serves, control } = await createWarmInstance(first, kind);
    control.state = NOTHING_LOADED;
    expireState();
    await serves(1_250, 1, 45);
    await expect(read(85)).rejects.toThrow("The store has no state, although it had load 1250-from-0");
    control.state = makeState(700);
    expireState();
    await serves(700, 1);
  },
);

test.each(KINDS)("a damaged or missing block of %s causes errors only for its own pages", async (kind) => {
  const { read, serves, control } = createControlledStore(first, kind);
  control.damaged = 7;
  for (const page of ["last", 81] as const)
    await expect(read(page)).rejects.toThrow("Block 7 is damaged: it is not a JSON array");
  await serves(1_250, 70);
  Object.assign(control, { damaged: undefined, hidden: first.load });
  await expect(read("last")).rejects.toThrow("Block 7 of load 1250-from-0 is missing");
  await serves(1_250, 70);
  control.state = replaced;
  // The missing block shows that the cached state is too old, although the state has not expired.
  await serves(700, 45, 1);
});

describe("a page past the end", () => {
  test("is confirmed by the primary database, which is read at most once a second", async () => {
    const { read, reads } = createControlledStore(first);
    for (let request = 0; request < 5; request++) {
      expect(await read(85)).toEqual(NO_PAGE);
      vi.advanceTimersByTime(100);
    }
    expect(reads).toEqual(["state and block 7", "state and block 7 (primary)"]);
    vi.advanceTimersByTime(CONFIRMATION_MAX_AGE_MS);
    expect(await read(99)).toEqual(NO_PAGE);
    expect(reads.slice(2)).toEqual(["state and block 8 (primary)"]);
  });

  test("is an error if the primary database fails, which is read once", async () => {
    const { read, reads, control } = await createWarmInstance();
    control.fails = true;
    await expect(read(85)).rejects.toThrow("the store fails");
    expect(reads).toEqual(["state and block 7 (primary)"]);
  });

  test("is confirmed by a later read if the first read hangs", async () => {
    const { read, control } = await createWarmInstance();
    control.delay = new Promise(() => {});
    const waiting = read(85);
    await vi.advanceTimersByTimeAsync(JOIN_WINDOW_MS);
    control.delay = Promise.resolve();
    expect(await read(85)).toEqual(NO_PAGE);
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
    expect(await waiting).toEqual(NO_PAGE);
  });
});

describe("concurrent requests", () => {
  test.each([
    ["d1", ["state and block 3", "block 5"]],
    ["kv", ["state", "block 3", "block 5"]],
  ] as const)("for the same block of %s read it once, and fail together", async (kind, expected) => {
    const { read, reads, control } = createControlledStore(first, kind);
    await Promise.all(Array.from({ length: 50 }, () => read(30)));
    control.fails = true;
    const failures = await Promise.allSettled([read(59), read(60)]);
    expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(reads).toEqual(expected);
  });

  test("get the latest state after their wait, even if their own read hangs", async () => {
    const { read, serves, control } = await createWarmInstance(makeState(15));
    vi.advanceTimersByTime(3_600_000);
    Object.assign(control, { state: makeState(600, 2), delay: new Promise(() => {}) });
    const waiting = serves(600, 1, 2);
    await vi.advanceTimersByTimeAsync(JOIN_WINDOW_MS);
    control.delay = Promise.resolve();
    await serves(600, 20);
    expect(await read(1_000)).toEqual(NO_PAGE);
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
    await waiting;
  });

  test("for pages past the end in many blocks read the primary database once", async () => {
    const { read, reads } = await createWarmInstance();
    const pages = Array.from({ length: 200 }, (_, index) => read(100 + 10 * index));
    expect(await Promise.all(pages)).toEqual(Array(200).fill(NO_PAGE));
    expect(reads).toEqual(["state and block 8 (primary)"]);
  });

  test("do not get the state of a slow confirmation if a newer state is cached", async () => {
    const { read, serves, control } = await createWarmInstance(makeState(15));
    vi.advanceTimersByTime(STATE_MAX_AGE_MS - 500);
    control.delay = sleep(900);
    const slow = read(2);
    await vi.advanceTimersByTimeAsync(500);
    Object.assign(control, { state: makeState(600, 2), delay: Promise.resolve() });
    await serves(600, 1);
    await vi.advanceTimersByTimeAsync(400);
    expect(await slow).toMatchObject({ count: 600, number: 2 });
    await serves(600, 1);
  });
});

test.each(KINDS)("statistics of %s are read once for each load", async (kind) => {
  const { cache, reads, control } = createControlledStore(first, kind);
  const read = async () => (await cache.getStatistics(waitUntil)).statistics.days.length;
  const days = await read();
  expect(days).toBeGreaterThan(1);
  reads.length = 0;
  expireState();
  expect(await read()).toBe(days);
  expect(reads).toEqual(["state"]);
  control.state = replaced;
  expireState();
  expect(await read()).toBeLessThan(days);
  control.fails = true;
  expireState();
  expect((await cache.getStatistics(waitUntil)).state).toEqual(replaced);
  control.fails = false;
  const next = makeState(900, 3);
  Object.assign(control, { state: next, hidden: next.load });
  vi.advanceTimersByTime(STATE_MAX_AGE_MS);
  await expect(read()).rejects.toThrow("Block 0 of load 900-from-0 is missing");
});
