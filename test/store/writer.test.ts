import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { decodeRecord, readLines } from "../../src/store/blocks.ts";
import { GRACE_MS, STATE_KEY } from "../../src/store/kv-state.ts";
import {
  ABANDONED_MS,
  ConflictError,
  DamagedStateError,
  type State,
  type Store,
} from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { useEmptyStores } from "./empty-stores.ts";
import { createStepwiseStore } from "./stepwise.ts";

const all = makeRecords(4_000);
/** What is loaded first: its last block is not full. */
const LOADED = all.slice(0, 650);
/** What an append adds: it fills the last block and begins another. */
const ADDED = all.slice(650, 1_230);
/** What a growth run adds: it fills the last block and begins another, whether the append before it succeeded or not. */
const GROWN = all.slice(1_230, 1_860);
const REPLACEMENT = all.slice(500, 1_200);

class InterruptedError extends Error {}

const contents = (records: TrafficRecord[]) => records.map(({ id }) => id).join();

describe.each(STORE_NAMES)("in the %s store,", (name) => {
  const stores = useEmptyStores();
  let store: Store;
  let now: number;
  beforeAll(async () => {
    store = stores.open(name);
    now = Date.now();
  });
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await passTime();
    await load(store, LOADED);
    await passTime();
  });
  afterEach(() => vi.useRealTimers());

  /** Advances the clock: by default until replaced data is no longer needed, but a write may still be running. */
  async function passTime(milliseconds = 2 * GRACE_MS): Promise<void> {
    now += milliseconds;
    vi.setSystemTime(now);
  }

  async function readAll(): Promise<{ state: State; records: TrafficRecord[] }> {
    const state = await store.readState();
    const blocks = await store.readBlocks(state, { first: 1, last: state.count });
    const records = blocks
      .flatMap((block) => readLines(block, state.count))
      .slice(0, state.count)
      .map(decodeRecord);
    expect(records).toHaveLength(state.count);
    expect(await store.readStatistics(state)).toEqual(statisticsOf(records));
    return { state, records };
  }

  const readBase = async () => {
    const { state, records } = await readAll();
    return { state, statistics: statisticsOf(records) };
  };

  /** What a command does to the store, and the records that are served when it has succeeded. */
  interface Write {
    run(store: Store): Promise<unknown>;
    after(before: TrafficRecord[]): TrafficRecord[];
  }
  const loading: Write = { run: (through) => load(through, REPLACEMENT), after: () => REPLACEMENT };
  const appending = (added: TrafficRecord[]): Write => ({
    run: async (through) => append(through, added, await readBase()),
    after: (before) => [...before, ...added],
  });
  const sweeping: Write = { run: (through) => through.sweep("everything"), after: (before) => before };

  const countSteps = async ({ run }: Write) => {
    let steps = 0;
    await run(
      createStepwiseStore(stores, name, async () => {
        steps += 1;
      }),
    );
    return steps;
  };

  describe.each([
    ["a load", loading],
    ["an append", appending(ADDED)],
  ])("%s", (_, write) => {
    test("that is interrupted at any step leaves one complete state, and the next write succeeds", async () => {
      const steps = await countSteps(write);
      expect(steps).toBeGreaterThan(4);
      for (let allowed = 0; allowed < steps; allowed++) {
        await passTime();
        await load(store, LOADED);
        await passTime();
        let left = allowed;
        const interrupted = createStepwiseStore(stores, name, async () => {
          if (left-- <= 0) throw new InterruptedError();
        });
        await expect(write.run(interrupted)).rejects.toThrow(InterruptedError);
        const { records } = await readAll();
        expect([LOADED, write.after(LOADED)].map(contents)).toContain(contents(records));
        if (contents(records) !== contents(LOADED)) continue;
        await write.run(store);
        expect(contents((await readAll()).records)).toBe(contents(write.after(LOADED)));
      }
    });
  });

  describe.each([
    ["a load", loading],
    ["an append", appending(ADDED)],
    ["a sweep", sweeping],
  ])("between any two steps of %s", (victim, write) => {
    test.each([
      ["a load", loading],
      ["a growth run", appending(GROWN)],
      ["a sweep", sweeping],
    ])("%s leaves one complete state", async (_, intruder) => {
      const steps = await countSteps(write);
      for (let intrudeAt = 1; intrudeAt <= steps; intrudeAt++) {
        await passTime();
        await load(store, LOADED);
        await passTime();
        let step = 0;
        const interleaved = createStepwiseStore(stores, name, async () => {
          if (++step === intrudeAt) await intruder.run(store);
        });
        const outcome = await write.run(interleaved).then(
          () => "done",
          (error) => error,
        );
        const { records } = await readAll();
        const written = write.after(LOADED);
        const possible =
          outcome === "done"
            ? [written, write.after(intruder.after(LOADED)), intruder.after(written)]
            : [intruder.after(LOADED)];
        if (outcome !== "done") expect(outcome).toBeInstanceOf(ConflictError);
        expect(possible.map(contents), `${victim}, step ${intrudeAt}`).toContain(contents(records));
      }
    });
  });

  test("two loads at the same time leave one of the two collections, complete", async () => {
    const outcomes = await Promise.allSettled([load(store, REPLACEMENT), load(store, ADDED)]);
    expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
    const { records } = await readAll();
    expect([REPLACEMENT, ADDED].map(contents)).toContain(contents(records));
  });

  test("a load repairs a damaged state", async () => {
    if (name === "d1") await stores.database.write(["DELETE FROM state"]);
    else await stores.namespace.put([{ key: STATE_KEY, value: "not a state" }]);
    await expect(store.readState()).rejects.toThrow(DamagedStateError);
    await load(store, REPLACEMENT);
    expect(contents((await readAll()).records)).toBe(contents(REPLACEMENT));
  });

  test("an append to a state that was replaced is refused", async () => {
    const base = await readBase();
    await load(store, REPLACEMENT);
    await expect(append(store, ADDED, base)).rejects.toThrow(ConflictError);
    expect(contents((await readAll()).records)).toBe(contents(REPLACEMENT));
  });

  test("versions increase even if the clock goes backwards", async () => {
    const { state: before } = await readAll();
    vi.setSystemTime(now - 10 * ABANDONED_MS);
    const state = await load(store, REPLACEMENT);
    expect(state.version).toBeGreaterThan(before.version);
    expect(contents((await readAll()).records)).toBe(contents(REPLACEMENT));
  });

  /** The number of rows or keys that the store contains. */
  async function countStored(kind: StoreName): Promise<number> {
    if (kind === "kv") return (await stores.namespace.list()).length;
    const sql = "SELECT (SELECT count(*) FROM blocks) + (SELECT count(*) FROM statistics) + 1 AS stored";
    const [row] = await stores.database.query(sql, [], true);
    return Number(row?.stored);
  }

  test("replaced data and the data of an interrupted load are removed later", async () => {
    let left = 6;
    const interrupted = createStepwiseStore(stores, name, async () => {
      if (left-- <= 0) throw new InterruptedError();
    });
    await expect(load(interrupted, all)).rejects.toThrow(InterruptedError);
    await passTime(2 * ABANDONED_MS);
    await load(store, REPLACEMENT);
    await passTime();
    await store.sweep("everything");
    // Two blocks, the statistics and the state.
    expect(await countStored(name)).toBe(4);
    expect(contents((await readAll()).records)).toBe(contents(REPLACEMENT));
  });

  test("data that an append replaced is removed by the next append", async () => {
    await passTime(2 * ABANDONED_MS);
    await store.sweep("everything");
    for (const record of GROWN.slice(0, 5)) {
      await append(store, [record], await readBase());
      await passTime();
    }
    // The state before the latest append may still be needed: its last block and its statistics.
    expect(await countStored(name)).toBe(name === "kv" ? 6 : 4);
    expect(contents((await readAll()).records)).toBe(contents([...LOADED, ...GROWN.slice(0, 5)]));
  });
});
