import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { INTERVAL_MS, MAX_INTERVALS_PER_RUN } from "../../src/growth/period.ts";
import type { Statistics } from "../../src/records/statistics.ts";
import { BLOCK_SIZE, encodeBlocks } from "../../src/store/blocks.ts";
import { createD1Store, type SqlDatabase } from "../../src/store/d1.ts";
import { NOTHING_LOADED, type State } from "../../src/store/store.ts";
import { append } from "../../src/store/writer.ts";
import { createInstance } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { createCountingStore } from "../store/counting-store.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { loadInto, useWorker } from "../worker.ts";
import { loaded, recordsOf, runScheduled } from "./collection.ts";

const worker = useWorker();
beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

describe("a growth run on d1", () => {
  const countRecords = async () => (await createCountingStore(worker.env.DB).store.readState()).count;

  test.each([700, 20_000])("on a collection of %i records reads and writes few rows", async (count) => {
    const all = recordsOf("2026-09-20T00:00:00Z", "2026-11-20T11:30:00Z").slice(-count);
    await loadInto(worker.env, "d1", all);
    for (const time of ["12:05", "14:05"]) {
      const { store, counted } = createCountingStore(worker.env.DB);
      const before = await countRecords();
      const { env } = createInstance(store, { settings: { GROW: "on" } });
      await runScheduled(env, `2026-11-20T${time}:00Z`);
      expect((await countRecords()) - before).toBeGreaterThan(70);
      // At most two blocks, the state, and the statistics.
      expect(counted.written).toBeLessThanOrEqual(4);
      expect(counted.read).toBeLessThanOrEqual(20);
      expect(counted.statements).toBeLessThanOrEqual(8);
    }
  });

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
