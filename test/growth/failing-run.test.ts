import { describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import type { Env } from "../../src/env.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, startWorker } from "../worker.ts";
import { growAt, loaded, until, walk } from "./collection.ts";
import { useGrowingWorker, useLoaded, worker } from "./growing.ts";

useGrowingWorker();

describe.each(STORE_NAMES)("a collection in %s", (STORE) => {
  const open = useLoaded(STORE);

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
  ])("gets no records from a run that overlaps with %s", async (_, meet) => {
    let expected: TrafficRecord[] = [];
    const run = growAt(
      interruptAt(open(), 0, async () => {
        expected = await meet();
      }),
      "2026-11-20T12:05:00Z",
    );
    await expect(run).rejects.toThrow("changed the collection at the same time");
    expect(await walk(open)).toEqual(expected);
  });

  test("is served unchanged if a run fails at any write, and the next run adds the missing records", async () => {
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
      expect(await walk(open)).toEqual(loaded);
      await growAt(open(), "2026-11-20T12:35:00Z");
      expect(await walk(open)).toEqual(until("2026-11-20T12:30:00Z"));
    }
    // D1 writes the blocks and the switch; KV writes two blocks, the statistics and the state.
    expect(write).toBe(STORE === "d1" ? 2 : 4);
  });

  test.each<[string, string]>([
    ["nothing was ever loaded", "The collection cannot grow: nothing was ever loaded."],
    ["it has no statistics", "The collection cannot grow: its statistics are missing."],
  ])("does not grow if %s", async (reason, message) => {
    const unloaded = await startWorker();
    const env = { ...unloaded.env, STORE };
    if (reason === "it has no statistics") {
      await loadInto(env, STORE, loaded);
      await env.DB.exec("DELETE FROM statistics");
      for (const { name } of (await env.KV.list({ prefix: "statistics/" })).keys) await env.KV.delete(name);
    }
    await expect(growAt(env, "2026-11-20T12:05:00Z")).rejects.toThrow(message);
    await unloaded.close();
  });

  test("does not grow if its camera_pks belong to other cameras", async () => {
    const records = makeRecords(40);
    await loadInto(worker.env, STORE, records);
    await expect(growAt(open(), "2026-11-20T12:05:00Z")).rejects.toThrow(
      /^The collection cannot grow: camera_pk \d+ is loaded with camera_ref/,
    );
    expect(await walk(open)).toEqual(records);
  });
});

/** An environment that calls `happen` before the given write, which is a batch of D1 or a value of KV. */
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
