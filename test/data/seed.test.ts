import { describe, expect, test } from "vitest";
import { compareAge } from "../../data/records.ts";
import { generateSeedFiles, SEED_DAYS, seedRecords } from "../../data/seed.ts";
import { TrafficRecord } from "../../src/records/record.ts";
import { compareNewestFirst } from "../records/sample.ts";
import { committedFiles, committedRecords } from "./committed-seed.ts";

const HEADER =
  "id,camera_pk,camera_ref,timestamp,camera_ok,cars,persons,bicycles,trucks,motorcycles,buses,model_name";

describe("the committed files", () => {
  const files = committedFiles();
  const generated = new Map(Array.from(generateSeedFiles(), ({ name, text }) => [name, text]));

  test("are exactly one for each day", () => {
    expect(files.map(({ name }) => name)).toEqual(SEED_DAYS.map((day) => `${day}.csv`));
    expect([...generated.keys()]).toEqual(files.map(({ name }) => name));
  });

  // Compared as a boolean, since a diff of two files of 4,000 lines is not readable.
  test.each(files)("$name is byte for byte what the generator writes", ({ name, text }) => {
    const hint = "run `npm run seed` after changing the generator";
    expect(text === generated.get(name), hint).toBe(true);
  });

  test.each(files)("$name has the header, the records of its day and plain line breaks", ({ name, text }) => {
    const [header, ...lines] = text.split("\n");
    expect(header).toBe(HEADER);
    expect(lines.pop()).toBe("");
    expect(lines.length).toBeGreaterThan(3500);
    expect(lines.filter((line) => line.split(",")[3]?.slice(0, 10) !== name.slice(0, 10))).toEqual([]);
    expect(text).not.toMatch(/["\r]/);
  });

  test("are small enough to read and to commit", () => {
    const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThan(3_000_000);
  });
});

describe("the committed records", () => {
  const records = committedRecords();

  test("are between 25,000 and 60,000", () => {
    expect(records.length).toBeGreaterThanOrEqual(25_000);
    expect(records.length).toBeLessThanOrEqual(60_000);
  });

  test("are those that npm start and the package load, in the order of positions", () => {
    expect(seedRecords().reverse()).toEqual(records.toSorted(compareNewestFirst));
  });

  test("are valid", () => {
    expect(records.filter((record) => !TrafficRecord.safeParse(record).success)).toEqual([]);
  });

  test("are in the reverse of the collection's order, as an export writes them", () => {
    expect(records).toEqual(records.toSorted(compareAge));
  });

  test("have unique ids below 2^31", () => {
    const ids = records.map(({ id }) => id);
    expect(new Set(ids).size).toBe(records.length);
    expect(Math.min(...ids)).toBeGreaterThan(0);
    expect(Math.max(...ids)).toBeLessThan(2 ** 31);
  });
});
