import { expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { createCachedStore } from "../../src/store/cached-store.ts";
import { MissingBlockError, READ_TIMEOUT_MS, type Store } from "../../src/store/store.ts";
import { undoLoad, type WritableStore } from "../../tools/data/stores/writer.ts";
import { formatResults, makeNewestFirst, readPage } from "../support/reader.ts";
import { interceptCalls, loadRecords } from "../support/stores.ts";
import { createSimulatedKv, MAX_LATE_MS } from "./simulated-stores.ts";
import { clockSkew, getTrueTime, type Random, simulate, wait } from "./virtual-clock.ts";

/** The number of simulations, of 18 days each. The weekly job simulates more. */
const DAYS = Number(process.env.SIMULATED_DAYS ?? 3);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Each load has different records, so that records of a different load are noticed. */
const RECORDS = makeNewestFirst(60_000);

class CrashError extends Error {}

/** The maximum time after a switch for which an instance may serve the previous snapshot. */
const MAX_STALE_MS = 70 * SECOND;

/** The maximum time after a switch for which a location may lack a block: while KV is late, and then until the location looks again. */
const MAX_MISSING_MS = MAX_LATE_MS + MINUTE;

/** Lets the operations of a writer take seconds, sometimes hours, and fail after a number of operations. */
function createSlowStore(store: WritableStore, random: Random, crashAfter: number): WritableStore {
  let remaining = crashAfter;
  return interceptCalls(store, async (operate) => {
    await wait(random() < 0.01 ? random() * 14 * HOUR : random() * 20 * SECOND);
    if (remaining-- <= 0) throw new CrashError();
    const result = await operate();
    // A crash may hide the success of an operation.
    if (remaining <= 0 && random() < 0.5) throw new CrashError();
    return result;
  });
}

/** Lets reads take time. The result is the content of the store when the read started. */
function createSlowReads(store: Store, random: Random): Store {
  return interceptCalls(store, async (operate) => {
    const result = await operate();
    await wait(random() * (READ_TIMEOUT_MS - 1));
    return result;
  });
}

/** Stands for an empty store. */
const NO_ID = "nothing loaded";

/** The records of each snapshot, and the time until which it was current. */
type Contents = Map<string, { records: TrafficRecord[]; until: number }>;

/** Writers write for an hour. Then they wait for more than a day, after which a sweep deletes what is not protected. */
const BUSY_MS = HOUR;
const PERIOD_MS = BUSY_MS + 1.5 * DAY;

/** Returns how long a writer waits before it writes again. */
function drawPause(random: Random): number {
  const sinceStart = getTrueTime() % PERIOD_MS;
  return random() * 10 * MINUTE + (sinceStart < BUSY_MS ? 0 : PERIOD_MS - sinceStart);
}

/** Simulates twelve periods of three writers and two instances with two clients each, and checks every served page. */
async function simulatePeriods(random: Random) {
  const total = { pages: 0, switches: 0, undone: 0, wronglyUndone: 0 };
  const contents: Contents = new Map([[NO_ID, { records: [], until: Number.POSITIVE_INFINITY }]]);
  let current = NO_ID;
  let switchedAt = 0;
  let nextSwitch = Promise.withResolvers<void>();
  const openStore = createSimulatedKv(random, MINUTE, (id) => {
    total.switches += 1;
    contents.get(current)!.until = getTrueTime();
    current = id;
    switchedAt = getTrueTime();
    contents.get(id)!.until = Number.POSITIVE_INFINITY;
    nextSwitch.resolve();
    nextSwitch = Promise.withResolvers();
  });
  const end = getTrueTime() + 12 * PERIOD_MS;
  const writers = [0, 5 * MINUTE, -7 * MINUTE].map((skew) =>
    clockSkew.run(skew, async () => {
      while (getTrueTime() < end) {
        await wait(drawPause(random));
        const startedAt = getTrueTime();
        const result = await write(openStore(), contents, random).catch(() => undefined);
        if (!result) continue;
        total.undone += 1;
        const { until } = contents.get(String(result.undone.id))!;
        if (until < startedAt) total.wronglyUndone += 1;
      }
    }),
  );
  const createInstance = () => createCachedStore(createSlowReads(openStore(), random));
  const instances = [createInstance(), createInstance()];
  const clients = [0, 1, 0, 1].map(async (index) => {
    while (getTrueTime() < end) {
      const isIdle = random() < 0.05;
      if (isIdle) await Promise.race([wait(random() * DAY), nextSwitch.promise]);
      else await wait(random() * 8 * SECOND);
      // A new instance has cached no block.
      if (isIdle) instances[index] = createInstance();
      const requestedAt = getTrueTime();
      const page = await readPage(instances[index]!, 1 + Math.floor(random() * 30)).catch((error) => {
        // A request that finds no block reads everything again, which can take too long.
        if (/did not respond/.test(error.message)) return;
        if (!(error instanceof MissingBlockError)) throw error;
        expect(requestedAt - switchedAt, error.message).toBeLessThan(MAX_MISSING_MS);
      });
      if (!page) continue;
      total.pages += 1;
      const content = contents.get(page.snapshot.id ?? NO_ID)!;
      expect(page.count).toBe(content.records.length);
      expect(page.results).toBe(formatResults(content.records, page.number));
      expect(requestedAt - content.until, "time since the snapshot was replaced").toBeLessThan(MAX_STALE_MS);
    }
  });
  await Promise.all([...writers, ...clients]);
  expect(total.wronglyUndone, "undone loads that had been replaced before the command began").toBe(0);
  expect(total.pages).toBeGreaterThan(1_000);
  expect(total.switches).toBeGreaterThan(20);
  expect(total.undone).toBeGreaterThan(2);
}

let offset = 0;

/** Loads records, loads the sample data, sweeps, or undoes a load and returns what that did. Some writers crash. */
async function write(opened: WritableStore, contents: Contents, random: Random) {
  const crashAfter = random() < 0.3 ? random() * 12 : Number.POSITIVE_INFINITY;
  const store = createSlowStore(opened, random, crashAfter);
  const kind = random();
  if (kind < 0.1) return void (await store.sweep());
  if (kind < 0.4) return undoLoad(store);
  const size = 250 + Math.floor(random() * 400);
  offset = (offset + size) % (RECORDS.length - 1_000);
  const records = RECORDS.slice(offset, offset + size);
  const recorded: WritableStore = {
    ...store,
    write(id, blocks) {
      contents.set(id, { records, until: 0 });
      return store.write(id, blocks);
    },
  };
  await loadRecords(recorded, records, { onlyIfEmpty: kind < 0.5 });
  return undefined;
}

test(
  "KV: during days of three writers with inaccurate clocks and crashes, every page uses one snapshot and is fresh",
  { timeout: 180_000 + DAYS * 10_000 },
  () => simulate(DAYS, simulatePeriods),
);
