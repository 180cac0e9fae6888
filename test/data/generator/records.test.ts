import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GeneratorOptions, generateRecords } from "../../../data/generator/records.ts";
import { TrafficRecord } from "../../../src/records/record.ts";
import { compareNewestFirst } from "../../records/sample.ts";

const HOUR = 60 * 60 * 1000;
const EPOCH = Date.UTC(2019, 0, 1);

/** Any period of up to half a day within twenty years, in whole seconds, with few cameras. */
const periods = fc
  .record({
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    cameras: fc.integer({ min: 1, max: 12 }),
    interval: fc.constantFrom(1, 5, 17, 30, 60, 1440),
    start: fc.integer({ min: EPOCH / 1000, max: EPOCH / 1000 + 20 * 365 * 24 * 3600 }),
    length: fc.integer({ min: 0, max: 12 * 3600 }),
  })
  .map(({ start, length, ...options }) => ({
    ...options,
    from: new Date(start * 1000),
    to: new Date((start + length) * 1000),
  }));

const recordsOf = (period: GeneratorOptions) => Array.from(generateRecords(period));
const later = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000);
const runs = { numRuns: 60 };

const day: GeneratorOptions = {
  seed: 7,
  from: new Date("2024-02-29T00:00:00Z"),
  to: new Date("2024-03-01T00:00:00Z"),
};

describe("generateRecords", () => {
  test("a longer period only adds records before and after those of the shorter one", () => {
    const extension = fc.integer({ min: 0, max: 6 * 3600 });
    fc.assert(
      fc.property(periods, extension, extension, (period, before, after) => {
        const from = new Date(Math.max(EPOCH, later(period.from, -before).getTime()));
        const longer = recordsOf({ ...period, from, to: later(period.to, after) });
        const inside = longer.filter(
          ({ timestamp }) => Date.parse(timestamp) >= +period.from && Date.parse(timestamp) < +period.to,
        );
        expect(recordsOf(period)).toEqual(inside);
      }),
      runs,
    );
  });

  test("another random seed gives other records", () => {
    const seeds = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(seeds, ([one = 0, other = 0]) => {
        const known = new Set(recordsOf({ ...day, seed: one }).map(contentOf));
        const others = recordsOf({ ...day, seed: other }).map(contentOf);
        expect(others.filter((content) => known.has(content)).length).toBeLessThan(100);
      }),
      { numRuns: 10 },
    );
    /** The text of a record without its id, since records of two seeds may have the same id. */
    function contentOf({ id: _, ...rest }: TrafficRecord): string {
      return JSON.stringify(rest);
    }
  });

  test("every period gives valid records, oldest first, with unique ids and one record per camera and timestamp", () => {
    fc.assert(
      fc.property(periods, (period) => {
        const records = recordsOf(period);
        expect(records.filter((record) => !TrafficRecord.safeParse(record).success)).toEqual([]);
        expect(records.toReversed()).toEqual(records.toSorted(compareNewestFirst));
        expect(new Set(records.map(({ timestamp, camera_ref }) => `${timestamp} ${camera_ref}`)).size).toBe(
          records.length,
        );
        expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
        // Each camera has at most one record in an interval, neither in its first nor in its last second.
        const length = period.interval * 60;
        const seconds = records.map(({ timestamp }) => (Date.parse(timestamp) - EPOCH) / 1000);
        expect(seconds.filter((time) => time % length === 0 || time % length === length - 1)).toEqual([]);
        const slots = records.map(
          ({ camera_pk }, index) => `${camera_pk} ${Math.floor(seconds[index]! / length)}`,
        );
        expect(new Set(slots).size).toBe(records.length);
      }),
      runs,
    );
  });

  test("more cameras only add records and change ids", () => {
    const few = recordsOf({ ...day, cameras: 10 });
    const many = recordsOf({ ...day, cameras: 200 });
    const withoutId = ({ id: _, ...rest }: TrafficRecord) => rest;
    const first = many.filter(({ camera_pk }) => camera_pk <= 10);
    expect(first.map(withoutId)).toEqual(few.map(withoutId));
    expect(new Set(many.map(({ id }) => id)).size).toBe(many.length);
  });

  test("camera_ok is null before 2021", () => {
    const turn = recordsOf({
      seed: 7,
      from: new Date("2020-12-31T18:00Z"),
      to: new Date("2021-01-01T06:00Z"),
    });
    const wrong = turn.filter(({ timestamp, camera_ok }) => (camera_ok === null) !== timestamp < "2021");
    expect(wrong).toEqual([]);
    expect(new Set(turn.map(({ camera_ok }) => camera_ok))).toEqual(new Set([null, "True", "False"]));
  });

  test("ids stay below 2^31 for forty years with the default cameras and interval", () => {
    const from = new Date("2059-01-01T00:00:00Z");
    const records = recordsOf({ seed: 7, from, to: new Date(+from + HOUR) });
    expect(records.length).toBeGreaterThan(150);
    expect(Math.max(...records.map(({ id }) => id))).toBeLessThan(2 ** 31);
  });

  test("a long period is generated lazily", () => {
    const endless = generateRecords({ seed: 7, from: new Date("2019-01-01"), to: new Date("9999-01-01") });
    expect(endless.next().value).toMatchObject({ timestamp: expect.stringMatching(/^2019-01-01T00:0/) });
  });

  test("a period that ends before it starts has no records", () => {
    expect(recordsOf({ ...day, from: day.to, to: day.from })).toEqual([]);
  });
});
