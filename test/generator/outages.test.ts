import { describe, expect, test } from "vitest";
import { isInOutage, type OutageSchedule } from "../../src/generator/outages.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("isInOutage", () => {
  const HOUR = 3600;
  const schedule: OutageSchedule = {
    key: 5,
    window: 48 * HOUR,
    chance: 0.5,
    shortest: 2 * HOUR,
    longest: 10 * HOUR,
  };
  const minutes = (own: OutageSchedule) =>
    numbers(200 * 48 * 60).map((minute) => isInOutage(own, minute * 60));

  test("gives outages from the shortest to the longest length, in the given share of windows", () => {
    const letters = minutes(schedule).map((inOutage) => (inOutage ? "X" : "."));
    const lengths = letters
      .join("")
      .split(/\.+/)
      .map((run) => run.length / 60)
      .filter((hours) => hours > 0);
    expect(lengths.length).toBeGreaterThan(75);
    expect(lengths.length).toBeLessThan(125);
    expect(Math.min(...lengths)).toBeGreaterThan(1.9);
    expect(Math.max(...lengths)).toBeLessThan(20.1);
    expect(mean(lengths)).toBeCloseTo(6, 0);
  });

  test("is never true if the chance is 0, and always true if outages fill their windows", () => {
    expect(minutes({ ...schedule, chance: 0 })).not.toContain(true);
    expect(
      minutes({ ...schedule, chance: 1, shortest: schedule.window, longest: schedule.window }),
    ).not.toContain(false);
  });
});
