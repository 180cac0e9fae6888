import { beforeEach, describe, expect, test, vi } from "vitest";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { CURRENT_SNAPSHOT_KEY } from "../../src/store/kv.ts";
import { FORMAT, UnusableSnapshotError } from "../../src/store/snapshot.ts";
import { STORE_NAMES } from "../../tools/data/stores/configuration.ts";
import { createWritableD1Store } from "../../tools/data/stores/d1-writer.ts";
import { createWritableKvStore, DEPLOYED_KV } from "../../tools/data/stores/kv-writer.ts";
import {
  RejectedSwitchError,
  UnknownOutcomeError,
  undoLoad,
  type WritableStore,
} from "../../tools/data/stores/writer.ts";
import { makeNewestFirst, readAll } from "../support/reader.ts";
import {
  DEPLOYED_WITHOUT_LAG,
  interceptCalls,
  listSnapshots,
  loadRecords,
  openLocalStores,
} from "../support/stores.ts";

const all = makeNewestFirst(2_000);
const EARLIER = all.slice(1_500, 1_500 + BLOCK_SIZE + 20);
const BEFORE = all.slice(0, BLOCK_SIZE + 10);
const ONE = all.slice(500, 500 + 2 * BLOCK_SIZE + 20);
const OTHER = all.slice(1_000, 1_000 + BLOCK_SIZE + 5);

type Command = "load" | "load of the sample data" | "undo" | "sweep";
const COMMANDS: Command[] = ["load", "load of the sample data", "undo", "sweep"];

/** Runs what a command does to a store. */
async function runCommand(command: Command, store: WritableStore, records: TrafficRecord[]): Promise<void> {
  if (command === "sweep") return store.sweep();
  if (command !== "undo")
    return void (await loadRecords(store, records, { onlyIfEmpty: command === "load of the sample data" }));
  const undone = await undoLoad(store);
  if (undone === undefined) throw new RejectedSwitchError("There is nothing to undo.");
}

interface Ended {
  command: Command;
  records: TrafficRecord[];
  outcome: unknown;
}

/** Lists the collections that commands leave if they run one after another. One with an unknown outcome may have done nothing. */
function listPossible(loaded: TrafficRecord[][], ended: Ended[]): string[] {
  if (ended.length === 0) return [joinIds(loaded.at(-1) ?? [])];
  return ended.flatMap((first) => {
    const others = ended.filter((other) => other !== first);
    const unchanged = first.outcome === "done" ? [] : listPossible(loaded, others);
    if (first.outcome !== "done" && !isUnknown(first.outcome)) return unchanged;
    return [...listPossible(apply(first, loaded), others), ...unchanged];
  });
}

/** Applies a command to the loads that are kept: the previous one and the current one. */
function apply({ command, records }: Ended, loaded: TrafficRecord[][]): TrafficRecord[][] {
  if (command === "undo") return loaded.length > 1 ? loaded.slice(0, 1) : loaded;
  const isIgnored = command === "sweep" || (command === "load of the sample data" && loaded.length > 0);
  return isIgnored ? loaded : [...loaded, records].slice(-2);
}

/** The failures of a writer at one step. After a crash, all its steps fail. */
const FAILURES = ["continues", "loses the result of a step", "crashes before a step", "crashes after a step"];

/** The duration of a step. */
const STEP_MS = 2_000;

class SimulatedError extends Error {}

/**
 * Called instead of each operation of a store on its database or namespace.
 * @param operate Runs the operation
 */
type OnStep = (operate: () => Promise<unknown>) => Promise<unknown>;

// The served collection is complete, whatever two writers of a store do at the same time.
describe.each(STORE_NAMES)("in the store %s,", async (name) => {
  const stores = await openLocalStores();
  const store = stores.open(name);
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));

  const advanceTime = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

  /** Opens the store with a hook. Blocks are written one at a time, so that there are many steps. */
  const openStepwise = (onStep: OnStep): WritableStore =>
    name === "d1"
      ? createWritableD1Store({ ...interceptCalls(stores.database, onStep), batchBytes: 1 })
      : createWritableKvStore(
          { ...interceptCalls(stores.namespace, onStep), batchBytes: 1 },
          DEPLOYED_WITHOUT_LAG,
        );

  /** Clears the store, and loads records as often as told. Then enough time passes that these loads have no effect. */
  async function prepare(...loaded: TrafficRecord[][]): Promise<void> {
    await stores.clear();
    for (const records of loaded) await loadRecords(store, records);
    advanceTime(2 * DEPLOYED_KV.sweepDelayMs);
  }

  /** Runs a command, and a second one before step `at` of the first. After every step, the served collection must be complete. */
  async function runBoth(at: number, failure: string, first: Command, second: Command) {
    let step = 0;
    let isCrashed = false;
    let secondOutcome: unknown = "did not run";
    const onStep: OnStep = async (operate) => {
      if (isCrashed) throw new SimulatedError("crashed");
      await readAll(store);
      advanceTime(STEP_MS);
      if (++step !== at) return operate();
      secondOutcome = await getOutcome(runCommand(second, store, OTHER));
      isCrashed = failure.startsWith("crashes");
      return applyFailure(failure, operate);
    };
    const outcome = await getOutcome(runCommand(first, openStepwise(onStep), ONE));
    return { outcome, secondOutcome, steps: step };
  }

  const pairs = COMMANDS.flatMap((first) => COMMANDS.map((second) => ({ first, second })));
  const cases = pairs.flatMap(({ first, second }) =>
    FAILURES.flatMap((failure) =>
      [[], [EARLIER, BEFORE]].map((loaded) => ({ first, second, failure, loaded, loads: loaded.length })),
    ),
  );

  // Only in D1: the tests of KV below, and those in kv.test.ts, notice the same mistakes.
  test.each(name === "d1" ? cases : [])(
    "the served collection is complete if, after $loads loads, a $first meets a $second at any step and $failure",
    async ({ first, second, loaded, failure }) => {
      await prepare(...loaded);
      const { steps } = await runBoth(0, failure, first, second);
      expect(steps).toBeGreaterThan(0);
      for (let at = 1; at <= steps; at++) {
        await prepare(...loaded);
        const { outcome, secondOutcome } = await runBoth(at, failure, first, second);
        const ended = [
          { command: first, records: ONE, outcome },
          { command: second, records: OTHER, outcome: secondOutcome },
        ];
        const served = joinIds((await readAll(store)).records);
        const description = `step ${at} of ${steps}: ${outcome}, ${secondOutcome}`;
        expect(listPossible(loaded, ended), description).toContain(served);
        const areLoads = ended.every(({ command }) => command.startsWith("load"));
        if (loaded.length === 0 && areLoads && failure === "continues")
          expect([outcome, secondOutcome], "at least one load succeeds").toContain("done");
        await undoLoad(store);
        await readAll(store);
        // The next load and a later sweep repair the store.
        advanceTime(2 * DEPLOYED_KV.orphanAgeMs);
        const next = await loadRecords(store, BEFORE);
        expect(joinIds((await readAll(store)).records)).toBe(joinIds(BEFORE));
        advanceTime(2 * DEPLOYED_KV.orphanAgeMs);
        await store.sweep();
        expect(await listSnapshots(stores, name)).toEqual([next]);
      }
    },
  );

  test("an undo restores what the last load has replaced, with its time and source, and a second one finds nothing", async () => {
    await prepare();
    expect(await undoLoad(store)).toBeUndefined();
    await loadRecords(store, BEFORE);
    const before = await readAll(store);
    expect(await undoLoad(store)).toBeUndefined();
    for (const records of [ONE, OTHER]) {
      advanceTime(STEP_MS);
      const id = await loadRecords(store, records);
      await expect(store.switchBack(Object(before.snapshot))).rejects.toThrow(RejectedSwitchError);
      expect(await undoLoad(store)).toMatchObject({ undone: { id }, restored: before.snapshot });
      expect(await readAll(store)).toEqual(before);
      expect(await undoLoad(store)).toBeUndefined();
    }
  });

  test("snapshots have different ids, even if they start in the same millisecond or with a slow clock", async () => {
    await prepare(BEFORE);
    const { id } = (await store.readCurrent()).snapshot;
    advanceTime(-DEPLOYED_KV.orphanAgeMs);
    const ids = [await loadRecords(store, ONE), await loadRecords(store, ONE)];
    expect(new Set([id, ...ids])).toHaveLength(3);
    expect((await store.readCurrent()).snapshot.id).toBe(ids[1]);
    // In KV, a load that may be running is not removed.
    expect(await listSnapshots(stores, name)).toEqual(name === "d1" ? ids.toSorted() : [...ids, id].sort());
  });

  test("a load of the sample data is rejected after any load, and removes no blocks of others, because they may be running", async () => {
    await prepare();
    await store.write("0running", [{ number: 1, text: "" }]);
    const seed = await loadRecords(store, [], { onlyIfEmpty: true });
    const loading = loadRecords(store, ONE, { onlyIfEmpty: true });
    await expect(loading).rejects.toThrow(RejectedSwitchError);
    expect(await listSnapshots(stores, name)).toEqual([seed, "0running"].sort());
  });

  const negative = { format: FORMAT, id: "a", count: -1, loaded_at: null, source: "" };
  const damage = {
    d1: ["DELETE FROM snapshot", "UPDATE snapshot SET format = 0"],
    kv: ["no JSON", JSON.stringify(negative), JSON.stringify({ ...negative, format: 0, count: 0 })],
  };
  test.each(damage[name])("a load replaces a current snapshot that cannot be used: %s", async (written) => {
    await prepare(BEFORE);
    if (name === "d1") await stores.database.write([written]);
    else await stores.namespace.put([{ key: CURRENT_SNAPSHOT_KEY, value: written }]);
    await expect(store.readCurrent()).rejects.toThrow(UnusableSnapshotError);
    await loadRecords(store, ONE);
    expect((await readAll(store)).records).toEqual(ONE);
    expect(await store.readPrevious()).toBeUndefined();
  });

  test("a load that takes hours is rejected in KV, where clocks decide, and succeeds in D1", async () => {
    await prepare(BEFORE);
    const slow = openStepwise(async (operate) => {
      advanceTime(DEPLOYED_KV.maxLoadMs / 3);
      return operate();
    });
    const outcome = await getOutcome(loadRecords(slow, ONE));
    expect(outcome).toEqual(name === "kv" ? expect.any(RejectedSwitchError) : "done");
  });
});

async function applyFailure(failure: string, operate: () => Promise<unknown>): Promise<unknown> {
  if (failure === "crashes before a step") throw new SimulatedError(failure);
  const result = await operate();
  if (failure !== "continues") throw new SimulatedError(failure);
  return result;
}

/** Whether a failed load may have switched, because the results of its last operations are unknown. */
function isUnknown(outcome: unknown): boolean {
  return outcome instanceof UnknownOutcomeError || outcome instanceof SimulatedError;
}

/** Waits for a write. Throws its error if the error is unexpected. */
async function getOutcome(work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    () => "done",
    (error: Error) => error,
  );
  const isExpected = outcome === "done" || outcome instanceof RejectedSwitchError || isUnknown(outcome);
  if (!isExpected) throw outcome;
  return outcome;
}

function joinIds(records: readonly TrafficRecord[]): string {
  return records.map(({ id }) => id).join();
}
