import { describe, expect, test } from "vitest";
import { createCameras, isInOutage, type OutageSchedule } from "../../src/generator/cameras.ts";
import { getHourlyProfile } from "../../src/generator/counts.ts";

describe("createCameras", () => {
  test("gives each camera its own camera_ref and camera_pk", () => {
    const all = createCameras(5000, 1);
    expect(new Set(all.map(({ camera_ref }) => camera_ref)).size).toBe(5000);
    expect(all.map(({ camera_pk }) => camera_pk)).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1));
  });

  test("returns the same first cameras for a larger count, and the same camera_refs for any random seed", () => {
    expect(createCameras(300, 1).slice(0, 86)).toEqual(createCameras(86, 1));
    const refs = (seed: number) => createCameras(86, seed).map(({ camera_ref }) => camera_ref);
    expect(refs(2)).toEqual(refs(1));
    expect(refs(1)).toEqual(expect.arrayContaining(["pd1p1", "pd1p4"]));
  });
});

describe("isInOutage", () => {
  const HOUR = 3600;
  const schedule = { key: 5, window: 48 * HOUR, chance: 0.5, shortest: 2 * HOUR, longest: 10 * HOUR };
  const minutes = (own: OutageSchedule) =>
    Array.from({ length: 200 * 48 * 60 }, (_, minute) => isInOutage(own, minute * 60));

  test("gives outages from the shortest to the longest length, in the given share of windows", () => {
    const letters = minutes(schedule).map((inOutage) => (inOutage ? "X" : "."));
    const lengths = letters
      .join("")
      .match(/X+/g)!
      .map((run) => run.length / 60);
    expect(Math.abs(lengths.length - 100)).toBeLessThan(25);
    expect(Math.min(...lengths)).toBeGreaterThan(1.9);
    expect(Math.max(...lengths)).toBeLessThan(20.1);
    expect(lengths.reduce((sum, hours) => sum + hours, 0) / lengths.length).toBeCloseTo(6, 0);
  });

  test("is never true if the chance is 0, and always true if outages fill their windows", () => {
    expect(minutes({ ...schedule, chance: 0 })).not.toContain(true);
    const full = { ...schedule, chance: 1, shortest: schedule.window, longest: schedule.window };
    expect(minutes(full)).not.toContain(false);
  });
});

test.each([
  ["2025-10-31T15:59:59Z", "Friday, 16 h local", { traffic: 0.92, trucks: 0.52 }],
  ["2025-10-31T16:00:00Z", "Friday, 17 h local", { traffic: 1, trucks: 0.36 }],
  ["2025-10-31T22:59:59Z", "Friday, 23 h local", { traffic: 0.22, leisure: 0.14 }],
  ["2025-10-31T23:00:00Z", "Saturday, 0 h local", { traffic: 0.2, leisure: 0.18 }],
  ["2025-11-02T11:00:00Z", "Sunday, 12 h local", { leisure: 1.1, buses: 0.46 }],
  ["2025-11-02T23:00:00Z", "Monday, 0 h local", { traffic: 0.12, errands: 0.08 }],
  ["1970-01-01T07:00:00Z", "Thursday, 8 h local", { traffic: 0.9 }],
])("the profile of %s is that of %s", (timestamp, _, profile) => {
  expect(getHourlyProfile(Date.parse(timestamp) / 1000)).toMatchObject(profile);
});
