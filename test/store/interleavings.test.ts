import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/writer/configuration.ts";
import { createWritableD1Store } from "../../data/writer/d1-writer.ts";
import {
  createWritableKvStore,
  MAX_LOAD_MS,
  ORPHAN_AGE_MS,
  SWEEP_DELAY_MS,
  type WritableNamespace,
} from "../../data/writer/kv-writer.ts";
import { RejectedSwitchError, UnknownOutcomeError, type WritableStore } from "../../data/writer/writer.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { STATE_KEY } from "../../src/store/kv.ts";
import { DamagedStateError } from "../../src/store/state.ts";
import { makeNewestFirst, readAll } from "./reader.ts";
import { interceptCalls, listLoads, loadRecords, openLocalStores } from "./stores.ts";

const all = makeNewestFirst(2_000);
const BEFORE = all.slice(0, BLOCK_SIZE + 10);
const [ONE, OTHER] = [all.slice(500, 500 + 2 * BLOCK_SIZE + 20), all.slice(1_000, 1_000 + BLOCK_SIZE + 5)];

/** What a command does to a store. */
type Write = (store: WritableStore, records: TrafficRecord[]) => Promise<unknown>;
const WRITES: Record<string, Write> = {
  load: (store, records) => loadRecords(store, records),
  "load of the seed": (store, records) => loadRecords(store, records, { onlyIfEmpty: true }),
  sweep: (store) => store.sweep(),
};

/** What happens at one step of a write: nothing, or it fails before or after its operation, or from then on nothing works. */
const FATES = ["goes on", "loses a result", "crashes before a step", "crashes after a step"];

/** What else happens in KV, although the step succeeds. */
const LOSES_PUTS = "loses what it puts";

/** How long a step takes. */
const STEP_MS = 2_000;

class LostError extends Error {}

/**
 * Called in place of each operation of a store on its database or namespace. It can run the operation, let another writer act
 * before, or fail before or after.
 */
type OnStep = (operate: () => Promise<unknown>, isPut?: boolean) => Promise<unknown>;

describe.each(STORE_NAMES)("in the store %s,", async (name) => {
  const stores = await openLocalStores();
  const store = stores.open(name);
  let now = Date.now();
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => vi.useRealTimers());

  const advanceTime = (milliseconds: number) => {
    now += milliseconds;
    vi.setSystemTime(now);
  };

  /** The store with operations that a test controls. Blocks are written and removed one by one, so that there are many steps. */
  function openStepwise(onStep: OnStep): WritableStore {
    const { database, namespace } = stores;
    if (name === "d1") return createWritableD1Store({ ...interceptCalls(database, onStep), batchBytes: 1 });
    const each = async <T>(items: T[], isPut: boolean, act: (item: T) => Promise<void>) => {
      for (const item of items) await onStep(() => act(item), isPut);
    };
    const stepwise: WritableNamespace = {
      ...interceptCalls(namespace, onStep),
      batchBytes: 1,
      // KV writes and removes each key by itself.
      put: (pairs) => each(pairs, true, (pair) => namespace.put([pair])),
      delete: (keys) => each(keys, false, (key) => namespace.delete([key])),
    };
    return createWritableKvStore(stepwise, false, 0);
  }

  /** Prepares a store into which nothing was ever loaded, or that serves records, when nothing before can be needed or running. */
  async function prepare(before: TrafficRecord[]): Promise<void> {
    advanceTime(2 * ORPHAN_AGE_MS);
    await stores.clear();
    if (before.length > 0) await loadRecords(store, before);
    advanceTime(2 * SWEEP_DELAY_MS);
  }

  /** Runs a write, and lets another one run before the operation of a step. What is served must be complete after every step. */
  async function runBoth(at: number, fate: string, victim: Write, intruder: Write) {
    let step = 0;
    let isCrashed = false;
    let intruded: unknown = "did not run";
    const onStep: OnStep = async (operate, isPut = false) => {
      if (isCrashed) throw new LostError("crashed");
      if (fate === LOSES_PUTS && !isPut) return operate();
      await readAll(store);
      advanceTime(STEP_MS);
      if (++step !== at) return operate();
      intruded = await getOutcome(intruder(store, OTHER));
      isCrashed = fate.startsWith("crashes");
      return applyFate(fate, operate);
    };
    const outcome = await getOutcome(victim(openStepwise(onStep), ONE));
    return { outcome, intruded, steps: step };
  }

  const pairs = Object.keys(WRITES).flatMap((victim) => Object.keys(WRITES).map((other) => [victim, other]));
  const starts = [[], BEFORE];
  const cases = pairs.flatMap(([victim = "", intruder = ""]) =>
    starts.flatMap((before) =>
      // A sweep puts nothing.
      (name === "kv" && victim !== "sweep" ? [...FATES, LOSES_PUTS] : FATES).map((fate) => ({
        victim,
        intruder,
        before,
        fate,
        records: before.length,
      })),
    ),
  );

  test.each(cases)(
    "a $victim over $records records that meets a $intruder at any step and $fate: all that is served is there",
    async ({ victim, intruder, before, fate }) => {
      const [first, second] = [WRITES[victim] as Write, WRITES[intruder] as Write];
      await prepare(before);
      const { steps } = await runBoth(0, fate, first, second);
      expect(steps).toBeGreaterThan(0);
      for (let at = 1; at <= steps; at++) {
        await prepare(before);
        const result = await runBoth(at, fate, first, second);
        const { records } = await readAll(store);
        const message = `step ${at} of ${steps}: ${result.outcome}, ${result.intruded}`;
        const loaded = [
          ...(victim !== "sweep" ? [{ outcome: result.outcome, records: ONE }] : []),
          ...(intruder !== "sweep" ? [{ outcome: result.intruded, records: OTHER }] : []),
        ];
        const done = loaded.filter(({ outcome }) => outcome === "done");
        const open = loaded.filter(({ outcome }) => isUnknown(outcome));
        const possible = done.length > 0 ? [...done, ...open] : [{ records: before }, ...open];
        expect(
          possible.map((one) => joinIds(one.records)),
          message,
        ).toContain(joinIds(records));
        if (before.length === 0 && loaded.length === 2 && fate === "goes on")
          expect(done.length, "at least one load succeeds").toBeGreaterThan(0);
        // What is left does not keep the next load from repairing everything.
        advanceTime(2 * ORPHAN_AGE_MS);
        const next = await loadRecords(store, BEFORE);
        expect(joinIds((await readAll(store)).records)).toBe(joinIds(BEFORE));
        advanceTime(2 * ORPHAN_AGE_MS);
        await store.sweep();
        expect(await listLoads(stores, name)).toEqual([next]);
      }
    },
  );

  test("loads that begin in the same millisecond, or earlier by their clocks, share no name", async () => {
    await prepare(BEFORE);
    const { load, sequence } = (await store.readState()).state;
    advanceTime(-ORPHAN_AGE_MS);
    const names = [await loadRecords(store, ONE), await loadRecords(store, ONE)];
    expect(new Set([load, ...names])).toHaveLength(3);
    expect((await store.readState()).state).toMatchObject({ load: names[1], sequence: sequence + 2 });
    // KV spares loads that may be running.
    expect(await listLoads(stores, name)).toEqual(name === "d1" ? [names[1]] : [...names, load].sort());
  });

  test("the seed is not loaded if anything was ever loaded, and then leaves nothing behind", async () => {
    await prepare([]);
    const empty = await loadRecords(store, []);
    const loading = loadRecords(store, ONE, { onlyIfEmpty: true });
    await expect(loading).rejects.toThrow(
      "The seed was not loaded because something else was loaded in the meantime.",
    );
    expect(await listLoads(stores, name)).toEqual([empty]);
  });

  test("the seed removes nothing, because another load may be running", async () => {
    await prepare([]);
    await store.write("0running", [{ number: 1, text: "" }]);
    const seed = await loadRecords(store, ONE, { onlyIfEmpty: true });
    expect(await listLoads(stores, name)).toEqual([seed, "0running"].sort());
  });

  const negative = { load: "a", count: -1, loaded_at: null, sequence: 1, source: "" };
  const damage = {
    d1: ["DELETE FROM state", "UPDATE state SET count = -1"],
    kv: ["not a state", JSON.stringify(negative)],
  };
  test.each(damage[name])("a load repairs a damaged state: %s", async (written) => {
    await prepare(BEFORE);
    if (name === "d1") await stores.database.write([written]);
    else await stores.namespace.put([{ key: STATE_KEY, value: written }]);
    await expect(store.readState()).rejects.toThrow(DamagedStateError);
    await loadRecords(store, ONE);
    expect((await readAll(store)).records).toEqual(ONE);
  });

  test("a load that takes too long for the clocks of others is refused, if clocks decide", async () => {
    await prepare(BEFORE);
    const slow = openStepwise(async (operate) => {
      advanceTime(MAX_LOAD_MS / 3);
      return operate();
    });
    const outcome = await getOutcome(loadRecords(slow, ONE));
    expect(String(outcome)).toContain(name === "kv" ? "started more than 2 hours ago" : "done");
  });
});

async function applyFate(fate: string, operate: () => Promise<unknown>): Promise<unknown> {
  if (fate === LOSES_PUTS) return undefined;
  if (fate === "crashes before a step") throw new LostError(fate);
  const result = await operate();
  if (fate !== "goes on") throw new LostError(fate);
  return result;
}

/** Whether a load that failed may have switched all the same: its last operations have no known result. */
function isUnknown(outcome: unknown): boolean {
  return outcome instanceof UnknownOutcomeError || outcome instanceof LostError;
}

/** Waits for a write. What it throws must be known. */
async function getOutcome(work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    () => "done",
    (error: Error) => error,
  );
  const isKnown = [RejectedSwitchError, UnknownOutcomeError, LostError].some(
    (kind) => Object(outcome) instanceof kind,
  );
  if (outcome !== "done" && !isKnown) throw outcome;
  return outcome;
}

function joinIds(records: readonly TrafficRecord[]): string {
  return records.map(({ id }) => id).join();
}
