import type { D1Database, D1Result } from "@cloudflare/workers-types";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { INTERVAL_MS, MAX_INTERVALS_PER_RUN } from "../../src/growth/period.ts";
import type { Statistics } from "../../src/records/statistics.ts";
import { GRACE_MS } from "../../src/store/blocks.ts";
import { d1Store } from "../../src/store/d1.ts";
import { appendAtOnce, appendStatements, loadStatements } from "../../src/store/d1-statements.ts";
import { statisticsOf } from "../data/statistics.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { growAt, recordsOf } from "./collection.ts";

const loaded = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T11:30:00Z");

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker.close());
beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  return () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  };
});

describe("a run on d1", () => {
  /** Keeps what D1 says of the batches that a run sends. */
  function recording(database: D1Database) {
    const results: D1Result[] = [];
    const DB = Object.assign(Object.create(database), {
      withSession: (from?: string) => database.withSession(from),
      prepare: (sql: string) => database.prepare(sql),
      async batch(statements: Parameters<D1Database["batch"]>[0]) {
        const answers = await database.batch(statements);
        results.push(...answers);
        return answers;
      },
    });
    const sum = (name: "rows_read" | "rows_written") =>
      results.reduce((total, { meta }) => total + meta[name], 0);
    return { DB, sum };
  }

  test.each([700, 20_000])(
    "behind %i records writes what it adds and a few rows more, and reads few",
    async (count) => {
      const all = recordsOf("2026-09-20T00:00:00Z", "2026-11-20T11:30:00Z").slice(-count);
      await loadInto(worker.env, "d1", all);
      for (const time of ["12:05", "14:05"]) {
        const { DB, sum } = recording(worker.env.DB);
        const before = await countRecords();
        await growAt({ ...worker.env, DB }, `2026-11-20T${time}:00Z`);
        const added = (await countRecords()) - before;
        expect(added).toBeGreaterThan(70);
        expect(sum("rows_written")).toBeLessThanOrEqual(added + 5);
        expect(sum("rows_read")).toBeLessThanOrEqual(10);
      }
    },
  );

  const countRecords = async () =>
    Number(await worker.env.DB.prepare("SELECT count(*) AS count FROM records").first("count"));

  test("stays within the limits of D1 and of the free plan with the most that it adds, behind 16 years", () => {
    const from = Date.parse("2026-11-20T11:30:00Z");
    const to = new Date(from + MAX_INTERVALS_PER_RUN * INTERVAL_MS).toISOString();
    const days = Array.from({ length: 6_000 }, (_, day) => {
      const name = new Date(Date.UTC(2010, 0, day + 1)).toISOString().slice(0, 10);
      return [name, 4_100, 300, 100, 45_000, 20_000, 3_000, 2_000, 300, 700] as Statistics["days"][number];
    });
    const statistics = { ...statisticsOf(loaded), days };
    const state = { version: Date.now(), count: 24_000_000 };
    const statements = appendAtOnce(recordsOf(new Date(from).toISOString(), to), { state, statistics });
    expect(statements.length).toBeLessThan(49);
    for (const sql of statements) {
      expect(sql).not.toContain("?");
      expect(Buffer.byteLength(sql)).toBeLessThan(100_000);
    }
  });

  test("goes on where an interrupted append left rows behind the state", async () => {
    const { version, count } = await loadInto(worker.env, "d1", loaded);
    const { DB } = worker.env;
    const next = recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z");
    const columns =
      "id, camera_pk, camera_ref, timestamp, cars, persons, bicycles, trucks, motorcycles, buses";
    await DB.exec(
      `INSERT INTO records (version, position, ${columns}) VALUES (${version}, ${count + 2}, 1, 1, 'x', 'x', 0, 0, 0, 0, 0, 0)`,
    );
    await DB.exec(
      `INSERT INTO statistics (version, count, part, text) VALUES (${version}, ${count + next.length}, 0, '{}')`,
    );
    await growAt(worker.env, "2026-11-20T12:05:00Z");
    expect(await countRecords()).toBe(count + next.length);
  });

  test("between the transactions of a load does not disturb it", async () => {
    const before = await loadInto(worker.env, "d1", loaded);
    const { DB } = worker.env;
    const records = makeRecords(3_000);
    const state = { version: before.version + 1_000_000, count: 3_000 };
    const statements = [...loadStatements(records, state)].map(({ sql }) => sql);
    const done = statements.findIndex((sql) => sql.includes("INTO state"));
    for (const sql of statements.slice(0, done)) await DB.prepare(sql).run();
    await growAt(worker.env, "2026-11-20T12:05:00Z");
    expect((await d1Store(DB).state()).version).toBe(before.version);
    for (const sql of statements.slice(done)) await DB.prepare(sql).run();
    expect(await d1Store(DB).loaded()).toMatchObject({ state, statistics: statisticsOf(records) });
    expect(await countRecords()).toBe(3_000);
  });

  test("between the transactions of an append makes that fail, and stays", async () => {
    const state = await loadInto(worker.env, "d1", loaded);
    const { DB } = worker.env;
    const next = recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z");
    const append = (version: number) => {
      const continued = { state: { ...state, version }, statistics: statisticsOf(loaded) };
      const statements = appendStatements(next, continued, state.count + next.length, -version);
      return [...statements].map(({ sql }) => sql);
    };
    const switches = append(1).findIndex((sql) => sql.includes("INTO state"));
    for (let done = 0; done <= switches; done++) {
      await loadInto(worker.env, "d1", loaded);
      const { version } = await d1Store(DB).state();
      const statements = append(version);
      for (const sql of statements.slice(0, done)) await DB.prepare(sql).run();
      await growAt(worker.env, "2026-11-20T12:35:00Z");
      const rest = statements.slice(done).map((sql) => DB.prepare(sql));
      await expect(DB.batch(rest)).rejects.toThrow("NOT NULL constraint failed: state.count");
      const all = recordsOf("2026-11-20T08:00:00Z", "2026-11-20T12:30:00Z");
      const grown = { state: { version, count: all.length }, statistics: statisticsOf(all) };
      expect(await d1Store(DB).loaded()).toMatchObject(grown);
      expect((await d1Store(DB).page("last")).number).toBe(Math.ceil(all.length / 15));
      expect(JSON.parse((await d1Store(DB).page(1)).results)).toEqual(all.slice(-15).reverse());
    }
  });
});

describe("a run on kv", () => {
  const keys = async () => (await worker.env.KV.list()).keys.map(({ name }) => name);
  const grow = (time: string) => growAt({ ...worker.env, STORE: "kv" }, time);

  test("removes what earlier runs replaced, two minutes later, and nothing else", async () => {
    const { version } = await loadInto(worker.env, "kv", loaded);
    await worker.env.KV.put("records/9000000000000/1-600", "of a load under way");
    const others = await keys();
    vi.useFakeTimers({ toFake: ["Date"] });
    const [begun, minutes, begin] = [Date.now(), 60_000, loaded.length];

    await grow("2026-11-20T12:05:00Z");
    const count = begin + recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z").length;
    const after = [
      `records/${version}/1-600`,
      `records/${version}/601-${count}`,
      `statistics/${version}/${count}`,
    ];
    expect(await keys(), "nothing, as readers may need it").toEqual([...others, ...after].sort());

    vi.setSystemTime(begun + GRACE_MS + minutes);
    await grow("2026-11-20T12:35:00Z");
    const left = await keys();
    expect(left).toEqual(expect.arrayContaining([...after, "records/9000000000000/1-600", "state"]));
    for (const replaced of [`records/${version}/1-${begin}`, `statistics/${version}/${begin}`])
      expect(left).not.toContain(replaced);

    vi.setSystemTime(begun + 2 * (GRACE_MS + minutes));
    await grow("2026-11-20T13:05:00Z");
    expect(await keys()).not.toContain(`records/${version}/601-${count}`);
    expect(await keys()).toContain(`records/${version}/1-600`);
  });
});
