import type { D1Database, D1Result } from "@cloudflare/workers-types";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { INTERVAL_MS, MAX_INTERVALS_PER_RUN } from "../../src/growth/period.ts";
import type { Statistics } from "../../src/records/statistics.ts";
import { BLOCK_SIZE, encodeBlocks } from "../../src/store/blocks.ts";
import { createD1Store, type SqlDatabase } from "../../src/store/d1.ts";
import { GRACE_MS } from "../../src/store/kv-state.ts";
import { createStore } from "../../src/store/open.ts";
import { createRevision, type State, type Store } from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { loadInto, useWorker } from "../worker.ts";
import { growAt, loaded, recordsOf, until, walk } from "./collection.ts";

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
      await growAt({ ...worker.env, DB }, `2026-11-20T${time}:00Z`);
      expect((await countRecords()) - before).toBeGreaterThan(70);
      // One or two blocks, the state, and a row of statistics that replaces another row.
      expect(sum("rows_written")).toBeLessThanOrEqual(5);
      expect(sum("rows_read")).toBeLessThanOrEqual(15);
      expect(statements()).toBeLessThanOrEqual(10);
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
    const count = 40_000 * BLOCK_SIZE - 1;
    const statistics = { ...statisticsOf(loaded), records: count, days };
    const row = { version: from, count, revision: "a", previous: "" };
    const state: State = { ...row, switchedAt: undefined };
    const [tail] = encodeBlocks(makeRecords(BLOCK_SIZE - 1), [], count - BLOCK_SIZE + 2);
    const statements: string[] = [];
    const database: SqlDatabase = {
      query: async () => [{ ...row, switched_at: null, first: tail!.first, text: tail!.text }],
      async write(some) {
        statements.push(...some);
        return 1;
      },
      batchBytes: 1_000_000,
    };
    await append(createD1Store(database), recordsOf(new Date(from).toISOString(), to), { state, statistics });
    expect(statements.length).toBeGreaterThan(6);
    // On the free plan a run may execute 50 statements, and it needs a few more statements to read.
    expect(statements.length).toBeLessThan(40);
    for (const sql of statements) {
      expect(sql).not.toContain("?");
      expect(Buffer.byteLength(sql)).toBeLessThan(100_000);
    }
  });

  const store = () => createStore(worker.env);
  const next = recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z");
  const open = () => ({ ...worker.env });

  /** A store that calls `happen` before the given write, which is a call of `writeBlocks` or `switchTo`. */
  function happenBefore(write: number, happen: () => Promise<void>): Store {
    const real = store();
    let writes = 0;
    const meet = async () => {
      if (writes++ === write) await happen();
    };
    return {
      ...real,
      batchBytes: 1,
      writeBlocks: async (...args) => meet().then(() => real.writeBlocks(...args)),
      switchTo: async (state) => meet().then(() => real.switchTo(state)),
    };
  }

  test("succeeds after an interrupted append left a longer block and more blocks", async () => {
    const base = await loadInto(worker.env, "d1", loaded);
    const first = loaded.length - (loaded.length % BLOCK_SIZE) + 1;
    const blocks = [...encodeBlocks([...loaded.slice(first - 1), ...makeRecords(2_000)], [], first)];
    const target = { version: base.version, revision: createRevision(Date.now()), base };
    await store().writeBlocks(blocks, target);
    expect(await walk(open)).toEqual(loaded);
    await growAt(worker.env, "2026-11-20T12:05:00Z");
    expect(await walk(open)).toEqual(until("2026-11-20T12:00:00Z"));
  });

  test.each([0, 1, 3, 5])("before write %i of a load does not disturb the load", async (write) => {
    const before = await loadInto(worker.env, "d1", loaded);
    const records = makeRecords(3_000);
    const meeting = happenBefore(write, async () => {
      await growAt(worker.env, "2026-11-20T12:05:00Z");
      expect((await store().readState()).version).toBe(before.version);
      expect(await walk(open)).toEqual(until("2026-11-20T12:00:00Z"));
    });
    const state = await load(meeting, records);
    expect(state.version).toBeGreaterThan(before.version);
    expect(await store().readState()).toEqual(state);
    expect(await store().readStatistics(state)).toEqual(statisticsOf(records));
    expect(await walk(open)).toEqual(records);
  });

  test.each([0, 1, 2])("before write %i of an append succeeds, and the append fails", async (write) => {
    const state = await loadInto(worker.env, "d1", loaded);
    const meeting = happenBefore(write, () => growAt(worker.env, "2026-11-20T12:35:00Z"));
    const appending = append(meeting, next, { state, statistics: statisticsOf(loaded) });
    await expect(appending).rejects.toThrow("changed the collection at the same time");
    const all = until("2026-11-20T12:30:00Z");
    const grown = await store().readState();
    expect(grown).toMatchObject({ version: state.version, count: all.length });
    expect(await store().readStatistics(grown)).toMatchObject({
      ...statisticsOf(all),
      sources: [{ kind: "growth" }],
    });
    expect(await walk(open)).toEqual(all);
  });
});

describe("a growth run on kv", () => {
  const keys = async () => (await worker.env.KV.list()).keys.map(({ name }) => name);
  const grow = async (time: string) => {
    await growAt({ ...worker.env, STORE: "kv" }, time);
    return createStore({ ...worker.env, STORE: "kv" }).readState();
  };

  test("removes, after two minutes, the keys that earlier writes replaced, and no other keys", async () => {
    const { revision: first } = await loadInto(worker.env, "kv", loaded);
    const other = `blocks/${createRevision(Date.now())}/1`;
    await worker.env.KV.put(other, "of a load that is running");
    const others = await keys();
    expect(others.sort()).toEqual([`blocks/${first}/1`, other, "state", `statistics/${first}`].sort());
    vi.useFakeTimers({ toFake: ["Date"] });
    const [begun, minute] = [Date.now(), 60_000];

    const { revision: second, count } = await grow("2026-11-20T12:05:00Z");
    expect([loaded.length < BLOCK_SIZE, count > BLOCK_SIZE]).toEqual([true, true]);
    const added = [`blocks/${second}/1`, `blocks/${second}/601`, `statistics/${second}`];
    expect(await keys(), "nothing is removed, since readers may need it").toEqual(
      [...others, ...added].sort(),
    );

    vi.setSystemTime(begun + GRACE_MS + minute);
    const { revision: third } = await grow("2026-11-20T12:35:00Z");
    const left = [other, "state", ...added, `blocks/${third}/601`, `statistics/${third}`];
    expect(await keys(), "what the load wrote is gone").toEqual(left.sort());

    vi.setSystemTime(begun + 2 * (GRACE_MS + minute));
    const { revision: fourth } = await grow("2026-11-20T13:05:00Z");
    const end = [other, "state", `blocks/${second}/1`, `blocks/${third}/601`, `statistics/${third}`];
    expect(await keys(), "what the first run wrote is gone, except for the full block").toEqual(
      [...end, `blocks/${fourth}/601`, `statistics/${fourth}`].sort(),
    );
  });
});
