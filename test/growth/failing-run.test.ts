import { describe, expect, test } from "vitest";
import type { Env } from "../../src/env.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, startWorker } from "../worker.ts";
import { growAt, loaded, until, walk } from "./collection.ts";
import { useGrowingWorker, useLoaded, worker } from "./growing.ts";

useGrowingWorker();

describe("a collection", () => {
  const open = useLoaded();

  test.each<[string, () => Promise<TrafficRecord[]>]>([
    [
      "a load",
      async () => {
        const records = makeRecords(40);
        await loadInto(worker.env, "d1", records);
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

  const failAt = (write: number) =>
    growAt(
      interruptAt(open(), write, async () => {
        throw new Error("the store is broken");
      }),
      "2026-11-20T12:05:00Z",
    );

  test.each([
    ["the block", 0],
    ["the state", 1],
  ])(
    "is served unchanged if a run fails to write %s, and the next run adds the missing records",
    async (_, write) => {
      await expect(failAt(write)).rejects.toThrow("the store is broken");
      expect(await walk(open)).toEqual(loaded);
      await growAt(open(), "2026-11-20T12:35:00Z");
      expect(await walk(open)).toEqual(until("2026-11-20T12:30:00Z"));
    },
  );

  test("gets the records of a run whose sweep fails", async () => {
    await failAt(2);
    expect(await walk(open)).toEqual(until("2026-11-20T12:00:00Z"));
  });

  test.each<[string, string]>([
    ["nothing was ever loaded", "The collection cannot grow: nothing was ever loaded."],
    ["it has no statistics", "The statistics are missing"],
    ["it is in KV", "Records cannot be added to a collection in KV"],
  ])("does not grow if %s", async (reason, message) => {
    const unloaded = await startWorker();
    const env = { ...unloaded.env };
    if (reason === "it has no statistics") {
      await loadInto(env, "d1", loaded);
      await env.DB.exec("DELETE FROM statistics");
    }
    if (reason === "it is in KV") env.STORE = "kv";
    await expect(growAt(env, "2026-11-20T12:05:00Z")).rejects.toThrow(message);
    await unloaded.close();
  });

  test("does not grow if its camera_pks belong to other cameras", async () => {
    const records = makeRecords(40);
    await loadInto(worker.env, "d1", records);
    await expect(growAt(open(), "2026-11-20T12:05:00Z")).rejects.toThrow(
      /^The collection cannot grow: camera_pk \d+ is loaded with camera_ref/,
    );
    expect(await walk(open)).toEqual(records);
  });
});

/** An environment that calls `happen` before the given write, which is a batch of D1. */
function interruptAt(env: Env, write: number, happen: () => Promise<void>): Env {
  let writes = 0;
  const interrupted =
    <Arguments extends unknown[], Result>(method: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments) => {
      if (writes++ === write) await happen();
      return method(...args);
    };
  const { DB } = env;
  return {
    ...env,
    DB: Object.assign(Object.create(DB), {
      withSession: (from?: string) => DB.withSession(from),
      prepare: (sql: string) => DB.prepare(sql),
      batch: interrupted((statements: Parameters<typeof DB.batch>[0]) => DB.batch(statements)),
    }),
  };
}
