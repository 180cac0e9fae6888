import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TrafficRecord } from "../../../src/records/schema.ts";
import { type GeneratorOptions, generateRecords } from "../../../tools/data/generator.ts";
import { compareNewestFirst, createStatistics } from "../../support/sample-records.ts";

const HOUR = 60 * 60 * 1000;
const EPOCH = Date.UTC(2019, 0, 1);

/** A period of up to half a day within twenty years, in whole seconds, with few cameras. */
const periods = fc
  .record({
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    cameras: fc.integer({ min: 1, max: 12 }),
    interval: fc.constantFrom(1, 5, 17, 30, 60, 1440),
    start: fc.nat(20 * 365 * 24 * 3600).map((seconds) => EPOCH + 1000 * seconds),
    length: fc.nat(12 * 3600),
  })
  .map(({ start, length, ...options }) => {
    return { ...options, from: new Date(start), to: new Date(start + 1000 * length) };
  });
const runs = { numRuns: 60 };

const getRecords = (period: GeneratorOptions) => Array.from(generateRecords(period));
const withoutId = ({ id: _, ...rest }: TrafficRecord) => rest;
const day = { interval: 240, from: new Date("2024-02-29T00:00:00Z"), to: new Date("2024-03-01T00:00:00Z") };

describe("generated records", () => {
  test("of a longer period contain the records of a shorter period", () => {
    const extension = fc.integer({ min: 0, max: 6 * HOUR }).map((time) => time - (time % 1000));
    fc.assert(
      fc.property(periods, extension, extension, (period, before, after) => {
        const from = new Date(Math.max(EPOCH, +period.from - before));
        const longer = getRecords({ ...period, from, to: new Date(+period.to + after) });
        const inside = longer.filter(
          ({ timestamp }) => Date.parse(timestamp) >= +period.from && Date.parse(timestamp) < +period.to,
        );
        expect(getRecords(period)).toEqual(inside);
      }),
      runs,
    );
  });

  test("are valid, oldest first, with unique ids and one record per camera and interval", () => {
    fc.assert(
      fc.property(periods, (period) => {
        const records = getRecords(period);
        expect(records.filter((record) => !TrafficRecord.safeParse(record).success)).toEqual([]);
        expect(records.toReversed()).toEqual(records.toSorted(compareNewestFirst));
        expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
        const length = period.interval * 60;
        const seconds = records.map(({ timestamp }) => (Date.parse(timestamp) - EPOCH) / 1000);
        const slots = records.map(
          ({ camera_pk }, index) => `${camera_pk} ${Math.floor(seconds[index]! / length)}`,
        );
        expect(new Set(slots).size).toBe(records.length);
      }),
      runs,
    );
  });

  test("of more cameras contain the records of fewer cameras, with different ids", () => {
    const few = getRecords({ ...day, cameras: 10 });
    const many = getRecords({ ...day, cameras: 5_000 });
    expect(many.filter(({ camera_pk }) => camera_pk <= 10).map(withoutId)).toEqual(few.map(withoutId));
    expect(new Set(many.map(({ camera_ref }) => camera_ref)).size).toBe(5_000);
    expect(Math.max(...many.map(({ id }) => id))).toBeLessThan(2 ** 31);
  });

  test("have the cases of the specification, and more traffic by day than by night", () => {
    const [from, to] = [new Date("2020-12-28T00:00:00Z"), new Date("2021-01-07T00:00:00Z")];
    const records = getRecords({ from, to });
    expect(new Set(records.map(({ camera_pk }) => camera_pk)).size).toBe(86);
    const healths = records.map(({ timestamp, camera_ok }) => `${timestamp < "2021"} ${camera_ok}`);
    expect(new Set(healths)).toEqual(new Set(["true null", "false True", "false False"]));
    const groups = [...Map.groupBy(records, ({ timestamp }) => timestamp).values()];
    expect(groups.filter(({ length }) => length > 1).length).toBeGreaterThan(5_000);
    const isDisordered = (own: TrafficRecord[]) =>
      own.some(({ id }, index) => id < (own[index - 1]?.id ?? 0));
    expect(groups.filter(isDisordered).length).toBeGreaterThan(1_000);
    const { hours } = createStatistics(records);
    const means = hours.weekdays.map(([count, roadUsers]) => roadUsers / count);
    expect(Math.max(...means)).toBeGreaterThan(3 * Math.min(...means));
  });
});
