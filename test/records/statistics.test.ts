import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { gatherStatistics, type Statistics } from "../../src/records/statistics.ts";
import { makeRecords } from "./sample.ts";

function gather(records: TrafficRecord[], before?: Statistics): Statistics {
  const gathering = gatherStatistics(before);
  expect([...gathering.pass(records)], "what passes").toEqual(records);
  return gathering.statistics();
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe("statistics", () => {
  test("of no records contain zeros, nulls and empty lists", () => {
    expect(gather([])).toEqual({
      records: 0,
      first: null,
      last: null,
      largest_id: null,
      cameras: [],
      camera_ok: { True: 0, False: 0, null: 0 },
      totals: { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 },
      days: [],
      hours: [],
      sources: [],
    });
  });

  test("of two days count records, road users, days and hours", () => {
    const [one, ...others] = makeRecords(4);
    const records = [
      { ...one!, id: -7, timestamp: "2019-05-16T23:59:59Z", camera_ok: null, cars: 2, buses: 1 },
      { ...one!, id: -9, timestamp: "2019-05-17T00:00:00Z", camera_ok: "True" as const, cars: 3, persons: 4 },
      { ...others[0]!, id: -8, timestamp: "2019-05-17T00:00:00Z", camera_ok: "False" as const },
    ].map((record, index) => (index === 2 ? { ...record, ...gather([]).totals } : record));
    const { persons, bicycles, trucks, motorcycles, buses } = one!;
    expect(gather(records)).toEqual({
      records: 3,
      first: "2019-05-16T23:59:59Z",
      last: "2019-05-17T00:00:00Z",
      largest_id: -7,
      cameras: [
        [others[0]!.camera_pk, others[0]!.camera_ref],
        [one!.camera_pk, one!.camera_ref],
      ],
      camera_ok: { True: 1, False: 1, null: 1 },
      totals: {
        cars: 5,
        persons: persons + 4,
        bicycles: 2 * bicycles,
        trucks: 2 * trucks,
        motorcycles: 2 * motorcycles,
        buses: buses + 1,
      },
      days: [
        ["2019-05-16", 1, 0, 1, 2, persons, bicycles, trucks, motorcycles, 1],
        ["2019-05-17", 2, 1, 0, 3, 4, bicycles, trucks, motorcycles, buses],
      ],
      hours: [
        ["2019-05-16T23", 1, 0, 1, 2, persons, bicycles, trucks, motorcycles, 1],
        ["2019-05-17T00", 2, 1, 0, 3, 4, bicycles, trucks, motorcycles, buses],
      ],
      sources: [],
    });
  });

  test("that continue earlier statistics equal those of all records, at any cut", () => {
    const records = makeRecords(300);
    const all = gather(records);
    fc.assert(
      fc.property(fc.nat(300), (cut) => {
        const before = gather(records.slice(0, cut));
        const text = JSON.stringify(before);
        expect(gather(records.slice(cut), JSON.parse(text))).toEqual(all);
        expect(gather(records.slice(cut), before)).toEqual(all);
        expect(JSON.stringify(before), "is not changed").toBe(text);
      }),
    );
  });

  test("of three days have no hours, nor do statistics that continue those of an older version", () => {
    const records = makeRecords(1_000);
    const twoDays = records.filter(({ timestamp }) => timestamp < "2019-05-19");
    expect(gather(twoDays).hours).toHaveLength(48);
    expect(gather(records).hours).toBeUndefined();
    const { hours: _, ...older } = gather(twoDays.slice(0, 10));
    expect(gather(twoDays.slice(10), older).hours).toBeUndefined();
  });

  test("name each source once, and at most twenty sources", () => {
    const [seed, growth] = [
      { kind: "seed", name: "data/seed" },
      { kind: "growth", name: "cron trigger" },
    ] as const;
    const first = gatherStatistics(undefined, [seed, seed]).statistics();
    expect(first.sources).toEqual([seed]);
    const second = gatherStatistics(first, [growth]).statistics();
    expect(gatherStatistics(second, [growth, seed]).statistics().sources).toEqual([seed, growth]);
    const files = Array.from({ length: 30 }, (_, index) => ({ kind: "file" as const, name: `${index}.csv` }));
    expect(gatherStatistics(second, files).statistics().sources).toEqual([
      seed,
      growth,
      ...files.slice(0, 18),
    ]);
  });

  test("that continue those of an older version without sources do not name any sources", () => {
    const { sources: _, ...older } = gather([]);
    const source = { kind: "file", name: "counts.csv" } as const;
    expect(gatherStatistics(older, [source]).statistics().sources).toBeUndefined();
  });

  test("are the sums of their days", () => {
    const { records, camera_ok, totals, days } = gather(makeRecords(1_000));
    expect(days).toHaveLength(6);
    expect(sum(days.map(([, count]) => count))).toBe(records);
    expect(sum(days.map(([, , failing]) => failing))).toBe(camera_ok.False);
    expect(sum(days.map(([, , , unknown]) => unknown))).toBe(camera_ok.null);
    for (const [index, name] of ROAD_USERS.entries())
      expect(sum(days.map((day) => Number(day[4 + index])))).toBe(totals[name]);
  });
});
