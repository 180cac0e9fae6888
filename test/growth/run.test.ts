import { describe, expect, test } from "vitest";
import { MAX_INTERVALS_PER_RUN } from "../../src/growth/period.ts";
import { TrafficRecord } from "../../src/records/record.ts";
import { createStore } from "../../src/store/open.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { loadInto } from "../worker.ts";
import { COLLECTION, growAt, loaded, recordsOf, until, walk } from "./collection.ts";
import { useGrowingWorker, useLoaded, worker } from "./growing.ts";

useGrowingWorker();

describe("a collection", () => {
  const open = useLoaded();

  test("gets the generated records of the half hour that has ended", async () => {
    await growAt(open(), "2026-11-20T12:05:00Z");
    const walked = await walk(open);
    expect(walked).toEqual(until("2026-11-20T12:00:00Z"));
    for (const record of walked) expect(TrafficRecord.parse(record)).toEqual(record);
    expect(console.log).toHaveBeenCalledExactlyOnceWith(
      `Added ${walked.length - loaded.length} records; ${walked.length} are loaded.`,
    );
  });

  const readState = () => createStore(open()).readState({ newest: true });

  test("keeps its load, and gets a new revision, new statistics and a new time", async () => {
    const before = await loadInto(worker.env, "d1", loaded);
    const begun = Date.now();
    await growAt(open(), "2026-11-20T12:05:00Z");
    const all = until("2026-11-20T12:00:00Z");
    const { state, statistics } = await createStore(open()).readStatistics(true);
    const { load, revision } = before;
    expect(state).toMatchObject({
      load,
      count: all.length,
      previous: [revision, ...before.previous].slice(0, 8),
    });
    expect(state.revision).not.toBe(revision);
    expect(Date.parse(String(state.switchedAt))).toBeGreaterThanOrEqual(begun);
    expect(statistics).toEqual({
      ...statisticsOf(all),
      sources: [{ kind: "growth", name: "cron trigger" }],
      source_count: 1,
    });
  });

  test("gets no records from a run that is repeated or that was due earlier", async () => {
    await growAt(open(), "2026-11-20T12:05:00Z");
    const state = await readState();
    await growAt(open(), "2026-11-20T12:05:00Z");
    await growAt(open(), "2026-11-20T12:29:59Z");
    await growAt(open(), "2026-11-20T11:35:00Z");
    expect(await readState()).toEqual(state);
    expect(await walk(open)).toEqual(until("2026-11-20T12:00:00Z"));
  });

  test("gets the records of missed runs, at most two half hours per run, and then those of each run", async () => {
    expect(MAX_INTERVALS_PER_RUN).toBe(2);
    for (const [due, end] of [
      ["13:05", "12:30"],
      ["13:35", "13:30"],
      ["14:05", "14:00"],
    ]) {
      await growAt(open(), `2026-11-20T${due}:00Z`);
      expect(await walk(open)).toEqual(until(`2026-11-20T${end}:00Z`));
    }
  });

  test("whose newest record is old continues with the last half hour, and does not fill the gap", async () => {
    await growAt(open(), "2027-03-01T00:05:00Z");
    expect(await walk(open)).toEqual([
      ...loaded,
      ...recordsOf("2027-02-28T23:30:00Z", "2027-03-01T00:00:00Z"),
    ]);
  });

  test("that was loaded without records begins with the last half hour", async () => {
    await loadInto(worker.env, "d1", []);
    await growAt(open(), "2026-11-20T12:05:00Z");
    expect(await walk(open)).toEqual(recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z"));
  });

  test("that grows during a walk with as_of serves the walk from one state", async () => {
    let time = Date.parse("2026-11-20T12:05:00Z");
    const grow = async () => {
      if (time < Date.parse("2026-11-20T16:00:00Z")) await growAt(open(), new Date(time).toISOString());
      time += 1_800_000;
    };
    expect(await walk(open, `${COLLECTION}?as_of=latest`, grow)).toEqual(loaded);
    expect(await walk(open)).toEqual(until("2026-11-20T15:30:00Z"));
  });

  test("gets each record once if runs overlap", async () => {
    const times = ["12:05", "12:05", "12:35", "12:05"].map((time) => `2026-11-20T${time}:00Z`);
    const runs = await Promise.allSettled(times.map((time) => growAt(open(), time)));
    expect(runs.map(({ status }) => status)).toContain("fulfilled");
    await growAt(open(), "2026-11-20T13:05:00Z");
    expect(await walk(open)).toEqual(until("2026-11-20T13:00:00Z"));
  });
});
