import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCameras } from "../../data/generator/cameras.ts";
import { type GeneratorOptions, generateRecords } from "../../data/generator/records.ts";
import { generateSeedFiles } from "../../data/generator/seed-files.ts";
import { TrafficRecord } from "../../src/records/record.ts";
import { compareNewestFirst } from "../records/sample.ts";
import { readSeed } from "./input.ts";

const HOUR = 60 * 60 * 1000;
const EPOCH = Date.UTC(2019, 0, 1);

/** Any period of up to half a day within twenty years, in whole seconds, with few cameras. */
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

const recordsOf = (period: GeneratorOptions) => Array.from(generateRecords(period));
const withoutId = ({ id: _, ...rest }: TrafficRecord) => rest;
const day = { seed: 7, from: new Date("2024-02-29T00:00:00Z"), to: new Date("2024-03-01T00:00:00Z") };

describe("generated records", () => {
  test("of a longer period only add records before and after those of the shorter one", () => {
    const extension = fc.integer({ min: 0, max: 6 * HOUR }).map((time) => time - (time % 1000));
    fc.assert(
      fc.property(periods, extension, extension, (period, before, after) => {
        const from = new Date(Math.max(EPOCH, +period.from - before));
        const longer = recordsOf({ ...period, from, to: new Date(+period.to + after) });
        const inside = longer.filter(
          ({ timestamp }) => Date.parse(timestamp) >= +period.from && Date.parse(timestamp) < +period.to,
        );
        expect(recordsOf(period)).toEqual(inside);
      }),
      runs,
    );
  });

  test("are valid, oldest first, with unique ids and one record per camera and interval", () => {
    fc.assert(
      fc.property(periods, (period) => {
        const records = recordsOf(period);
        expect(records.filter((record) => !TrafficRecord.safeParse(record).success)).toEqual([]);
        expect(records.toReversed()).toEqual(records.toSorted(compareNewestFirst));
        expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
        // None is in the first or in the last second of its interval.
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

  test("of more cameras include those of the first cameras, with other ids", () => {
    const few = recordsOf({ ...day, cameras: 10 });
    const many = recordsOf({ ...day, cameras: 200 });
    expect(many.filter(({ camera_pk }) => camera_pk <= 10).map(withoutId)).toEqual(few.map(withoutId));
    expect(new Set(many.map(({ id }) => id)).size).toBe(many.length);
    expect(new Set(createCameras(5_000, 1).map(({ camera_ref }) => camera_ref)).size).toBe(5_000);
  });

  test("have no camera_ok before 2021", () => {
    const records = recordsOf({
      seed: 7,
      from: new Date("2020-12-31T18:00Z"),
      to: new Date("2021-01-01T06:00Z"),
    });
    const healths = records.map(({ timestamp, camera_ok }) => `${timestamp.slice(0, 4)} ${camera_ok}`);
    expect(new Set(healths)).toEqual(new Set(["2020 null", "2021 True", "2021 False"]));
  });

  test("have ids below 2^31 for forty years with the default cameras and interval", () => {
    const from = new Date("2059-01-01T00:00:00Z");
    const records = recordsOf({ seed: 7, from, to: new Date(+from + HOUR) });
    expect(records.length).toBeGreaterThan(150);
    expect(Math.max(...records.map(({ id }) => id))).toBeLessThan(2 ** 31);
  });
});

describe("the seed", async () => {
  const files = globSync("data/seed/*.csv").sort();
  const texts = files.map((file) => readFileSync(file, "utf8"));
  const records = await readSeed();

  // Compared as a boolean, since a diff of two files of 4,000 lines is not readable.
  test("is byte for byte what the generator writes: if it changes, run `npm run seed`", () => {
    const generated = Array.from(generateSeedFiles());
    expect(files.map((file) => basename(file))).toEqual(generated.map(({ name }) => name));
    expect(generated.filter(({ text }, index) => text !== texts[index]).map(({ name }) => name)).toEqual([]);
  });

  test("shows what the specification shows: old records without camera_ok, shared timestamps, ids out of order", () => {
    expect(new Set(records.map(({ camera_pk }) => camera_pk)).size).toBe(86);
    const healths = records.map(({ timestamp, camera_ok }) => `${timestamp.slice(0, 4)} ${camera_ok}`);
    expect(new Set(healths)).toEqual(new Set(["2019 null", "2025 True", "2025 False"]));
    const groups = [...Map.groupBy(records, ({ timestamp }) => timestamp).values()];
    expect(groups.filter(({ length }) => length > 1).length).toBeGreaterThan(5_000);
    const disordered = groups.filter((own) => own.some(({ id }, index) => id < (own[index - 1]?.id ?? 0)));
    expect(disordered.length).toBeGreaterThan(1_000);
  });
});
