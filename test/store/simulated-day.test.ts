import { expect, test } from "vitest";
import type { WritableStore } from "../../data/writer/writer.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import { READ_TIMEOUT_MS } from "../../src/store/retry.ts";
import type { Store } from "../../src/store/state.ts";
import { formatResults, makeNewestFirst, readPage } from "./reader.ts";
import {
  createSimulatedD1,
  createSimulatedKv,
  type OnSwitch,
  type OpenLocation,
} from "./simulated-stores.ts";
import { interceptCalls, loadRecords } from "./stores.ts";
import { clockSkew, getTrueTime, type Random, simulate, wait } from "./virtual-clock.ts";

/** Simulated days in a run; the weekly job simulates more. */
const DAYS = Number(process.env.SIMULATED_DAYS ?? 3);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Each load takes other records, so that a record of a wrong load is seen. */
const RECORDS = makeNewestFirst(60_000);

class CrashError extends Error {}

/** A kind of store: how it is simulated, and how long after a switch an instance may serve the load before. */
interface Kind {
  create(random: Random, onSwitch: OnSwitch): OpenLocation;
  staleMs: number;
}

const KINDS: Record<string, Kind> = {
  kv: {
    create: (random, onSwitch) => createSimulatedKv(random, MINUTE, onSwitch),
    staleMs: 70 * SECOND,
  },
  d1: {
    create: (random, onSwitch) => createSimulatedD1(random, SECOND, onSwitch),
    // 9 seconds, and the lag of the replica.
    staleMs: 10 * SECOND,
  },
};

/** Makes the operations of a writer take time, now and then hours, and fail from some moment on. */
function createSlowStore(store: WritableStore, random: Random, crashAfter: number): WritableStore {
  let left = crashAfter;
  const slow = interceptCalls(store, async (operate) => {
    await wait(random() < 0.01 ? random() * 14 * HOUR : random() * 20 * SECOND);
    if (left-- <= 0) throw new CrashError();
    const result = await operate();
    // A crash may hide that an operation has happened.
    if (left <= 0 && random() < 0.5) throw new CrashError();
    return result;
  });
  return { ...slow, batchBytes: 1 };
}

/**
 * Lets each read take nearly half of the time after which a store is given up, because a block that a replica does not have is read
 * from the primary database then. It shows what was there when it began.
 */
function createSlowReads(store: Store, random: Random): Store {
  return interceptCalls(store, async (operate) => {
    const result = await operate();
    await wait(random() * (READ_TIMEOUT_MS / 2 - 1));
    return result;
  });
}

/** What each load contains, and until when it was served. */
type Contents = Map<string, { records: TrafficRecord[]; until: number }>;

/** Simulates a day of three writers and two instances with two clients each, and checks every page that an instance serves. */
async function simulateDay({ create, staleMs }: Kind, random: Random) {
  const seen = { pages: 0, switches: 0 };
  const contents: Contents = new Map([["", { records: [], until: Number.POSITIVE_INFINITY }]]);
  let current = "";
  const openStore = create(random, (load) => {
    seen.switches += 1;
    contents.get(current)!.until = getTrueTime();
    current = load;
    contents.get(load)!.until = Number.POSITIVE_INFINITY;
  });
  const end = getTrueTime() + DAY;
  const writers = [0, 5 * MINUTE, -7 * MINUTE].map((offset) =>
    clockSkew.run(offset, async () => {
      while (getTrueTime() < end) await write(openStore(), contents, random).catch(() => undefined);
    }),
  );
  const caches = [1, 2].map(() => createCachedStore(createSlowReads(openStore(), random), "simulated"));
  const clients = [...caches, ...caches].map(async (cache) => {
    while (getTrueTime() < end) {
      await wait(random() < 0.05 ? random() * 30 * MINUTE : random() * 8 * SECOND);
      const asked = getTrueTime();
      const { state, number, count, results } = await readPage(cache, 1 + Math.floor(random() * 30));
      seen.pages += 1;
      const content = contents.get(state.load)!;
      expect(state.count).toBe(content.records.length);
      expect(results).toBe(number && formatResults(content.records, number));
      expect(count === undefined || count === content.records.length).toBe(true);
      expect(asked - content.until, "how long the load was not served any more").toBeLessThan(staleMs);
    }
  });
  await Promise.all([...writers, ...clients]);
  expect(seen.pages).toBeGreaterThan(1_000);
  expect(seen.switches).toBeGreaterThan(5);
}

let from = 0;

/** Waits, and then loads records, loads a seed or sweeps, and now and then crashes. */
async function write(opened: WritableStore, contents: Contents, random: Random): Promise<unknown> {
  await wait(random() * 40 * MINUTE);
  const crashAfter = random() < 0.3 ? random() * 12 : Number.POSITIVE_INFINITY;
  const store = createSlowStore(opened, random, crashAfter);
  const kind = random();
  if (kind < 0.1) return store.sweep();
  const size = 250 + Math.floor(random() * 400);
  from = (from + size) % (RECORDS.length - 1_000);
  const records = RECORDS.slice(from, from + size);
  const named: WritableStore = {
    ...store,
    write(load, blocks) {
      contents.set(load, { records, until: 0 });
      return store.write(load, blocks);
    },
  };
  return loadRecords(named, records, { onlyIfEmpty: kind < 0.2 });
}

test.each(Object.keys(KINDS))(
  "%s: in a day of three writers with wrong clocks and crashes, every page is of one load, and not too old",
  { timeout: 1_200_000 + DAYS * 10_000 },
  (name) => simulate(DAYS, (random) => simulateDay(KINDS[name]!, random)),
);
