import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Interval } from "../../src/records/statistics.ts";
import { describeTime, findGaps, groupIntoPeriods } from "../../src/site/landing/periods.ts";

const DAY_MS = 86_400_000;

const toDate = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10);
const makeDay = (number: number): Interval => [toDate(number), 10, 2, 1, 6, 5, 4, 3, 2, 1];
const makeDays = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => makeDay(first + index));

describe("periods", () => {
  test.each([
    [0, 0],
    [1, 1],
    [60, 60],
    [61, 10],
    [365, 53],
    [400, 58],
    [2_500, 28],
    [20_000, 56],
  ])("%i consecutive days are about %i periods", (days, periods) => {
    expect(Math.abs(groupIntoPeriods(makeDays(0, days)).periods.length - periods)).toBeLessThanOrEqual(1);
  });

  test("contain the sums of their days", () => {
    const { period_units, periods } = groupIntoPeriods(makeDays(7 * 2_000, 7 * 60));
    expect(period_units).toBe(7);
    expect(periods[0]).toEqual({
      first: toDate(7 * 2_000),
      last: toDate(7 * 2_000 + 6),
      units: 7,
      records: 70,
      camera_ok: { True: 49, False: 14, null: 7 },
      totals: { cars: 42, persons: 35, bicycles: 28, trucks: 21, motorcycles: 14, buses: 7 },
    });
  });

  test("count their days with records, at both ends and in between", () => {
    const days = [...makeDays(7 * 2_000 + 3, 100), ...makeDays(7 * 2_000 + 105, 100)];
    const { periods } = groupIntoPeriods(days);
    expect(periods.map((period) => period.units).filter((count) => count !== 7)).toEqual([4, 5, 2]);
    for (const { units, totals } of periods) expect(totals.cars / units).toBe(6);
  });

  test("are at most 60, in order, and contain every record once, for any days", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 30_000 }), { maxLength: 3_000 }), (numbers) => {
        const days = numbers.sort((one, other) => one - other).map(makeDay);
        const { periods } = groupIntoPeriods(days);
        expect(periods.length).toBeLessThanOrEqual(60);
        expect(periods.reduce((sum, { records }) => sum + records, 0)).toBe(10 * days.length);
        expect(periods.reduce((sum, period) => sum + period.units, 0)).toBe(days.length);
        const bounds = periods.flatMap(({ first, last }) => [first, last]);
        expect(bounds).toEqual(bounds.toSorted());
      }),
    );
  });
});

describe("a gap", () => {
  const grouped = groupIntoPeriods([makeDay(100), makeDay(101), makeDay(103), makeDay(2_000)]);

  test.each([
    [0, undefined],
    [1, undefined],
    [2, { first: toDate(102), last: toDate(102) }],
    [3, { first: toDate(104), last: toDate(1_999) }],
    [4, undefined],
  ])("before period %i is %j", (index, gap) => expect(findGaps(grouped)[index]).toEqual(gap));
});

describe("a collection of one or two days", () => {
  const makeHour = (hour: string): Interval => [`2025-11-02T${hour}`, 10, 2, 1, 6, 5, 4, 3, 2, 1];
  const grouped = describeTime({ days: [makeDay(20_394)], hours: ["00", "01", "05"].map(makeHour) });

  test("is shown in hours", () => {
    expect(grouped).toMatchObject({ unit: "hour", period_units: 1 });
    expect(grouped.periods.map(({ first, units, records }) => [first, units, records])).toEqual([
      ["2025-11-02T00", 1, 10],
      ["2025-11-02T01", 1, 10],
      ["2025-11-02T05", 1, 10],
    ]);
  });

  test("has gaps of hours", () => {
    expect(findGaps(grouped)[1]).toBeUndefined();
    expect(findGaps(grouped)[2]).toEqual({ first: "2025-11-02T02", last: "2025-11-02T04" });
  });

  test("is shown in days if its statistics come from an older version without hours", () => {
    expect(describeTime({ days: [makeDay(20_394)] })).toMatchObject({ unit: "day" });
  });
});
