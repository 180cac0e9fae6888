import { beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { createCachedStore } from "../../src/store/cached-store.ts";
import type { Store } from "../../src/store/store.ts";
import { createControlledStore, makeSnapshot } from "../support/controlled-store.ts";
import { readPage } from "../support/reader.ts";
import { encodeBlocks, makeRecords } from "../support/sample-records.ts";

// A snapshot is served for 5 s from the start of its read, and for 1 s more while one request reads it again. A read takes at most 3 s.

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

const first = makeSnapshot(1_250);
const next = makeSnapshot(700);
const KINDS = ["d1", "kv"] as const;

/** Creates an instance that has read the first page. */
async function createWarmInstance(snapshot = first) {
  const instance = createControlledStore(snapshot);
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

  test("an instance without caches keeps no block, not even one that was read with the snapshot", async () => {
    const { serves, reads } = createControlledStore(first, "d1", { blocks: 0, pages: 0 });
    await serves(1_250, 1, 1);
    expect(reads).toEqual(["current", "block 1"]);
  });

  test("an instance caches 256 blocks and 1,000 pages by default", async () => {
    const [block] = encodeBlocks(makeRecords(BLOCK_SIZE));
    const snapshot = { ...first, count: 1_001 * BLOCK_SIZE };
    const readBlocks = vi.fn<Store["readBlocks"]>(async () => [block!.text]);
    const cache = createCachedStore({ readCurrent: async () => ({ snapshot }), readBlocks });
    /** Reads a page of a block, which has 13 pages. */
    const read = (block: number, page: number) => readPage(cache, 13 * (block - 1) + page);
    for (let number = 1; number <= 1_001; number++) await read(number, 1);
    readBlocks.mockClear();
    await read(2, 1);
    await read(746, 2);
    expect(readBlocks, "for the 1,000 latest pages, and the 256 latest blocks").not.toHaveBeenCalled();
    await read(1, 1);
    await read(745, 2);
    expect(readBlocks.mock.calls).toEqual([1, 745].map((number) => [snapshot.id, [number]]));
  });

  test("a page whose records are not needed reads no block", async () => {
    const { cache, reads } = createControlledStore(first);
    const page = await cache.findPage(30, { matchesCopy: () => true });
    expect(page).toMatchObject({ location: { number: 30 }, kind: "not modified" });
    expect(reads).toEqual(["current"]);
  });
});

describe("after the expiry of the snapshot", () => {
  test("its age starts with its read, not with the response of the store", async () => {
    const { reads, serves, control } = createControlledStore(first);
    control.delayMs = 2_999;
    vi.setTimerTickMode("nextTimerAsync");
    await serves(1_250, 1);
    vi.advanceTimersByTime(2_000);
    await serves(1_250, 1);
    expect(reads).toEqual(["current"]);
    vi.advanceTimersByTime(1);
    await serves(1_250, 1);
    expect(reads).toEqual(["current", "current"]);
  });

  test.each([
    ["is served immediately if the expiry was within a second", 5_900, 1_250, ["current"]],
    ["waits for its own read if the instance was idle for longer", 3_600_000, 700, ["current", "current"]],
  ])("a second request %s", async (_, idleMs, count, expected) => {
    const { serves, reads, control } = await createWarmInstance();
    Object.assign(control, { current: next, delayMs: 100 });
    vi.advanceTimersByTime(idleMs);
    await Promise.all([serves(700, 1), serves(count, 2), vi.advanceTimersByTimeAsync(100)]);
    expect(reads).toEqual(expected);
  });

  test("it is read again if the request that reads it ends without notice", async () => {
    const { serves, reads, control } = await createWarmInstance();
    vi.advanceTimersByTime(5_000);
    control.delayMs = 2_999;
    void serves(700, 1);
    Object.assign(control, { current: next, delayMs: undefined });
    // Runs no timer: the runtime drops those of a request together with its work.
    vi.setSystemTime(Date.now() + 3_000);
    await serves(700, 1);
    expect(reads).toEqual(["current", "current"]);
  });

  test("a load is visible within 9 seconds if the store is slow but healthy", async () => {
    for (let idleMs = 4_000; idleMs <= 8_000; idleMs += 100) {
      const { read, control } = await createWarmInstance();
      Object.assign(control, { current: next, delayMs: 2_999 });
      vi.advanceTimersByTime(idleMs);
      const counts: Promise<number | undefined>[] = [];
      for (let ageMs = idleMs; ageMs < 15_000; ageMs += 200) {
        const count = read(1).then((page) => page?.count);
        if (ageMs >= 9_000) counts.push(count);
        await vi.advanceTimersByTimeAsync(200);
      }
      await vi.advanceTimersByTimeAsync(2_999);
      expect(new Set(await Promise.all(counts))).toEqual(new Set([700]));
    }
  });
});

test("of two reads, the one that started later is cached, and the other one keeps its snapshot with its block", async () => {
  const { serves, control } = createControlledStore(first);
  control.delayMs = 900;
  const slow = serves(1_250, 84);
  await vi.advanceTimersByTimeAsync(500);
  Object.assign(control, { current: next, delayMs: undefined, hidden: "of-1250" });
  await serves(700, 1);
  await vi.advanceTimersByTimeAsync(400);
  await slow;
  control.hidden = undefined;
  await serves(700, 1);
});

describe("a failing store", () => {
  test("is read at most once every few seconds, while cached pages are served immediately", async () => {
    const { read, reads, serves, control } = await createWarmInstance();
    control.fails = true;
    vi.advanceTimersByTime(5_000);
    await serves(1_250, ...Array(10).fill(1));
    expect(reads).toEqual(["current"]);
    expect(console.error, "the log reports the failure once").toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(5_000);
    await serves(1_250, ...Array(10).fill(1));
    expect(reads).toEqual(["current", "current"]);
    await expect(read(60), "a page that is not cached").rejects.toThrow("the store fails");
  });

  test("does not make a snapshot fresh again that was read after the failing read had begun", async () => {
    const { serves, reads, control } = await createWarmInstance();
    vi.advanceTimersByTime(6_000);
    Object.assign(control, { fails: true, delayMs: 2_900 });
    const failing = serves(700, 1);
    vi.advanceTimersByTime(100);
    Object.assign(control, { fails: false, delayMs: undefined, current: next });
    await serves(700, 1);
    await vi.advanceTimersByTimeAsync(2_800);
    await failing;
    await vi.advanceTimersByTimeAsync(2_200);
    await serves(700, 1);
    expect(reads).toEqual(["current", "current", "current"]);
  });

  test("causes an error after three seconds if the read of a block, the statistics or the first snapshot hangs", async () => {
    const warm = await createWarmInstance();
    const cold = createControlledStore(first);
    warm.control.delayMs = 3_600_000;
    cold.control.delayMs = 3_600_000;
    vi.setTimerTickMode("nextTimerAsync");
    for (const read of [() => warm.read(60), () => warm.cache.getStatistics(), () => cold.read(1)]) {
      const startedAt = Date.now();
      await expect(read()).rejects.toThrow("did not respond");
      expect(Date.now() - startedAt).toBe(3_000);
    }
  });
});

describe("a page past the end", () => {
  test("needs a snapshot that was read at most a second before the request", async () => {
    const { read, reads } = createControlledStore(first);
    for (let request = 0; request < 5; request++) {
      expect(await read(85)).toBeUndefined();
      vi.advanceTimersByTime(200);
    }
    expect(reads).toEqual(["current"]);
    expect(await read(99)).toBeUndefined();
    expect(reads).toEqual(["current", "current"]);
  });

  test("is served if the next snapshot has it", async () => {
    const { serves, control } = await createWarmInstance(makeSnapshot(15));
    control.current = next;
    vi.advanceTimersByTime(1_000);
    await serves(700, 45);
  });
});

test.each(KINDS)("a damaged or missing block of %s causes errors only for its own pages", async (kind) => {
  const { read, reads, serves, control } = createControlledStore(first, kind);
  control.damaged = 7;
  for (const page of ["last", 81] as const) await expect(read(page)).rejects.toThrow("Block 7 is damaged");
  expect(reads.filter((name) => name === "current")).toHaveLength(1);
  await serves(1_250, 70);
  Object.assign(control, { damaged: undefined, hidden: "of-1250" });
  vi.advanceTimersByTime(5_000);
  await expect(read("last")).rejects.toThrow("Block 7 of snapshot of-1250 is missing");
  await serves(1_250, 70);
  control.current = next;
  // The missing block shows that the cached snapshot was replaced, although it has not expired.
  await serves(700, 45, 1);
});

test("statistics are read once for each snapshot, come with its current time, and survive a failure of the store", async () => {
  const { cache, reads, control } = createControlledStore(first);
  const readSnapshot = async () => (await cache.getStatistics()).snapshot;
  expect(await readSnapshot()).toEqual(first);
  control.current = { ...first, loaded_at: "2025-01-02T00:00:00.000Z" };
  vi.advanceTimersByTime(5_000);
  expect(await readSnapshot()).toEqual(control.current);
  expect(reads).toEqual(["current", "block 0", "current"]);
  control.current = next;
  vi.advanceTimersByTime(5_000);
  expect(await readSnapshot()).toEqual(next);
  control.fails = true;
  vi.advanceTimersByTime(5_000);
  expect(await readSnapshot()).toEqual(next);
  Object.assign(control, { fails: false, current: makeSnapshot(900), hidden: "of-900" });
  vi.advanceTimersByTime(5_000);
  await expect(readSnapshot()).rejects.toThrow("Block 0 of snapshot of-900 is missing");
});
