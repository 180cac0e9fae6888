/** The seed looks like the reports of real roadside cameras. */
import { describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { readSeed } from "../../seed.ts";

type CountField = "cars" | "persons" | "bicycles" | "trucks" | "motorcycles" | "buses";
const COUNT_FIELDS: CountField[] = ["cars", "persons", "bicycles", "trucks", "motorcycles", "buses"];

const INTERVAL = 30 * 60 * 1000;
const INTERVALS_PER_DAY = 48;

const records = await readSeed();
const recent = records.filter(({ timestamp }) => timestamp >= "2025");
const weekdays = recent.filter(({ timestamp }) => timestamp < "2025-11-01");
const weekend = recent.filter(({ timestamp }) => timestamp >= "2025-11-01");

const intervalOf = ({ timestamp }: TrafficRecord) => Math.floor(Date.parse(timestamp) / INTERVAL);
const dayOf = ({ timestamp }: TrafficRecord) => timestamp.slice(0, 10);
const hourOf = ({ timestamp }: TrafficRecord) => Number(timestamp.slice(11, 13));
const isAllZero = (record: TrafficRecord) => COUNT_FIELDS.every((field) => record[field] === 0);
const share = (some: TrafficRecord[], all: TrafficRecord[]) => some.length / all.length;
const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const meanOf = (field: CountField, some: TrafficRecord[]) => mean(some.map((record) => record[field]));
const inHours = (some: TrafficRecord[], from: number, to: number) =>
  some.filter((record) => hourOf(record) >= from && hourOf(record) < to);

/** The records of each camera, oldest first. */
const ofCameras = (some: TrafficRecord[]) => Map.groupBy(some, ({ camera_ref }) => camera_ref);
const ofTimestamps = (some: TrafficRecord[]) => Map.groupBy(some, ({ timestamp }) => timestamp);

describe("cameras", () => {
  const cameras = new Map(records.map(({ camera_pk, camera_ref }) => [camera_pk, camera_ref]));

  test("have the camera_pks 1 to 86, each with one camera_ref in lower case", () => {
    expect([...cameras.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 86 }, (_, i) => i + 1));
    expect(new Set(cameras.values()).size).toBe(86);
    expect([...cameras.values()].filter((ref) => !/^[a-z]+\d+(p\d)?$/.test(ref))).toEqual([]);
    expect(records.filter((record) => cameras.get(record.camera_pk) !== record.camera_ref)).toEqual([]);
  });

  test("have at most one record per half hour, at about the same second", () => {
    for (const own of ofCameras(recent).values()) {
      expect(new Set(own.map(intervalOf)).size).toBe(own.length);
      const seconds = own.map(({ timestamp }) => (Date.parse(timestamp) % INTERVAL) / 1000);
      expect(Math.max(...seconds) - Math.min(...seconds)).toBeLessThan(10);
      expect(new Set(seconds).size).toBeGreaterThan(5);
      expect(Math.min(...seconds)).toBeGreaterThan(0);
    }
  });

  test("include busy and quiet cameras", () => {
    const cars = [...ofCameras(weekdays).values()].map((own) => meanOf("cars", own));
    expect(cars.filter((each) => each > 8).length).toBeGreaterThan(5);
    expect(cars.filter((each) => each < 1).length).toBeGreaterThan(15);
  });

  test("miss 1 to 3% of their records: single records, and at some cameras all records of hours", () => {
    const missing = 1 - records.length / (86 * INTERVALS_PER_DAY * 10);
    expect(missing).toBeGreaterThan(0.01);
    expect(missing).toBeLessThan(0.03);
    const gaps = [...ofCameras(recent).values()].flatMap((own) =>
      own.slice(1).map((record, index) => intervalOf(record) - intervalOf(own[index] ?? record) - 1),
    );
    expect(gaps.filter((gap) => gap === 1).length).toBeGreaterThan(100);
    expect(gaps.filter((gap) => gap >= 4).length).toBeGreaterThan(3);
  });
});

describe("health", () => {
  test("is null on three days of 2019 and known in a week of 2025", () => {
    const days = Map.groupBy(records, dayOf);
    const health = [...days].map(([day, own]) => [day.slice(0, 4), new Set(own.map((r) => r.camera_ok))]);
    const known = new Set(["True", "False"]);
    expect(health).toEqual([...Array(3).fill(["2019", new Set([null])]), ...Array(7).fill(["2025", known])]);
  });

  test("is False in 10 to 20% of the recent records", () => {
    const failing = share(
      recent.filter(({ camera_ok }) => camera_ok === "False"),
      recent,
    );
    expect(failing).toBeGreaterThan(0.1);
    expect(failing).toBeLessThan(0.2);
  });

  test("is False only with all counts equal to 0, which healthy cameras report too", () => {
    expect(recent.filter((record) => record.camera_ok === "False" && !isAllZero(record))).toEqual([]);
    expect(recent.filter((record) => record.camera_ok === "True" && isAllZero(record))).not.toEqual([]);
  });

  test("is False for hours at a time, for days at some cameras, and never at many cameras", () => {
    const cameras = [...ofCameras(recent).values()];
    const lengths = cameras.flatMap(failingRuns);
    expect(mean(lengths)).toBeGreaterThan(2 * 5);
    expect(lengths.filter((length) => length < 2 * 4).length).toBeGreaterThan(2);
    const shares = cameras.map((own) => mean(own.map((record) => Number(record.camera_ok === "False"))));
    expect(shares.filter((each) => each === 0).length).toBeGreaterThan(30);
    expect(shares.filter((each) => each > 0.5).length).toBeGreaterThan(5);
    expect(shares.filter((each) => each > 0 && each < 0.2).length).toBeGreaterThan(10);
  });

  /** The length of each run of False records. */
  function failingRuns(own: TrafficRecord[]): number[] {
    const letters = own.map(({ camera_ok }) => (camera_ok === "False" ? "F" : "T")).join("");
    return letters.split(/T+/).flatMap((run) => (run === "" ? [] : [run.length]));
  }
});

describe("counts", () => {
  test.each<[CountField, [number, number], [number, number]]>([
    ["cars", [0.3, 0.5], [24, 32]],
    ["persons", [0.5, 0.7], [24, 36]],
    ["bicycles", [0.9, 0.97], [4, 9]],
    ["trucks", [0.74, 0.86], [5, 11]],
    ["motorcycles", [0.98, 0.995], [1, 3]],
    ["buses", [0.87, 0.94], [3, 6]],
  ])("of %s are 0 in a share of records within %j, and have a maximum within %j", (field, zeros, most) => {
    const none = share(
      weekdays.filter((record) => record[field] === 0),
      weekdays,
    );
    expect(none).toBeGreaterThan(zeros[0]);
    expect(none).toBeLessThan(zeros[1]);
    const highest = Math.max(...records.map((record) => record[field]));
    expect(highest).toBeGreaterThanOrEqual(most[0]);
    expect(highest).toBeLessThanOrEqual(most[1]);
  });

  test.each<[CountField, number]>([
    ["cars", 2],
    ["persons", 10],
    ["bicycles", 8],
    ["trucks", 4],
    ["buses", 10],
  ])("of %s are at least %d times higher at midday than at night", (field, times) => {
    const day = meanOf(field, inHours(weekdays, 10, 14));
    expect(day).toBeGreaterThan(times * meanOf(field, inHours(weekdays, 0, 4)));
  });

  test("of cars peak in the morning and in the evening of a weekday", () => {
    const between = meanOf("cars", inHours(weekdays, 9, 11));
    expect(meanOf("cars", inHours(weekdays, 7, 8))).toBeGreaterThan(1.1 * between);
    expect(meanOf("cars", inHours(weekdays, 16, 17))).toBeGreaterThan(1.2 * between);
  });

  test.each<[CountField, number]>([
    ["cars", 0.9],
    ["trucks", 0.5],
    ["buses", 0.75],
  ])("of %s on the weekend are less than %d times those of a weekday", (field, times) => {
    expect(meanOf(field, weekend)).toBeLessThan(times * meanOf(field, weekdays));
  });

  test("of persons rise at midday of the weekend at cameras that count many persons", () => {
    const squares = [...ofCameras(weekdays)]
      .filter(([, own]) => meanOf("persons", own) > 4)
      .map(([ref]) => ref);
    expect(squares.length).toBeGreaterThan(5);
    const at = (some: TrafficRecord[]) =>
      meanOf(
        "persons",
        inHours(some, 9, 14).filter(({ camera_ref }) => squares.includes(camera_ref)),
      );
    expect(at(weekend)).toBeGreaterThan(1.15 * at(weekdays));
  });

  test("of persons and bicycles are 0 on motorways", () => {
    const motorways = [...ofCameras(recent).values()].filter(
      (own) => own.some(({ cars }) => cars > 5) && own.every(({ persons }) => persons === 0),
    );
    expect(motorways.length).toBeGreaterThan(8);
    expect(motorways.flat().filter(({ bicycles }) => bicycles > 0)).toEqual([]);
  });
});

describe("timestamps", () => {
  const shared = [...ofTimestamps(records).values()].filter((own) => own.length > 1);

  test("are shared by several cameras in about half of the records", () => {
    const some = shared.flat().length / records.length;
    expect(some).toBeGreaterThan(0.4);
    expect(some).toBeLessThan(0.7);
    expect(Math.max(...shared.map((own) => own.length))).toBeGreaterThanOrEqual(4);
  });

  test("that are shared often have records with ids out of order", () => {
    const disordered = shared.filter((own) => own.some(({ id }, index) => id < (own[index - 1]?.id ?? 0)));
    expect(disordered.length / shared.length).toBeGreaterThan(0.3);
    expect(disordered.length / shared.length).toBeLessThan(0.9);
  });

  test("of a later half hour have larger ids", () => {
    const intervals = [...Map.groupBy(records, intervalOf).values()].map((own) => own.map(({ id }) => id));
    const highest = intervals.map((ids) => Math.max(...ids));
    expect(intervals.filter((ids, index) => Math.min(...ids) <= (highest[index - 1] ?? 0))).toEqual([]);
  });
});
