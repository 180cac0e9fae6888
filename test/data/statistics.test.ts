import { describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { NO_STATISTICS } from "../../src/records/statistics.ts";
import { makeRecords, statisticsOf } from "../records/sample.ts";

const NO_HOURS = Array(24).fill([0, 0]);

describe("statistics", () => {
  test("of no records contain zeros, nulls and empty lists", () => {
    const hours = { weekdays: NO_HOURS, weekends: NO_HOURS };
    expect(statisticsOf([])).toEqual({ ...NO_STATISTICS, hours });
  });

  test("of records in any order count road users, and the records of each day and hour", () => {
    const [one, other] = makeRecords(2) as [TrafficRecord, TrafficRecord];
    const zero = statisticsOf([]).totals;
    const counted = { ...zero, cars: 2, persons: 3, bicycles: 5, trucks: 7, motorcycles: 11, buses: 13 };
    const records: TrafficRecord[] = [
      { ...one, ...counted, id: -7, timestamp: "2019-05-16T23:59:59Z", camera_ok: null },
      { ...one, ...counted, id: -9, timestamp: "2019-05-18T00:00:00Z", camera_ok: "True", cars: 1 },
      { ...other, ...zero, id: -8, timestamp: "2019-05-18T00:00:00Z", camera_ok: "False" },
    ];
    const expected = {
      first: "2019-05-16T23:59:59Z",
      last: "2019-05-18T00:00:00Z",
      cameras: [other, one].map(({ camera_pk, camera_ref }) => [camera_pk, camera_ref]),
      totals: { cars: 3, persons: 6, bicycles: 10, trucks: 14, motorcycles: 22, buses: 26 },
      days: [
        ["2019-05-16", 1, 0, 1, 41],
        ["2019-05-18", 2, 1, 0, 40],
      ],
      hours: { weekdays: NO_HOURS.with(23, [1, 41]), weekends: NO_HOURS.with(0, [2, 40]) },
      sources: [],
      source_count: 0,
    };
    for (const given of [records, records.toReversed()]) expect(statisticsOf(given)).toEqual(expected);
  });
});
