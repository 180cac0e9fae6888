import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MAX_INTERVALS_PER_RUN } from "../../src/growth/period.ts";
import { Page, TrafficRecord } from "../../src/records/record.ts";
import type { Store } from "../../src/store/store.ts";
import { PATH } from "../http-suite/exchange.ts";
import { createInstance, createMemoryService, type MemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { readAll } from "../store/reader.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { loaded, recordsOf, runScheduled, until } from "./collection.ts";

let service: MemoryService;
beforeEach(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  service = await createMemoryService(loaded);
});
afterEach(() => vi.restoreAllMocks());

const growAt = (time: string, store: Store = service.store) =>
  runScheduled(createInstance(store, { settings: { GROW: "on" } }).env, time);
const read = async () => (await readAll(service.store)).records;

describe("a collection", () => {
  test("gets the generated records of the half hour that has ended", async () => {
    await growAt("2026-11-20T12:05:00Z");
    const records = await read();
    expect(records).toEqual(until("2026-11-20T12:00:00Z"));
    for (const record of records) expect(TrafficRecord.parse(record)).toEqual(record);
    expect(console.log).toHaveBeenCalledExactlyOnceWith(
      `Added ${records.length - loaded.length} records; ${records.length} are loaded.`,
    );
  });

  test("keeps its load, and gets a new revision, new statistics and a new time", async () => {
    const before = await service.load(loaded);
    const begun = Date.now();
    await growAt("2026-11-20T12:05:00Z");
    const all = until("2026-11-20T12:00:00Z");
    const { state, statistics } = await service.store.readStatistics(true);
    const { load, revision } = before;
    const previous = [revision, ...before.previous].slice(0, 8);
    expect(state).toMatchObject({ load, count: all.length, previous });
    expect(state.revision).not.toBe(revision);
    expect(Date.parse(String(state.switchedAt))).toBeGreaterThanOrEqual(begun);
    const sources = [{ kind: "growth", name: "cron trigger" }];
    expect(statistics).toEqual({ ...statisticsOf(all), sources, source_count: 1 });
  });

  test("gets no records from a run that is repeated or that was due earlier", async () => {
    await growAt("2026-11-20T12:05:00Z");
    const state = await service.store.readState();
    for (const due of ["12:05:00", "12:29:59", "11:35:00"]) await growAt(`2026-11-20T${due}Z`);
    expect(await service.store.readState()).toEqual(state);
  });

  test("gets the records of missed runs, at most two half hours per run, and then those of each run", async () => {
    expect(MAX_INTERVALS_PER_RUN).toBe(2);
    for (const [due, end] of [
      ["13:05", "12:30"],
      ["13:35", "13:30"],
      ["14:05", "14:00"],
    ]) {
      await growAt(`2026-11-20T${due}:00Z`);
      expect(await read()).toEqual(until(`2026-11-20T${end}:00Z`));
    }
  });

  test("whose newest record is old continues with the last half hour, and does not fill the gap", async () => {
    await growAt("2027-03-01T00:05:00Z");
    const added = recordsOf("2027-02-28T23:30:00Z", "2027-03-01T00:00:00Z");
    expect(await read()).toEqual([...loaded, ...added]);
  });

  test("that was loaded without records begins with the last half hour", async () => {
    await service.load([]);
    await growAt("2026-11-20T12:05:00Z");
    expect(await read()).toEqual(recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z"));
  });

  test("that grows during a walk with as_of serves the walk from one state", async () => {
    const walked: TrafficRecord[] = [];
    let time = Date.parse("2026-11-20T12:05:00Z");
    for (let url: string | null = `${PATH}?as_of=latest`; url !== null; time += 1_800_000) {
      const page: Page = Page.parse(await (await service.fetch(url)).json());
      walked.push(...page.results);
      url = page.next;
      await growAt(new Date(time).toISOString());
    }
    expect(walked.reverse()).toEqual(loaded);
    expect((await read()).length).toBeGreaterThan(2 * loaded.length);
  });
});

describe("a run that", () => {
  /** The store, which calls `happen` before a method. */
  const interrupt = (
    method: "writeBlocks" | "switchTo" | "sweep",
    happen: () => Promise<unknown>,
  ): Store => ({
    ...service.store,
    async [method](...parameters: unknown[]) {
      await happen();
      return Reflect.apply(service.store[method], service.store, parameters);
    },
  });
  const fail = () => Promise.reject(new Error("the store is broken"));

  test.each<[string, () => Promise<unknown>, TrafficRecord[]]>([
    ["a load", () => service.load(makeRecords(40)), makeRecords(40)],
    ["another run", () => growAt("2026-11-20T12:35:00Z"), until("2026-11-20T12:30:00Z")],
  ])("overlaps with %s adds no records", async (_, meet, expected) => {
    const run = growAt("2026-11-20T12:05:00Z", interrupt("writeBlocks", meet));
    await expect(run).rejects.toThrow("changed the collection at the same time");
    expect(await read()).toEqual(expected);
  });

  test("overlaps with others adds each record once", async () => {
    const times = ["12:05", "12:05", "12:35", "12:05"].map((time) => `2026-11-20T${time}:00Z`);
    const runs = await Promise.allSettled(times.map((time) => growAt(time)));
    expect(runs.map(({ status }) => status)).toContain("fulfilled");
    await growAt("2026-11-20T13:05:00Z");
    expect(await read()).toEqual(until("2026-11-20T13:00:00Z"));
  });

  test.each(["writeBlocks", "switchTo"] as const)(
    "fails in %s changes nothing, and the next run adds the missing records",
    async (method) => {
      await expect(growAt("2026-11-20T12:05:00Z", interrupt(method, fail))).rejects.toThrow("is broken");
      expect(await read()).toEqual(loaded);
      await growAt("2026-11-20T12:35:00Z");
      expect(await read()).toEqual(until("2026-11-20T12:30:00Z"));
    },
  );

  test("fails to sweep adds its records", async () => {
    await growAt("2026-11-20T12:05:00Z", interrupt("sweep", fail));
    expect(await read()).toEqual(until("2026-11-20T12:00:00Z"));
  });

  test.each<[string, () => Promise<Store>, string | RegExp]>([
    [
      "meets a store that was never loaded",
      async () => (await createMemoryService()).store,
      "The collection cannot grow: nothing was ever loaded.",
    ],
    [
      "meets a collection in KV",
      async () => ({ ...service.store, takesAppends: false }),
      "Records cannot be added to a collection in KV",
    ],
    [
      "meets other cameras",
      async () => (await createMemoryService(makeRecords(40))).store,
      /^The collection cannot grow: camera_pk \d+ is loaded with camera_ref/,
    ],
  ])("%s fails", async (_, open, message) => {
    const store = await open();
    const before = await store.readState();
    await expect(growAt("2026-11-20T12:05:00Z", store)).rejects.toThrow(message);
    expect(await store.readState()).toEqual(before);
  });
});
