import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/targets/targets.ts";
import type { Env } from "../../src/env.ts";
import { SLOTS_A_RUN } from "../../src/growth/period.ts";
import app from "../../src/index.ts";
import { Page, TrafficRecord } from "../../src/records/record.ts";
import { readStatistics, statisticsOf } from "../data/statistics.ts";
import { makeRecords } from "../records/sample.ts";
import { context, loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { growAt, recordsOf } from "./collection.ts";

const COLLECTION = "https://counts.example/api/tf1/records/";

/** Ends with a slot; the next one ends at 12:00. */
const loaded = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T11:30:00Z");

/** What is loaded and what has been added until a moment. */
const until = (time: string) => recordsOf("2026-11-20T08:00:00Z", time);

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.close());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe.each(STORE_NAMES)("a collection in %s", (STORE) => {
  /** The environment of a new instance. */
  const open = (): Env => ({ ...worker.env, STORE });
  beforeEach(async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    await loadInto(worker.env, STORE, loaded);
  });

  async function readPage(url: string): Promise<Page> {
    const answer = await app.request(url, {}, open(), context);
    expect(answer.status).toBe(200);
    return Page.parse(await answer.json());
  }

  /** Follows the links to the last page. Gives the records, oldest first. */
  async function walk(first = COLLECTION, happen = async () => {}): Promise<TrafficRecord[]> {
    const records: TrafficRecord[] = [];
    for (let url: string | null = first; url !== null; await happen()) {
      const { results, next } = await readPage(url);
      records.push(...results);
      url = next;
    }
    return records.reverse();
  }

  test("gets the observations of the half hour that has ended, as the generator makes them", async () => {
    await growAt(open(), "2026-11-20T12:05:00Z");
    const walked = await walk();
    expect(walked).toEqual(until("2026-11-20T12:00:00Z"));
    for (const record of walked) expect(TrafficRecord.parse(record)).toEqual(record);
    expect(console.log).toHaveBeenCalledExactlyOnceWith(
      `Added ${walked.length - loaded.length} records; ${walked.length} are loaded.`,
    );
  });

  test("keeps its version; its statistics and the time of its state go on", async () => {
    const { version } = await loadInto(worker.env, STORE, loaded);
    const begun = Date.now();
    await growAt(open(), "2026-11-20T12:05:00Z");
    const all = until("2026-11-20T12:00:00Z");
    const state = { version, count: all.length };
    expect(await readStatistics(worker.env, STORE)).toContainEqual({ state, statistics: statisticsOf(all) });
    const { loaded_at } = await readState();
    expect(Date.parse(loaded_at)).toBeGreaterThanOrEqual(begun);
  });

  async function readState(): Promise<{ version: number; count: number; loaded_at: string }> {
    const query = "SELECT version, count, loaded_at FROM state";
    return STORE === "d1"
      ? (await worker.env.DB.prepare(query).first())!
      : (await worker.env.KV.get("state", "json"))!;
  }

  test("gets nothing by a run that is repeated, or that was due before", async () => {
    await growAt(open(), "2026-11-20T12:05:00Z");
    const state = await readState();
    await growAt(open(), "2026-11-20T12:05:00Z");
    await growAt(open(), "2026-11-20T12:29:59Z");
    await growAt(open(), "2026-11-20T11:35:00Z");
    expect(await readState()).toEqual(state);
    expect(await walk()).toEqual(until("2026-11-20T12:00:00Z"));
  });

  test("gets what missed runs did not add, some half hours a run, and then what each adds", async () => {
    expect(SLOTS_A_RUN).toBe(2);
    for (const [due, end] of [
      ["13:05", "12:30"],
      ["13:35", "13:30"],
      ["14:05", "14:00"],
    ]) {
      await growAt(open(), `2026-11-20T${due}:00Z`);
      expect(await walk()).toEqual(until(`2026-11-20T${end}:00Z`));
    }
  });

  test("that ended long ago goes on now, and not in the past", async () => {
    await growAt(open(), "2027-03-01T00:05:00Z");
    expect(await walk()).toEqual([...loaded, ...recordsOf("2027-02-28T23:30:00Z", "2027-03-01T00:00:00Z")]);
  });

  test("begins with a load of no records", async () => {
    await loadInto(worker.env, STORE, []);
    await growAt(open(), "2026-11-20T12:05:00Z");
    expect(await walk()).toEqual(recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z"));
  });

  test("that grows during a walk shows it one state, if it is asked to", async () => {
    let time = Date.parse("2026-11-20T12:05:00Z");
    const grow = async () => {
      if (time < Date.parse("2026-11-20T16:00:00Z")) await growAt(open(), new Date(time).toISOString());
      time += 1_800_000;
    };
    expect(await walk(`${COLLECTION}?as_of=latest`, grow)).toEqual(loaded);
    expect(await walk()).toEqual(until("2026-11-20T15:30:00Z"));
  });

  test("gets each record once if runs meet", async () => {
    const times = ["12:05", "12:05", "12:35", "12:05"].map((time) => `2026-11-20T${time}:00Z`);
    const runs = await Promise.allSettled(times.map((time) => growAt(open(), time)));
    expect(runs.map(({ status }) => status)).toContain("fulfilled");
    await growAt(open(), "2026-11-20T13:05:00Z");
    expect(await walk()).toEqual(until("2026-11-20T13:00:00Z"));
  });

  test.each<[string, () => Promise<TrafficRecord[]>]>([
    [
      "a load",
      async () => {
        const records = makeRecords(40);
        await loadInto(worker.env, STORE, records);
        return records;
      },
    ],
    [
      "another run",
      async () => {
        await growAt(open(), "2026-11-20T12:35:00Z");
        return until("2026-11-20T12:30:00Z");
      },
    ],
  ])("gets nothing by a run that meets %s", async (_, meet) => {
    let expected: TrafficRecord[] = [];
    const run = growAt(
      interruptAt(open(), 0, async () => {
        expected = await meet();
      }),
      "2026-11-20T12:05:00Z",
    );
    await expect(run).rejects.toThrow("Something else was loaded at the same time.");
    expect(await walk()).toEqual(expected);
  });

  test("is served as it was if a run fails at any write, and the next run makes up for it", async () => {
    let write = 0;
    for (; ; write++) {
      await loadInto(worker.env, STORE, loaded);
      let failed = false;
      const env = interruptAt(open(), write, async () => {
        failed = true;
        throw new Error("the store is broken");
      });
      const run = growAt(env, "2026-11-20T12:05:00Z");
      await run.catch(() => undefined);
      if (!failed) break;
      await expect(run).rejects.toThrow("the store is broken");
      expect(await walk()).toEqual(loaded);
      await growAt(open(), "2026-11-20T12:35:00Z");
      expect(await walk()).toEqual(until("2026-11-20T12:30:00Z"));
    }
    // In KV: two blocks, the statistics, and the state.
    expect(write).toBe(STORE === "d1" ? 1 : 4);
  });

  /** An environment in which something happens before a write, which is a batch of D1 or a value of KV. */
  function interruptAt(env: Env, write: number, happen: () => Promise<void>): Env {
    let writes = 0;
    const interrupted =
      <Arguments extends unknown[], Result>(method: (...args: Arguments) => Promise<Result>) =>
      async (...args: Arguments) => {
        if (writes++ === write) await happen();
        return method(...args);
      };
    const { DB, KV } = env;
    return {
      ...env,
      DB: Object.assign(Object.create(DB), {
        withSession: (from?: string) => DB.withSession(from),
        prepare: (sql: string) => DB.prepare(sql),
        batch: interrupted((statements: Parameters<typeof DB.batch>[0]) => DB.batch(statements)),
      }),
      KV: Object.assign(Object.create(KV), {
        get: KV.get.bind(KV),
        list: KV.list.bind(KV),
        delete: KV.delete.bind(KV),
        put: interrupted((key: string, value: string) => KV.put(key, value)),
      }),
    };
  }

  test.each<[string, string]>([
    ["nothing was ever loaded", "nothing was ever loaded|KV holds no state"],
    ["it has no statistics", "it has no statistics to go on from"],
  ])("does not grow if %s", async (reason, message) => {
    const unloaded = await startWorker();
    const env = { ...unloaded.env, STORE };
    if (reason === "it has no statistics") {
      await loadInto(env, STORE, loaded);
      await env.DB.exec("DELETE FROM statistics");
      for (const { name } of (await env.KV.list({ prefix: "statistics/" })).keys) await env.KV.delete(name);
    }
    await expect(growAt(env, "2026-11-20T12:05:00Z")).rejects.toThrow(new RegExp(message));
    await unloaded.close();
  });

  test("of other cameras under the same numbers does not grow", async () => {
    const records = makeRecords(40);
    await loadInto(worker.env, STORE, records);
    await expect(growAt(open(), "2026-11-20T12:05:00Z")).rejects.toThrow(
      /^The collection does not grow: camera_pk \d+ is loaded with camera_ref/,
    );
    expect(await walk()).toEqual(records);
  });
});
