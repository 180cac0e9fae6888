import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CURRENT_SNAPSHOT_KEY, getBlockKey } from "../../src/store/kv.ts";
import { FORMAT, parseSnapshot } from "../../src/store/snapshot.ts";
import {
  createWritableKvStore,
  DEPLOYED_KV,
  LOCAL_KV,
  type WritableNamespace,
} from "../../tools/data/stores/kv-writer.ts";
import { createSnapshotId, undoLoad } from "../../tools/data/stores/writer.ts";
import { makeNewestFirst, readAll } from "../support/reader.ts";
import { DEPLOYED_WITHOUT_LAG, listSnapshots, loadRecords, openLocalStores } from "../support/stores.ts";

const records = makeNewestFirst(600);
const stores = await openLocalStores();
const { namespace } = stores;
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(async () => {
  vi.useRealTimers();
  await stores.clear();
});

const advanceTime = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

/** Returns `done` or the message of the error. */
const describeOutcome = (work: Promise<unknown>) => work.then(() => "done").catch(({ message }) => message);

/**
 * Opens the namespace with a hook.
 * @param beforePut Called before the write of each key; if it returns false, the key is lost
 */
function watchPuts(beforePut: (key: string) => unknown): WritableNamespace {
  const put: WritableNamespace["put"] = async (pairs) => {
    for (const pair of pairs) {
      if ((await beforePut(pair.key)) !== false) await namespace.put([pair]);
    }
  };
  return { ...namespace, put, batchBytes: 1 };
}

const openDeployed = (opened: WritableNamespace) => createWritableKvStore(opened, DEPLOYED_WITHOUT_LAG);

test("a load writes a key for each block, waits until all keys are visible, and then writes the current snapshot", async () => {
  vi.useFakeTimers().setTimerTickMode("nextTimerAsync");
  const startedAt = Date.now();
  const written: [afterMs: number, key: string][] = [];
  const namespace = watchPuts((key) =>
    written.push([Date.now() - startedAt, key.replace(/^block\/[0-9a-z]{19}\//, "")]),
  );
  const [onProgress, onWait] = [vi.fn(), vi.fn()];
  await loadRecords(createWritableKvStore(namespace, DEPLOYED_KV), records, { onProgress, onWait });
  const blocks = ["1", "2", "3", "4", "0"].map((number) => [0, number]);
  expect(written).toEqual([...blocks, [70_000, CURRENT_SNAPSHOT_KEY]]);
  expect(onProgress.mock.calls.flat(), "a batch for each block").toEqual([195, 390, 585, 600, 600]);
  expect(onWait).toHaveBeenCalledExactlyOnceWith(70);
});

test.each([
  ["writes only lost blocks again", ["1", "3"], "done", 2],
  ["is rejected if a block is lost twice, and removes its blocks", ["0", "2", "2"], /^The store lost/, 1],
])("a load %s", async (_, lost, outcome, snapshots) => {
  await loadRecords(stores.open("kv"), records.slice(0, 20));
  const again = [...new Set(lost)].sort();
  const written: string[] = [];
  const lossy = watchPuts((key) => {
    const number = key.replace(/^block.*\//, "");
    written.push(number);
    const index = lost.indexOf(number);
    if (index < 0) return true;
    lost.splice(index, 1);
    return false;
  });
  const onWarning = vi.fn();
  expect(await describeOutcome(loadRecords(openDeployed(lossy), records, { onWarning }))).toMatch(outcome);
  expect(onWarning).toHaveBeenCalledOnce();
  expect(written.slice(5, 7).sort()).toEqual(again);
  expect(await listSnapshots(stores, "kv")).toHaveLength(snapshots);
  const served = outcome === "done" ? records : records.slice(0, 20);
  expect((await readAll(stores.open("kv"))).records).toEqual(served);
});

test("a load whose write fails after a part of a batch removes this part", async () => {
  const put: WritableNamespace["put"] = async (pairs) => {
    await namespace.put(pairs.slice(0, 2));
    throw new Error("the connection is lost");
  };
  const loading = loadRecords(openDeployed({ ...namespace, put }), records);
  await expect(loading).rejects.toThrow("the connection is lost");
  expect(await namespace.list("")).toEqual([]);
});

test.each<[string, shown: ("old" | "new" | "other")[], outcome: string | RegExp]>([
  ["succeeds if its switch is visible late", ["old", "new"], "done"],
  ["has an unknown outcome if a different snapshot is visible", ["old", "other"], /does not show the new/],
])("a load %s", async (_, shown, outcome) => {
  await loadRecords(stores.open("kv"), records.slice(0, 20));
  const [old = null] = await namespace.get([CURRENT_SNAPSHOT_KEY], 60);
  const other = JSON.stringify({ ...JSON.parse(String(old)), id: "other" });
  let isSwitched = false;
  const late: WritableNamespace = {
    ...watchPuts((key) => {
      isSwitched ||= key === CURRENT_SNAPSHOT_KEY;
    }),
    async get(keys, cacheTtl) {
      const [stored = null] = await namespace.get(keys, cacheTtl);
      return [{ old, other, new: stored }[(isSwitched && shown.shift()) || "new"]];
    },
  };
  expect(await describeOutcome(loadRecords(openDeployed(late), records))).toMatch(outcome);
  expect([shown, (await listSnapshots(stores, "kv")).length], "nothing is removed").toEqual([[], 2]);
});

test("a load whose switch got no answer waits again before it looks at the current snapshot", async () => {
  vi.useFakeTimers().setTimerTickMode("nextTimerAsync");
  const startedAt = Date.now();
  const put: WritableNamespace["put"] = async (pairs) => {
    await namespace.put(pairs);
    if (pairs.some(({ key }) => key === CURRENT_SNAPSHOT_KEY)) throw new Error("no answer");
  };
  await loadRecords(createWritableKvStore({ ...namespace, put }, DEPLOYED_KV), records);
  expect(Date.now() - startedAt).toBe(2 * 70_000);
});

test("a sweep keeps foreign keys, both snapshots of a switch, all others for a while, and the blocks of loads that may be running", async () => {
  const store = stores.open("kv");
  const expectAfterSweep = async (milliseconds: number, loads: string[]) => {
    advanceTime(milliseconds);
    await store.sweep();
    expect(await listSnapshots(stores, "kv")).toEqual(loads.sort());
  };
  const orphaned = createSnapshotId(Date.now());
  for (const key of ["notes/2019/1", getBlockKey(orphaned, 1)]) await namespace.put([{ key, value: "" }]);
  await expectAfterSweep(2 * DEPLOYED_KV.orphanAgeMs, [orphaned]);
  const previous = await loadRecords(store, records);
  const running = createSnapshotId(Date.now());
  await namespace.put([{ key: getBlockKey(running, 1), value: "" }]);
  const served = await loadRecords(store, records);
  await expectAfterSweep(DEPLOYED_KV.sweepDelayMs - 1, [orphaned, previous, running, served]);
  await expectAfterSweep(1, [previous, running, served]);
  await expectAfterSweep(DEPLOYED_KV.orphanAgeMs - DEPLOYED_KV.sweepDelayMs, [previous, running, served]);
  await expectAfterSweep(1, [previous, served]);
  await expectAfterSweep(-DEPLOYED_KV.orphanAgeMs, [previous, served]);
  advanceTime(3 * DEPLOYED_KV.orphanAgeMs);
  await undoLoad(store);
  await expectAfterSweep(DEPLOYED_KV.sweepDelayMs - 1, [previous, served]);
  await expectAfterSweep(1, [previous]);
  expect(await namespace.list("")).toContain("notes/2019/1");
});

test.each([undefined, "yesterday"])("a sweep keeps all blocks if the last switch was at %j", async (at) => {
  const replaced = createSnapshotId(Date.now() - 2 * DEPLOYED_KV.orphanAgeMs);
  const current = { format: FORMAT, id: "current", count: 0, loaded_at: null, source: "", switched_at: at };
  await namespace.put([
    { key: getBlockKey(replaced, 1), value: "" },
    { key: CURRENT_SNAPSHOT_KEY, value: JSON.stringify(current) },
  ]);
  await stores.open("kv").sweep();
  expect(await listSnapshots(stores, "kv")).toEqual([replaced]);
});

test.each([{ format: FORMAT }, { format: FORMAT + 1 }, "text"])(
  "the current snapshot is used although the previous one is %j",
  async (previous) => {
    const store = stores.open("kv");
    const id = await loadRecords(store, records);
    const [text] = await namespace.get([CURRENT_SNAPSHOT_KEY], 30);
    const value = JSON.stringify({ ...JSON.parse(String(text)), previous });
    await namespace.put([{ key: CURRENT_SNAPSHOT_KEY, value }]);
    expect(await undoLoad(store)).toBeUndefined();
    await loadRecords(store, records);
    expect(await store.readPrevious()).toMatchObject({ id });
  },
);

test("a load into a local namespace first removes unfinished loads and the previous snapshot, and then keeps the replaced one", async () => {
  const seen: string[][] = [];
  const namespace = watchPuts(async () => seen.push(await listSnapshots(stores, "kv")));
  const store = createWritableKvStore(namespace, LOCAL_KV);
  await loadRecords(store, records);
  const second = await loadRecords(store, records);
  await namespace.put([{ key: getBlockKey(createSnapshotId(Date.now()), 1), value: "" }]);
  const third = await loadRecords(store, records.slice(0, 10), { onProgress: () => seen.splice(0) });
  expect(seen[0]).toEqual([second, third].sort());
  expect(await store.readPrevious()).toMatchObject({ id: second });
  await loadRecords(store, records);
  expect(await store.readPrevious()).toMatchObject({ id: third });
});

const FORMATTED = (format: string) => `{"format":${format},"id":"a","count":1,"loaded_at":null,"source":""}`;
const OTHER_VERSION = /made by another version/;
const DAMAGED = /^The current snapshot is damaged: /;
const LONG = "x".repeat(200);
/** The message quotes the first 100 characters. */
const quoting = (text: string) =>
  `The current snapshot is damaged: ${text.slice(0, 100)}. Load the records again.`;

// biome-ignore format: a table of cases
test.each<[string, text: string, message: string | RegExp]>([
  ["text that is not JSON", "no JSON", DAMAGED],
  ["null", "null", DAMAGED],
  ["no source", '{"format":1,"id":"a","count":1,"loaded_at":null}', DAMAGED],
  ["a count that is not whole", '{"format":1,"id":"a","count":1.5,"loaded_at":null,"source":""}', DAMAGED],
  ["a time that is a number", '{"format":1,"id":"a","count":1,"source":"","loaded_at":1}', DAMAGED],
  ...["0", '"1"', "2", "null"].map((format): [string, string, RegExp] => [`the format ${format}`, FORMATTED(format), OTHER_VERSION]),
  ["a long text", LONG, quoting(LONG)],
  ["long JSON", JSON.stringify({ format: FORMAT, id: LONG }), quoting(JSON.stringify({ format: FORMAT, id: LONG }))],
])("a current snapshot with %s is refused", (_, text, message) => expect(() => parseSnapshot(text)).toThrow(message));
