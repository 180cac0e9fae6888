import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { GRACE_MS, STATE_KEY } from "../../src/store/kv.ts";
import { ConflictError, createName, DamagedStateError, type Store } from "../../src/store/store.ts";
import { append, load, MAX_WRITE_MS, SPARED_MS } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { createWitness, readAll } from "./reader.ts";
import { createStepwiseStore } from "./stepwise.ts";
import { ALL_STORES, useStores } from "./stores.ts";

const all = makeRecords(2_000);
/** What is loaded first: a block and a tail. */
const LOADED = all.slice(0, BLOCK_SIZE + 10);
/** What an append adds: it fills two blocks. */
const ADDED = all.slice(LOADED.length, 3 * BLOCK_SIZE + 20);
/** What a growth run adds: it fills no block, whether the append before it succeeded or not. */
const GROWN = all.slice(3 * BLOCK_SIZE + 20, 3 * BLOCK_SIZE + 60);
const REPLACEMENT = all.slice(500, 500 + 2 * BLOCK_SIZE + 20);

class InterruptedError extends Error {}

const contents = (records: TrafficRecord[]) => records.map(({ id }) => id).join();

/** What a command does to the store, and the records that are served when it has succeeded. */
interface Write {
  run(store: Store): Promise<unknown>;
  after(before: TrafficRecord[]): TrafficRecord[];
}
const appending = (added: TrafficRecord[]): Write => ({
  run: async (store) => append(store, added, await store.readStatistics(true)),
  after: (before) => [...before, ...added],
});
const LOAD: Write = { run: (store) => load(store, REPLACEMENT), after: () => REPLACEMENT };
const SWEEP: Write = {
  run: (store) => store.sweep({ names: [], before: createName(Date.now() - SPARED_MS) }),
  after: (before) => before,
};
const WRITES: Record<string, Write> = {
  load: LOAD,
  append: appending(ADDED),
  growth: appending(GROWN),
  sweep: SWEEP,
};

/** How long a step takes: an instance trusts its state for two steps. */
const STEP_MS = 2_000;

describe.each(ALL_STORES)("in the store %s,", (name) => {
  const stores = useStores();
  let store: Store;
  let witness: ReturnType<typeof createWitness>;
  let now = Date.now();
  beforeAll(() => {
    store = stores.open(name);
    witness = createWitness(store);
  });
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => vi.useRealTimers());

  const passTime = (milliseconds: number) => {
    now += milliseconds;
    vi.setSystemTime(now);
  };

  /** Loads the first records again, when nothing before can be needed or running any more. */
  async function reset(): Promise<void> {
    passTime(2 * SPARED_MS);
    await load(store, LOADED);
    passTime(2 * GRACE_MS);
  }

  /** Runs a write, and something before each of its steps, which are numbered from 1. */
  async function runStepwise(write: Write, beforeStep: (step: number) => Promise<void>) {
    let step = 0;
    const stepwise = createStepwiseStore(stores, name, () => beforeStep(++step));
    const outcome = await write.run(stepwise).then(
      () => "done" as const,
      (error: Error) => error,
    );
    return { outcome, steps: step };
  }

  const names = Object.keys(WRITES).filter((write) => name !== "kv" || ["load", "sweep"].includes(write));
  const pairs = names.flatMap((victim) => names.map((intruder) => [victim, intruder] as const));

  describe.each(pairs)("a %s that meets a %s", (victimName, intruderName) => {
    const [victim, intruder] = [WRITES[victimName] as Write, WRITES[intruderName] as Write];

    /** Stops the victim before a step, runs the intruder, and goes on. Instances read before and after every step. */
    async function meet(at: number, isCrash: boolean) {
      await reset();
      await witness.note();
      const readers = [witness.createReader(), witness.createReader()];
      const observe = async (step: number) => {
        await witness.note();
        passTime(STEP_MS);
        // The second one asks less often, so it keeps an older state.
        for (const read of step % 3 === 0 ? readers : readers.slice(0, 1)) await read();
      };
      await Promise.all(readers.map((read) => read()));
      let isCrashed = false;
      const { outcome, steps } = await runStepwise(victim, async (step) => {
        if (isCrashed) throw new InterruptedError();
        await observe(step);
        if (step !== at) return;
        isCrashed = isCrash;
        await intruder.run(store);
        await observe(0);
        if (isCrashed) throw new InterruptedError();
      });
      await observe(0);
      passTime(2 * GRACE_MS);
      await observe(0);
      return { outcome, steps };
    }

    test.each([
      ["goes on", false],
      ["crashes", true],
    ])("between any two steps and %s: every page that is ever served is of one state", async (_, isCrash) => {
      const { steps } = await meet(Number.POSITIVE_INFINITY, false);
      for (let at = 1; at <= steps; at++) {
        const { outcome } = await meet(at, isCrash);
        const { records } = await readAll(store);
        const written = victim.after(LOADED);
        const possible =
          outcome === "done" || isCrash
            ? [written, victim.after(intruder.after(LOADED)), intruder.after(written), intruder.after(LOADED)]
            : [intruder.after(LOADED)];
        if (!isCrash && outcome !== "done") expect(outcome).toBeInstanceOf(ConflictError);
        expect(possible.map(contents), `step ${at}`).toContain(contents(records));
      }
    });
  });

  test("two loads at the same time leave one of the two collections, complete", async () => {
    await reset();
    await Promise.all([load(store, REPLACEMENT), load(store, ADDED)]);
    const { records } = await readAll(store);
    expect([REPLACEMENT, ADDED].map(contents)).toContain(contents(records));
  });

  test("two loads that begin in the same millisecond, or earlier by their clocks, share no name", async () => {
    await reset();
    const before = await store.readState();
    passTime(-SPARED_MS);
    const first = await load(store, REPLACEMENT);
    const second = await load(store, REPLACEMENT);
    expect(new Set([before.load, first.load, second.load])).toHaveLength(3);
    expect([first.sequence, second.sequence]).toEqual([before.sequence + 1, before.sequence + 2]);
    expect(contents((await readAll(store)).records)).toBe(contents(REPLACEMENT));
  });

  test("a load that expects another state fails, and leaves nothing behind", async () => {
    await reset();
    const expected = await store.readState();
    await load(store, ADDED.slice(0, LOADED.length));
    passTime(2 * SPARED_MS);
    await SWEEP.run(store);
    const before = await countStored();
    await expect(load(store, REPLACEMENT, { expected })).rejects.toThrow(ConflictError);
    expect(contents((await readAll(store)).records)).toBe(contents(ADDED.slice(0, LOADED.length)));
    expect(await countStored()).toBe(before);
  });

  test("a write that began too long ago does not switch", async () => {
    await reset();
    const slow = createStepwiseStore(stores, name, async () => void passTime(MAX_WRITE_MS / 3));
    await expect(load(slow, REPLACEMENT)).rejects.toThrow("began more than 12 hours ago");
    expect(contents((await readAll(store)).records)).toBe(contents(LOADED));
  });

  if (name !== "memory")
    test("a load repairs a damaged state", async () => {
      await reset();
      if (name === "d1") await stores.database.write(["DELETE FROM state"]);
      else await stores.namespace.put([{ key: STATE_KEY, value: "not a state" }]);
      await expect(store.readState()).rejects.toThrow(DamagedStateError);
      await load(store, REPLACEMENT);
      expect(contents((await readAll(store)).records)).toBe(contents(REPLACEMENT));
    });

  if (name !== "memory")
    test("blocks of a crashed load are removed after a day, and those of a running one are kept", async () => {
      await reset();
      const count = await countStored();
      const { outcome } = await runStepwise(LOAD, async (step) => {
        if (step > 4) throw new InterruptedError();
      });
      expect(outcome).toBeInstanceOf(InterruptedError);
      const crashed = await countStored();
      expect(crashed).toBeGreaterThan(count);
      passTime(SPARED_MS - 1_000);
      await SWEEP.run(store);
      expect(await countStored(), "may still be written").toBe(crashed);
      passTime(2_000);
      await SWEEP.run(store);
      expect(await countStored()).toBe(count);
    });

  /** The number of blocks that the store contains; the one in memory does not show it. */
  async function countStored(): Promise<number> {
    if (name === "kv")
      return (await stores.namespace.list()).filter((key) => key.startsWith("blocks/")).length;
    if (name === "d1") {
      const [row] = await stores.database.query("SELECT count(*) AS stored FROM blocks", [], true);
      return Number(row?.stored);
    }
    return 0;
  }
});
