import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MAX_AGE_MS, RECENT_MS } from "../../src/store/snapshot-cache.ts";
import { READ_TIMEOUT_MS } from "../../src/store/timeout.ts";
import { createControlledStore, makeSnapshot } from "./controlled-store.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const first = makeSnapshot(1_250);
const next = makeSnapshot(700);
const KINDS = ["d1", "kv"] as const;

/** Creates an instance that has read the first page. */
async function createWarmInstance(snapshot = first, kind?: "d1" | "kv") {
  const instance = createControlledStore(snapshot, kind);
  await instance.serves(snapshot.count, 1);
  instance.reads.length = 0;
  return instance;
}

describe("while the snapshot is fresh", () => {
  test.each([
    ["d1", ["current", "block 7", "block 2", "block 4", "block 5"]],
    ["kv", ["current", "block 1", "block 7", "block 2", "block 4", "block 5"]],
  ] as const)("an instance reads each block of %s once", async (kind, expected) => {
    const { read, reads, serves } = createControlledStore(first, kind);
    await serves(1_250, 1, 2, 13, 1, 84, 81);
    expect(await read("last")).toMatchObject({ count: 1_250, number: 84 });
    expect(await read(1, () => 195)).toMatchObject({ count: 1_055, number: 1 });
    expect(await read(1, () => 770)).toMatchObject({ count: 480, number: 1 });
    expect(reads).toEqual(expected);
  });

  test.each([
    ["block", { blocks: 2, pages: 0 }, [1, 25, 2, 45, 1, 26]],
    ["page", { blocks: 0, pages: 2 }, [1, 25, 1, 45, 1, 25]],
  ])("the least recently used %s is evicted when its cache is full", async (_, limits, pages) => {
    const { serves, reads } = createControlledStore(first, "kv", limits);
    await serves(1_250, ...pages);
    expect(reads).toEqual(["current", "block 1", "block 2", "block 4", "block 2"]);
  });

  test("a page that is not modified needs no block", async () => {
    const { cache, reads } = createControlledStore(first);
    const page = await cache.getPage(30, {
      isNotModified: ({ id }, { number }) => id === first.id && number === 30,
    });
    expect([page?.location.number, page?.isNotModified, reads]).toEqual([30, true, ["current"]]);
  });
});

describe("after the expiry of the snapshot", () => {
  test("its age starts with its read, not with the response of the store", async () => {
    const { reads, serves, control } = createControlledStore(first);
    control.delayMs = READ_TIMEOUT_MS - 1;
    const served = serves(1_250, 1);
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS - 1);
    await served;
    vi.advanceTimersByTime(MAX_AGE_MS - READ_TIMEOUT_MS + 1);
    const again = serves(1_250, 1);
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS - 1);
    await again;
    expect(reads).toEqual(["current", "current"]);
  });

  test.each([
    [MAX_AGE_MS + 900, 1_250, ["current"], "immediately if the expiry was within a second"],
    [3_600_000, 700, ["current", "current"], "after its own read if the instance was idle for longer"],
  ])(
    "%i ms after the read of the snapshot, a second request gets the page of %i records, %s",
    async (idle, count, expected) => {
      const { serves, reads, control } = await createWarmInstance();
      Object.assign(control, { current: next, delayMs: 100 });
      vi.advanceTimersByTime(idle);
      const served = [serves(700, 1), serves(count, 2)];
      await vi.advanceTimersByTimeAsync(100);
      await Promise.all(served);
      expect(reads).toEqual(expected);
    },
  );

  test("a load is visible within 9 seconds if the store is slow but healthy", async () => {
    const ages: number[] = [];
    for (let idle = 4_000; idle <= 8_000; idle += 100) {
      const { read, control } = await createWarmInstance();
      Object.assign(control, { current: next, delayMs: READ_TIMEOUT_MS - 1 });
      vi.advanceTimersByTime(idle);
      const responses = [];
      for (let age = idle; age < 15_000; age += 200) {
        responses.push(read(1).then((page) => page?.count === first.count && ages.push(age)));
        await vi.advanceTimersByTimeAsync(200);
      }
      await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
      await Promise.all(responses);
    }
    expect(Math.max(...ages)).toBeLessThan(9_000);
    expect(Math.max(...ages), "no lower limit would be true").toBeGreaterThan(8_500);
  });
});

test("of two reads, the one that started later counts", async () => {
  const { serves, read, control } = createControlledStore(makeSnapshot(15));
  control.delayMs = 900;
  const slow = read(2);
  await vi.advanceTimersByTimeAsync(500);
  Object.assign(control, { current: next, delayMs: undefined });
  await serves(700, 1);
  await vi.advanceTimersByTimeAsync(400);
  expect(await slow).toMatchObject({ count: 700, number: 2 });
  await serves(700, 1);
});

describe("a failing store", () => {
  test("is read at most once every few seconds, while cached pages are served immediately", async () => {
    const { read, reads, serves, control } = await createWarmInstance();
    control.fails = true;
    vi.advanceTimersByTime(MAX_AGE_MS);
    await serves(1_250, ...Array(10).fill(1));
    expect(reads).toEqual(["current"]);
    expect(console.error, "the log reports the failure once").toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(MAX_AGE_MS);
    await serves(1_250, ...Array(10).fill(1));
    expect(reads).toEqual(["current", "current"]);
    await expect(read(60), "a page that is not cached").rejects.toThrow("the store fails");
  });

  test("causes an error if nothing is cached, after three seconds if the store hangs", async () => {
    const { read, control } = createControlledStore(first);
    control.delayMs = 3_600_000;
    const failed = expect(read(1)).rejects.toThrow("The store did not respond within 3000 ms");
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
    await failed;
  });
});

test("a request ends after seven seconds, even if each read takes nearly three", async () => {
  const { read, control } = createControlledStore(first, "kv");
  Object.assign(control, { delayMs: READ_TIMEOUT_MS - 1, hidden: first.id });
  const failed = expect(read(1)).rejects.toThrow("The store did not respond within");
  await vi.advanceTimersByTimeAsync(7_000);
  await failed;
});

describe("a page past the end", () => {
  test("needs a snapshot that was read at most a second before the request", async () => {
    const { read, reads } = createControlledStore(first);
    for (let request = 0; request < 5; request++) {
      expect(await read(85)).toBeUndefined();
      vi.advanceTimersByTime(RECENT_MS / 5);
    }
    expect(reads).toEqual(["current"]);
    expect(await read(99)).toBeUndefined();
    expect(reads).toEqual(["current", "current"]);
  });

  test("is served if the next snapshot has it", async () => {
    const { serves, control } = await createWarmInstance(makeSnapshot(15));
    control.current = next;
    vi.advanceTimersByTime(RECENT_MS);
    await serves(700, 45);
  });

  test("is an error if that read fails", async () => {
    const { read, control } = await createWarmInstance();
    control.fails = true;
    vi.advanceTimersByTime(RECENT_MS);
    await expect(read(85)).rejects.toThrow("the store fails");
  });
});

test.each(KINDS)("a damaged or missing block of %s causes errors only for its own pages", async (kind) => {
  const { read, serves, control } = createControlledStore(first, kind);
  control.damaged = 7;
  for (const page of ["last", 81] as const)
    await expect(read(page)).rejects.toThrow("Block 7 is damaged: it is not a JSON array");
  await serves(1_250, 70);
  Object.assign(control, { damaged: undefined, hidden: first.id });
  vi.advanceTimersByTime(MAX_AGE_MS);
  await expect(read("last")).rejects.toThrow("Block 7 of snapshot of-1250 is missing");
  await serves(1_250, 70);
  control.current = next;
  // The missing block shows that the cached snapshot was replaced, although it has not expired.
  await serves(700, 45, 1);
});

test.each(KINDS)("statistics of %s are read once for each snapshot", async (kind) => {
  const { cache, reads, control } = createControlledStore(first, kind);
  const read = async () => (await cache.getStatistics()).statistics.days.length;
  const days = await read();
  expect(days).toBeGreaterThan(1);
  vi.advanceTimersByTime(MAX_AGE_MS);
  expect(await read()).toBe(days);
  expect(reads).toEqual(["current", "block 0", "current"]);
  control.current = next;
  vi.advanceTimersByTime(MAX_AGE_MS);
  expect(await read()).toBeLessThan(days);
  control.fails = true;
  vi.advanceTimersByTime(MAX_AGE_MS);
  expect((await cache.getStatistics()).snapshot).toEqual(next);
  Object.assign(control, { fails: false, current: makeSnapshot(900), hidden: "of-900" });
  vi.advanceTimersByTime(MAX_AGE_MS);
  await expect(read()).rejects.toThrow("Block 0 of snapshot of-900 is missing");
});
