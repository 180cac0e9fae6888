import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { summarise } from "../../../data/input-error.ts";
import { type Staged, stage, stageRecords } from "../../../data/staging.ts";
import { encodeBlocks, makeRecords, statisticsOf } from "../../records/sample.ts";
import { makeRecord } from "../formats/read-input.ts";
import { noon, stageFiles, writeReport } from "./stage-files.ts";

test("records cannot be written if there are problems", async () => {
  const staged = await stage(["-"], { strict: false, stdin: Readable.from([]) });
  expect(() => staged.blocks()).toThrow("problems");
  staged.close();
});

test("sets the counts of a False record to 0 and returns the number of changed records", async () => {
  const records = [
    { id: 1, camera_ok: "False" as const },
    { id: 2, camera_ok: "True" as const, timestamp: noon(1) },
  ];
  const zeros = { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 };
  const silent = { ...zeros, id: 3, timestamp: "2018-01-01T00:00:00Z", camera_ok: "False" as const };
  const staged = await stageFiles({ a: [...records, silent] });
  expect(staged).toMatchObject({ zeroed: 1, problems: [], count: 3 });
  expect(staged.records).toEqual([silent, records[1], { ...records[0], ...zeros }].map(makeRecord));
});

test.each([
  [{}, "1 record"],
  [
    { count: 3, zeroed: 2 },
    '3 records (2 of them with camera_ok "False" had counts above 0, which are now 0)',
  ],
  [{ count: 2, duplicates: 1 }, "2 records (skipped 1 with the camera and the timestamp of an earlier one)"],
])("sums up %j as %s", (staged, text) => {
  expect(summarise({ count: 1, zeroed: 0, duplicates: 0, ...staged } as Staged)).toBe(text);
});

test("with strict, reports counts of a False record and still compares the record", async () => {
  const staged = await stageFiles({ a: [{ camera_ok: "False", cars: 0 }, {}] }, { strict: true });
  expect(staged).toMatchObject({
    zeroed: 0,
    problems: [
      'a:1: camera_ok "False" requires counts of 0, but persons is 2',
      "a:2: id 1 already appears in a:1",
    ],
  });
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
  expect(staged).toMatchObject({ zeroed: 1, problems: [], count: 6 });
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
  expect(staged.records[5]).toStrictEqual(
    makeRecord({
      id: 1,
      camera_pk: 4,
      camera_ref: "d",
      timestamp: "2025-10-29T10:10:00Z",
      camera_ok: "False",
      cars: 0,
      persons: 0,
      bicycles: 0,
    }),
  );
});

test("arranges the records in blocks, with their statistics, which can be read again until they are closed", async () => {
  const records = makeRecords(1_000);
  const staged = await stageRecords(records);
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
  expect(staged).toMatchObject({ problems: [], count: 2, duplicates: 1 });
  expect(staged.records.map(({ cars, timestamp }) => [cars, timestamp])).toEqual([
    [3, noon(1)],
    [3, makeRecord().timestamp],
  ]);
});

describe("progress", () => {
  const records = Array.from({ length: 2500 }, (_, id) => ({ id, cars: id % 2 ? 1 : -1 }));

  /** Records the progress that is shown. */
  async function recordProgress(contents: Parameters<typeof stageFiles>[0]) {
    const shown: [string, number, number | undefined][] = [];
    const steps: string[] = [];
    const openStep = (step: string) => ({
      update: (done: number, total?: number) => shown.push([step, done, total]),
      close: () => steps.push(step),
    });
    await stageFiles(contents, { openStep });
    expect(steps).toEqual(["reading", "comparing"]);
    return shown;
  }

  test("shows the megabytes read so far and the total of all files", async () => {
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
    const shown = await recordProgress({
      a: [{ id: 9_999 }],
      "-": Buffer.alloc(200_000, "\n"),
    });
    expect(shown.at(-1)).toEqual(["reading", 0.2, undefined]);
  });
});
