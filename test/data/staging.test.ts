import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cameraRef } from "../../data/formats/validation.ts";
import { stageRecords, summarise } from "../../data/staging.ts";
import { compareNewestFirst, encodeBlocks, makeRecords, statisticsOf, writeCsv } from "../records/sample.ts";
import { makeRecord, stageFiles, writeReport } from "./input.ts";

const noon = (day: number) => `2019-02-0${day}T12:00:00Z`;

test("sets the counts of a False record to 0 and returns the number of changed records", async () => {
  const zeros = { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 };
  const failed = makeRecord({ id: 1, camera_ok: "False" });
  const healthy = makeRecord({ id: 2, camera_ok: "True", timestamp: noon(1) });
  const silent = makeRecord({ id: 3, camera_ok: "False", timestamp: "2018-01-01T00:00:00Z", ...zeros });
  const staged = await stageFiles({ a: [failed, healthy, silent] });
  expect(staged).toMatchObject({ zeroed: 1, count: 3 });
  expect(staged.records).toEqual([silent, healthy, { ...failed, ...zeros }]);
});

test.each([
  [{}, "1 record"],
  [
    { count: 3, zeroed: 2 },
    '3 records (2 of them with camera_ok "False" had counts above 0, which are now 0)',
  ],
  [{ count: 2, duplicates: 1 }, "2 records (skipped 1 with the camera and the timestamp of an earlier one)"],
])("sums up %j as %s", (counts, text) => {
  expect(summarise({ count: 1, zeroed: 0, duplicates: 0, observations: 0, ...counts })).toBe(text);
});

test("numbers cameras by first capture and observations by processing, over all reports", async () => {
  const staged = await stageFiles({
    a: writeReport(
      "2025-10-29 12:00:00Z,2025-10-29 10:00:00Z,c,tf1,1,0,0,0,0,0,0",
      "2025-10-29 11:00:00Z,2025-10-29 10:00:00Z,b,tf1,2,0,0,0,0,0,0",
      "2025-10-29 11:00:00Z,2025-10-29 09:30:00Z,C,tf1,3,0,0,0,0,0,0",
    ),
    b: writeReport(
      "2025-10-29 11:00:00Z,2025-10-29 10:00:00Z,a,tf1,4,0,0,0,0,0,0",
      "2025-10-29 10:59:59.999Z,2025-10-29 10:10:00Z,d,tf1,5,0,0,0,0,0,2",
      "2025-10-29 11:00:00.001Z,2025-10-29 08:00:00Z,c,tf1,6,0,0,0,0,0,",
    ),
  });
  expect(staged).toMatchObject({ zeroed: 1, count: 6 });
  expect(
    staged.records.map((record) => [record.id, record.camera_pk, record.camera_ref, record.cars]),
  ).toEqual([
    [5, 1, "c", 6],
    [2, 1, "c", 3],
    [6, 1, "c", 1],
    [4, 3, "b", 2],
    [3, 2, "a", 4],
    [1, 4, "d", 0],
  ]);
});

test("arranges the records in blocks, with their statistics, which can be read again until they are closed", async () => {
  const records = makeRecords(1_000);
  const staged = await stageRecords(new Set(records));
  for (let reading = 0; reading < 2; reading++)
    expect([...staged.blocks()]).toEqual(encodeBlocks(records.toReversed()));
  expect(staged.statistics()).toEqual(statisticsOf(records));
  staged.close();
  expect(() => [...staged.blocks()]).toThrow();
});

test.each([
  ["records", [{ id: 1 }, { id: 2, cars: 9 }, { id: 3, timestamp: noon(1) }]],
  [
    "observations",
    writeReport(
      "2019-02-28 11:00:00Z,2019-02-28 10:00:00Z,a33,tf1,3,2,1,0,0,0,",
      "2019-02-28 11:00:01Z,2019-02-28 10:00:00.5Z,A33,tf1,9,2,1,0,0,0,",
      "2019-02-01 13:00:00Z,2019-02-01 12:00:00Z,a33,tf1,3,2,1,0,0,0,",
    ),
  ],
])("skips %s with the camera and the timestamp of an earlier one, if asked to", async (_, content) => {
  const staged = await stageFiles({ a: content }, { skipDuplicates: true });
  expect(staged).toMatchObject({ count: 2, duplicates: 1 });
  expect(staged.records.map(({ cars, timestamp }) => [cars, timestamp])).toEqual([
    [3, noon(1)],
    [3, makeRecord().timestamp],
  ]);
});

describe("the order of files and records does not change the collection:", () => {
  const text = fc.oneof(
    fc.constantFrom("a", "A", "b", "a\uffee", "a😀", '" a', "a,"),
    fc.string({ unit: "grapheme", minLength: 1 }),
  );
  const ref = text.filter((text) => cameraRef.safeParse(text).success);
  const [min, max] = [new Date("0000-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59Z")];
  const timestamp = fc.oneof(
    fc.constantFrom("2019-05-17T00:00:00Z", "2020-02-29T23:59:59Z"),
    fc.date({ min, max, noInvalidDate: true }).map((date) => `${date.toISOString().slice(0, 19)}Z`),
  );
  const count = fc.oneof(fc.nat(9), fc.maxSafeNat());
  const record = fc.record({
    id: fc.oneof(fc.integer({ min: -5, max: 50 }), fc.maxSafeInteger()),
    camera_pk: fc.nat(4),
    camera_ref: fc.constant(""),
    timestamp,
    camera_ok: fc.constantFrom(null, "True" as const),
    cars: count,
    persons: count,
    bicycles: count,
    trucks: count,
    motorcycles: count,
    buses: count,
    model_name: fc.constant("tf1" as const),
  });

  /** Valid records of one load: unique ids, one record per camera and time, one camera_ref per camera. */
  const load = fc
    .record({
      refs: fc.array(ref, { minLength: 1, maxLength: 5 }),
      records: fc.uniqueArray(record, { minLength: 1, maxLength: 40, selector: ({ id }) => id }),
    })
    .map(({ refs, records }) => {
      const named = records.map((one) => ({ ...one, camera_ref: refs[one.camera_pk % refs.length] ?? "" }));
      return [...new Map(named.map((one) => [`${one.camera_pk} ${one.timestamp}`, one])).values()];
    });

  test("in CSV and JSON Lines", () =>
    fc.assert(
      fc.asyncProperty(
        load,
        fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
        async (records, formats) => {
          const shares = formats.map((_, i) => records.filter((_, at) => at % formats.length === i));
          const contents = shares.map((share, i) => (formats[i] ? writeCsv(share) : share));
          const files = Object.fromEntries([...contents.entries()].filter(([i]) => shares[i]!.length > 0));
          const staged = await stageFiles(files, { strict: true });
          expect(staged.records).toStrictEqual(records.toSorted(compareNewestFirst).reverse());
        },
      ),
      { numRuns: 150 },
    ));
});

describe("progress", () => {
  /** Records the progress that is shown. */
  async function recordProgress(contents: Parameters<typeof stageFiles>[0]) {
    const shown: [string, number, number | undefined][] = [];
    const steps: string[] = [];
    const openStep = (step: string) => ({
      update: (done: number, total?: number) => shown.push([step, done, total]),
      close: () => steps.push(step),
    });
    await stageFiles(contents, { openStep }).catch(() => undefined);
    expect(steps).toEqual(["reading", "comparing"]);
    return shown;
  }

  test("shows the megabytes read so far and the total of all files", async () => {
    const records = Array.from({ length: 2500 }, (_, id) => ({ id, cars: id % 2 ? 1 : -1 }));
    const shown = await recordProgress({ a: records, b: [{}] });
    const done = shown.map(([, read]) => read);
    expect(done).toEqual(done.toSorted((one, other) => one - other));
    expect(done[0]).toBeLessThan(0.2);
    expect(new Set(shown.map(([, , total]) => total))).toEqual(new Set([0.5]));
    expect(shown.at(-1)).toEqual(["reading", 0.5, 0.5]);
  });

  test("counts the compressed bytes of a gzipped file, even if the file contains no records", async () => {
    const zipped = gzipSync(Buffer.alloc(300_000_000, "\n"));
    const shown = await recordProgress({ a: zipped });
    const total = Math.round(zipped.length / 1e5) / 10;
    expect(shown.length).toBeGreaterThan(3);
    expect(shown[0]).toEqual(["reading", 0.1, total]);
    expect(shown.at(-1)).toEqual(["reading", total, total]);
  });

  test("shows no total if the size is not known", async () => {
    const shown = await recordProgress({ a: [{ id: 9_999 }], "-": Buffer.alloc(200_000, "\n") });
    expect(shown.at(-1)).toEqual(["reading", 0.2, undefined]);
  });
});
