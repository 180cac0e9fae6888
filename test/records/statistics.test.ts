import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { addSources, gatherStatistics, type Source, type Statistics } from "../../src/records/statistics.ts";
import { makeRecords } from "./sample.ts";

function gather(records: TrafficRecord[], before?: Statistics): Statistics {
  const gathering = gatherStatistics(before);
  records.forEach(gathering.add);
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
      sources: [],
      source_count: 0,
    });
  });

  test("of two days count records, road users, and the records of each day", () => {
    const [one, other] = makeRecords(2) as [TrafficRecord, TrafficRecord];
    const zero = gather([]).totals;
    const counted = { ...zero, cars: 2, persons: 3, bicycles: 5, trucks: 7, motorcycles: 11, buses: 13 };
    const records: TrafficRecord[] = [
      { ...one, ...counted, id: -7, timestamp: "2019-05-16T23:59:59Z", camera_ok: null },
      { ...one, ...counted, id: -9, timestamp: "2019-05-17T00:00:00Z", camera_ok: "True", cars: 1 },
      { ...other, ...zero, id: -8, timestamp: "2019-05-17T00:00:00Z", camera_ok: "False" },
    ];
    expect(gather(records)).toEqual({
      ...gather([]),
      records: 3,
      first: "2019-05-16T23:59:59Z",
      last: "2019-05-17T00:00:00Z",
      largest_id: -7,
      cameras: [other, one].map(({ camera_pk, camera_ref }) => [camera_pk, camera_ref]),
      camera_ok: { True: 1, False: 1, null: 1 },
      totals: { cars: 3, persons: 6, bicycles: 10, trucks: 14, motorcycles: 22, buses: 26 },
      days: [
        ["2019-05-16", 0, 0, 1],
        ["2019-05-17", 1, 1, 0],
      ],
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

  test("do not depend on the order of the records", () => {
    const records = makeRecords(300);
    const all = gather(records);
    fc.assert(
      fc.property(fc.shuffledSubarray(records, { minLength: 300 }), (shuffled) => {
        expect(gather(shuffled)).toEqual(all);
      }),
    );
  });

  test("name each source once and at most twenty sources, and count all", () => {
    const [seed, stated]: Source[] = [
      { kind: "seed", name: "data/seed" },
      { kind: "stated", name: "archive" },
    ];
    const first = addSources(gather([]), [seed!, seed!]);
    expect(first).toMatchObject({ sources: [seed], source_count: 1 });
    const second = addSources(addSources(first, [stated!]), [stated!, seed!]);
    expect(second).toMatchObject({ sources: [seed, stated], source_count: 2 });
    const files = Array.from({ length: 30 }, (_, index): Source => ({ kind: "file", name: `${index}.csv` }));
    const third = addSources(second, files);
    expect(third).toMatchObject({ sources: [seed, stated, ...files.slice(0, 18)], source_count: 32 });
  });

  test("are the sums of their days", () => {
    const { records, camera_ok, days } = gather(makeRecords(1_000));
    expect(days).toHaveLength(6);
    const [ok, failing, unknown] = [1, 2, 3].map((place) => sum(days.map((day) => Number(day[place]))));
    expect({ True: ok, False: failing, null: unknown }).toEqual(camera_ok);
    expect(ok! + failing! + unknown!).toBe(records);
  });
});
