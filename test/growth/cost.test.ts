import type { D1Database, D1Result } from "@cloudflare/workers-types";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { INTERVAL_MS, MAX_INTERVALS_PER_RUN } from "../../src/growth/period.ts";
import type { Statistics } from "../../src/records/statistics.ts";
import { BLOCK_SIZE, encodeBlocks } from "../../src/store/blocks.ts";
import { createD1Store, type SqlDatabase } from "../../src/store/d1.ts";
import { NOTHING_LOADED, type State } from "../../src/store/store.ts";
import { append } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { loadInto, useWorker } from "../worker.ts";
import { loaded, recordsOf, runScheduled } from "./collection.ts";

const worker = useWorker();
beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  return () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  };
});

describe("a growth run on d1", () => {
  /** Records the results that D1 reports for all statements of a run. */
  function recording(database: D1Database) {
    const results: D1Result[] = [];
    const keep = <T extends D1Result[]>(reported: T) => {
      results.push(...reported);
      return reported;
    };
    const DB = Object.assign(Object.create(database), {
      withSession: (from?: string) => ({
        prepare: (sql: string) => ({
          bind: (...parameters: unknown[]) => ({
            all: async () => {
              const statement = database
                .withSession(from)
                .prepare(sql)
                .bind(...parameters);
              return keep([await statement.all()])[0];
            },
          }),
        }),
      }),
      prepare: (sql: string) => database.prepare(sql),
      batch: async (statements: Parameters<D1Database["batch"]>[0]) => keep(await database.batch(statements)),
    });
    const sum = (name: "rows_read" | "rows_written") =>
      results.reduce((total, { meta }) => total + meta[name], 0);
    return { DB, sum, count: () => results.length };
  }

  test.each([700, 20_000])("on a collection of %i records reads and writes few rows", async (count) => {
    const all = recordsOf("2026-09-20T00:00:00Z", "2026-11-20T11:30:00Z").slice(-count);
    await loadInto(worker.env, "d1", all);
    for (const time of ["12:05", "14:05"]) {
      const { DB, sum, count: statements } = recording(worker.env.DB);
      const before = await countRecords();
      await runScheduled({ ...worker.env, DB, GROW: "on" }, `2026-11-20T${time}:00Z`);
      expect((await countRecords()) - before).toBeGreaterThan(70);
      // At most two blocks, the state, and the statistics.
      expect(sum("rows_written")).toBeLessThanOrEqual(4);
      expect(sum("rows_read")).toBeLessThanOrEqual(20);
      expect(statements()).toBeLessThanOrEqual(8);
    }
  });

  const countRecords = async () =>
    Number(await worker.env.DB.prepare("SELECT count FROM state").first("count"));

  test("stays within the limits of the free plan when it adds the most records to 16 years of records", async () => {
    const from = Date.parse("2026-11-20T11:30:00Z");
    const to = new Date(from + MAX_INTERVALS_PER_RUN * INTERVAL_MS).toISOString();
    const days = Array.from({ length: 6_000 }, (_, day) => {
      const name = new Date(Date.UTC(2010, 0, day + 1)).toISOString().slice(0, 10);
      return [name, 3_700, 300, 100] as Statistics["days"][number];
    });
    const count = 160_000 * BLOCK_SIZE - 1;
    const statistics = { ...statisticsOf(loaded), records: count, days };
    const encoding = encodeBlocks(makeRecords(BLOCK_SIZE - 1));
    const state: State = {
      ...NOTHING_LOADED,
      load: "a",
      revision: "a",
      count,
      tail: String(encoding.next().value),
    };
    const statements: string[] = [];
    const database: SqlDatabase = {
      query: async () => [],
      async write(some) {
        statements.push(...some);
        return 0;
      },
      batchBytes: 1_000_000,
    };
    await append(createD1Store(database), recordsOf(new Date(from).toISOString(), to), { state, statistics });
    expect(statements.length).toBeGreaterThan(4);
    // On the free plan a run may execute 50 statements, and it needs a few more statements to read.
    expect(statements.length).toBeLessThan(40);
    for (const sql of statements) {
      expect(sql).not.toContain("?");
      expect(Buffer.byteLength(sql)).toBeLessThan(100_000);
    }
  });
});
