import { describe, expect, test } from "vitest";
import { SEED_DAYS, seedFiles } from "../../../data/generator/seed.ts";
import { TrafficRecord } from "../../../src/records/record.ts";
import { committedFiles, committedRecords } from "./committed-seed.ts";

const HEADER =
  "id,camera_pk,camera_ref,timestamp,camera_ok,cars,persons,bicycles,trucks,motorcycles,buses,model_name";

describe("the committed files", () => {
  const files = committedFiles();
  const made = new Map(Array.from(seedFiles(), ({ name, text }) => [name, text]));

  test("are one a day, nothing more and nothing less", () => {
    expect(files.map(({ name }) => name)).toEqual(SEED_DAYS.map((day) => `${day}.csv`));
    expect([...made.keys()]).toEqual(files.map(({ name }) => name));
  });

  // Compared as a boolean: a diff of two files of 4,000 lines tells nobody anything.
  test.each(files)("$name is byte for byte what the generator makes", ({ name, text }) => {
    const hint = "run `node data/generator/write-seed.ts` after a change of the generator";
    expect(text === made.get(name), hint).toBe(true);
  });

  test.each(files)("$name has the header, its own day's records and plain line ends", ({ name, text }) => {
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

  test("are 25,000 to 60,000", () => {
    expect(records.length).toBeGreaterThanOrEqual(25_000);
    expect(records.length).toBeLessThanOrEqual(60_000);
  });

  test("are records as the specification has them", () => {
    expect(records.filter((record) => !TrafficRecord.safeParse(record).success)).toEqual([]);
  });

  test("go from the oldest to the newest, those of one timestamp by camera_ref", () => {
    const places = records.map(({ timestamp, camera_ref }) => `${timestamp} ${camera_ref}`);
    expect(places.filter((place, index) => index > 0 && place <= (places[index - 1] ?? ""))).toEqual([]);
  });

  test("have ids of their own below 2^31", () => {
    const ids = records.map(({ id }) => id);
    expect(new Set(ids).size).toBe(records.length);
    expect(Math.min(...ids)).toBeGreaterThan(0);
    expect(Math.max(...ids)).toBeLessThan(2 ** 31);
  });
});
