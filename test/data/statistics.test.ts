import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { NO_STATISTICS } from "../../src/records/statistics.ts";
import { makeRecords, statisticsOf } from "../records/sample.ts";

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

const NO_HOURS = Array(24).fill([0, 0]);

describe("statistics", () => {
  test("of no records contain zeros, nulls and empty lists", () => {
    const hours = { weekdays: NO_HOURS, weekends: NO_HOURS };
    expect(statisticsOf([])).toEqual({ ...NO_STATISTICS, hours });
  });

  test("of two days count records, road users, and the records of each day", () => {
    const [one, other] = makeRecords(2) as [TrafficRecord, TrafficRecord];
    const zero = statisticsOf([]).totals;
    const counted = { ...zero, cars: 2, persons: 3, bicycles: 5, trucks: 7, motorcycles: 11, buses: 13 };
    const records: TrafficRecord[] = [
      { ...one, ...counted, id: -7, timestamp: "2019-05-16T23:59:59Z", camera_ok: null },
      { ...one, ...counted, id: -9, timestamp: "2019-05-18T00:00:00Z", camera_ok: "True", cars: 1 },
      { ...other, ...zero, id: -8, timestamp: "2019-05-18T00:00:00Z", camera_ok: "False" },
    ];
    expect(statisticsOf(records)).toEqual({
      first: "2019-05-16T23:59:59Z",
      last: "2019-05-18T00:00:00Z",
      cameras: [other, one].map(({ camera_pk, camera_ref }) => [camera_pk, camera_ref]),
      totals: { cars: 3, persons: 6, bicycles: 10, trucks: 14, motorcycles: 22, buses: 26 },
      days: [
        ["2019-05-16", 1, 0, 1, 41],
        ["2019-05-18", 2, 1, 0, 40],
      ],
      hours: {
        weekdays: NO_HOURS.with(23, [1, 41]),
        weekends: NO_HOURS.with(0, [2, 40]),
      },
      sources: [],
      source_count: 0,
    });
  });

  test("do not depend on the order of the records", () => {
    const records = makeRecords(300);
    const all = statisticsOf(records);
    fc.assert(
      fc.property(fc.shuffledSubarray(records, { minLength: 300 }), (shuffled) => {
        expect(statisticsOf(shuffled)).toEqual(all);
      }),
    );
  });

  test("are the sums of their days, and of their hours", () => {
    const { days, hours, totals } = statisticsOf(makeRecords(1_000));
    expect(days).toHaveLength(6);
    expect(sum(days.map(([, records]) => records))).toBe(1_000);
    expect(sum(days.map(([, , , , roadUsers]) => roadUsers))).toBe(sum(Object.values(totals)));
    const all = [...hours.weekdays, ...hours.weekends];
    expect(sum(all.map(([records]) => records))).toBe(1_000);
    expect(sum(all.map(([, roadUsers]) => roadUsers))).toBe(sum(Object.values(totals)));
  });
});
