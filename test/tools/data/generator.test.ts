import fc from "fast-check";
import { expect, test } from "vitest";
import { TrafficRecord } from "../../../src/records/schema.ts";
import { GENERATOR_EPOCH, type GeneratorOptions, generateRecords } from "../../../tools/data/generator.ts";
import { compareNewestFirst } from "../../support/sample-records.ts";

// That the records of the default options stay as they are, with ids in no order at the same time and failures at every hour, is tested
// with the sample data.

const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;
const toDate = (seconds: number) => new Date(GENERATOR_EPOCH.getTime() + 1000 * seconds);
const getRecords = (options: GeneratorOptions) => Array.from(generateRecords(options));

/** Up to 12 cameras, and periods of up to half a day within twenty years, in whole seconds. */
const options = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  cameras: fc.integer({ min: 1, max: 12 }),
  interval: fc.constantFrom(1, 5, 17, 30, 60, 1440),
  start: fc.nat(20 * YEAR),
  length: fc.nat(12 * HOUR),
  before: fc.nat(6 * HOUR),
  after: fc.nat(6 * HOUR),
});

test("generated records are valid, oldest first, one per camera and interval, with growing ids, and do not depend on the period", () => {
  const check = fc.property(options, ({ start, length, before, after, ...rest }) => {
    const [from, to] = [toDate(start), toDate(start + length)];
    const records = getRecords({ ...rest, from, to });
    expect(records.map((record) => TrafficRecord.parse(record))).toEqual(records);
    expect(records.toReversed()).toEqual(records.toSorted(compareNewestFirst));
    const byId = records.toSorted((one, other) => one.id - other.id);
    expect(byId.map(({ timestamp }) => timestamp)).toEqual(records.map(({ timestamp }) => timestamp));
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    const intervals = records.map(({ camera_pk, timestamp }) => {
      const seconds = (Date.parse(timestamp) - GENERATOR_EPOCH.getTime()) / 1000;
      return `${camera_pk} ${Math.floor(seconds / (60 * rest.interval))}`;
    });
    expect(new Set(intervals).size).toBe(records.length);
    const period = { from: toDate(Math.max(0, start - before)), to: toDate(start + length + after) };
    const isInside = ({ timestamp }: TrafficRecord) =>
      from <= new Date(timestamp) && new Date(timestamp) < to;
    expect(getRecords({ ...rest, ...period }).filter(isInside)).toEqual(records);
  });
  fc.assert(check, { numRuns: 60 });
});

test("more cameras only add records, and change ids", () => {
  const generate = (cameras: number) =>
    getRecords({ cameras, interval: 240, from: toDate(0), to: toDate(24 * HOUR) });
  const withoutId = ({ id: _, ...rest }: TrafficRecord) => rest;
  const many = generate(5_000);
  const few = many.filter(({ camera_pk }) => camera_pk <= 10);
  expect(few.map(withoutId)).toEqual(generate(10).map(withoutId));
  expect(new Set(many.map(({ camera_ref }) => camera_ref)).size).toBe(5_000);
});
