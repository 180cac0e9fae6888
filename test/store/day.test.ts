import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { uniform } from "../../src/generator/random.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import { createD1Store } from "../../src/store/d1.ts";
import { createKvStore } from "../../src/store/kv.ts";
import { createName, MissingBlockError, type Store } from "../../src/store/store.ts";
import { append, load, SPARED_MS } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { resultsOf, waitUntil } from "./reader.ts";
import { createSimulatedD1, createSimulatedKv, type OnSwitch, type Random } from "./simulated-stores.ts";

/** Simulated days in a run; the weekly job simulates more. */
const DAYS = Number(process.env.SIMULATED_DAYS ?? 3);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Each write takes other records, so that a record of a wrong write is seen. */
const RECORDS = makeRecords(60_000);

/** What the clock of the running writer shows in addition to the real time. */
const skew = new AsyncLocalStorage<number>();

/** The time without any skew. */
const realTime = () => skew.run(0, () => Date.now());

/** Lets time pass only while everything waits, and gives each writer a clock of its own. */
function useSkewedClock(): void {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  const Unskewed = Date;
  class Skewed extends Unskewed {
    constructor(time: number | string = Skewed.now()) {
      super(time);
    }
    static override now() {
      return Unskewed.now() + (skew.getStore() ?? 0);
    }
  }
  vi.stubGlobal("Date", Skewed);
}
function useRealClock(): void {
  vi.unstubAllGlobals();
  vi.useRealTimers();
}
afterEach(useRealClock);

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

class CrashError extends Error {}

/** A store in a simulated world, as seen from one place. */
interface World {
  open(): Store;
  /** The ids of the records that are served, if the store can list them at once. */
  listIds?: () => number[];
  /** How late a reader may be, in milliseconds. */
  staleMs: number;
  /**
   * The same shortly after two loads. In KV, the second one may not have seen the first. Until its blocks are visible, the state
   * that it saw is served: up to 60 seconds late when it was seen, and for 65 more seconds.
   */
  staleAfterTwoMs: number;
}

const WORLDS: Record<string, (random: Random, onSwitch: OnSwitch) => World> = {
  kv(random, onSwitch) {
    const kv = createSimulatedKv(realTime, random, MINUTE, onSwitch);
    return {
      open: () => createKvStore(kv.openLocation()),
      staleMs: 70 * SECOND,
      staleAfterTwoMs: 130 * SECOND,
    };
  },
  d1(random, onSwitch) {
    const d1 = createSimulatedD1(realTime, random, SECOND, onSwitch);
    const staleMs = 6 * SECOND;
    return {
      open: () => createD1Store(d1.database),
      listIds: d1.listIds,
      staleMs,
      staleAfterTwoMs: staleMs,
    };
  },
};

/** Makes the operations of a writer take time, now and then hours, and fail from some moment on. */
function createSlowStore(store: Store, random: Random, crashAfter: number): Store {
  let left = crashAfter;
  const call = async (member: (...parameters: unknown[]) => unknown, parameters: unknown[]) => {
    await sleep(random() < 0.01 ? random() * 14 * HOUR : random() * 20 * SECOND);
    if (left-- <= 0) throw new CrashError();
    const result = await member(...parameters);
    // A crash may hide that an operation has happened.
    if (left <= 0 && random() < 0.5) throw new CrashError();
    return result;
  };
  const entries = Object.entries(store).map(([name, member]) => [
    name,
    typeof member === "function" ? (...parameters: unknown[]) => call(member, parameters) : member,
  ]);
  return { ...Object.fromEntries(entries), batchBytes: 1 };
}

/** Simulates a day of three writers and three instances, and checks every page that an instance serves. */
async function simulateDay(create: (typeof WORLDS)[string], random: Random) {
  const seen = { pages: 0, switches: 0, failures: 0 };
  /** What each revision contains, and until when it was current. */
  const contents = new Map<string, { records: TrafficRecord[]; until: number }>();
  /** What a load or an append that is running may switch to. */
  const possible: TrafficRecord[][] = [];
  let current = "";
  let switchedAt = 0;
  let switchedBefore = 0;
  const world = create(random, (revision) => {
    seen.switches += 1;
    const replaced = contents.get(current);
    if (replaced) replaced.until = realTime();
    current = revision;
    switchedBefore = switchedAt;
    switchedAt = realTime();
    const ids = world.listIds?.().join();
    const records =
      ids === undefined
        ? named.get(revision)
        : possible.find((one) => one.map(({ id }) => id).join() === ids);
    if (!records) throw new Error(`Revision ${revision} has records that no write could make`);
    contents.set(revision, { records, until: Number.POSITIVE_INFINITY });
  });
  const named = new Map<string, TrafficRecord[]>();
  let from = 0;

  const write = async () => {
    await sleep(random() * 40 * MINUTE);
    const store = createSlowStore(
      world.open(),
      random,
      random() < 0.3 ? random() * 12 : Number.POSITIVE_INFINITY,
    );
    const kind = random();
    if (kind < 0.1) return store.sweep({ names: [], before: createName(Date.now() - SPARED_MS) });
    const isLoad = kind < 0.4 || !store.takesAppends;
    const size = isLoad || kind < 0.7 ? 250 + Math.floor(random() * 400) : 30;
    from = (from + size) % (RECORDS.length - 1_000);
    const records = RECORDS.slice(from, from + size);
    if (isLoad) {
      const name = createName(Date.now());
      named.set(name, records);
      possible.push(records);
      return load(store, records, { name });
    }
    const base = await store.readStatistics(true);
    possible.push([...(contents.get(base.state.revision)?.records ?? []), ...records]);
    return append(store, records, base);
  };

  const end = realTime() + DAY;
  const writers = [0, 5 * MINUTE, -7 * MINUTE].map((offset) =>
    skew.run(offset, async () => {
      while (realTime() < end)
        await write().catch((error) => {
          if (String(error).includes("no write could make")) throw error;
        });
    }),
  );
  const findLimit = (asked: number) =>
    asked - switchedBefore < world.staleAfterTwoMs ? world.staleAfterTwoMs : world.staleMs;
  const instances = [1, 2, 3].map(async () => {
    const cache = createCachedStore(world.open(), "simulated");
    while (realTime() < end) {
      await sleep(random() < 0.05 ? random() * 30 * MINUTE : random() * 8 * SECOND);
      const asked = realTime();
      const page = 1 + Math.floor(random() * 30);
      const found = await cache.page({ page }, waitUntil).catch((error: Error) => error);
      if (found instanceof Error) {
        expect(found).toBeInstanceOf(MissingBlockError);
        expect(asked - switchedAt, "how long blocks may be invisible").toBeLessThan(world.staleMs);
        seen.failures += 1;
        continue;
      }
      if (!found || found.state.revision === "") continue;
      seen.pages += 1;
      const content = contents.get(found.state.revision);
      expect(content, `revision ${found.state.revision}`).toBeDefined();
      expect(found.results).toBe(resultsOf(content?.records ?? [], found.number));
      expect(asked - (content?.until ?? 0), "how long the state was not current").toBeLessThan(
        findLimit(asked),
      );
    }
  });
  let isDone = false;
  const all = Promise.all([...writers, ...instances]).finally(() => {
    isDone = true;
  });
  all.catch(() => undefined);
  while (!isDone) await vi.advanceTimersByTimeAsync(MINUTE);
  await all;
  return seen;
}

test.each(Object.keys(WORLDS))(
  "%s: in a day of three writers with wrong clocks and crashes, every page is of one state, and not too old",
  { timeout: 180_000 + DAYS * 10_000 },
  async (name) => {
    const property = fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
      useSkewedClock();
      let drawn = 0;
      const seen = await simulateDay(WORLDS[name]!, () => uniform(seed, drawn++)).finally(useRealClock);
      expect(seen.pages).toBeGreaterThan(1_000);
      expect(seen.switches).toBeGreaterThan(20);
    });
    await fc.assert(property, { numRuns: DAYS, endOnFailure: true });
  },
);
