import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { formatProblem } from "../../../data/formats/problem.ts";
import { formatCount, formatValue } from "../../../data/formatting.ts";
import { InputError, requireLoadable } from "../../../data/input-error.ts";
import { stage, stageRecords } from "../../../data/staging.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { FIELDS, makeRecord } from "../formats/read-input.ts";
import { listRecords, noon, stageFiles, writeReport } from "./stage-files.ts";

test.each<[string, Record<string, Partial<TrafficRecord>[]>, string[]]>([
  ["accepts records of one camera at several times", { a: [{ id: 1 }, { id: 2, timestamp: noon(1) }] }, []],
  ["accepts records of several cameras at one time", { a: [{ id: 1 }, { id: 2, camera_pk: 8 }] }, []],
  ["reports a repeated id", { a: [{}, { timestamp: noon(1) }] }, ["a:2: id 1 already appears in a:1"]],
  [
    "reports an id that another file repeats twice",
    { a: [{ id: 2, timestamp: noon(2) }, { timestamp: noon(3) }], b: [{}, { timestamp: noon(1) }] },
    ["b:1: id 1 already appears in a:2", "b:2: id 1 already appears in a:2"],
  ],
  ["reports a repeated record", { a: [{}], b: [{}] }, ["b:1: id 1 already appears in a:1"]],
  [
    "reports a camera with two camera_refs",
    {
      a: [
        {},
        { id: 2, timestamp: noon(1) },
        { id: 3, timestamp: noon(2), camera_ref: "b" },
        { id: 4, camera_pk: 9, camera_ref: "b" },
      ],
    },
    ['a:3: camera_ref "b" differs from "a33", the camera_ref of camera_pk 7 in a:1'],
  ],
  [
    "reports a repeated camera and time",
    { a: [{}], b: [{ id: 2, timestamp: noon(1) }, { id: 3 }] },
    ['b:2: timestamp "2019-02-28T10:00:00Z" already appears for camera "a33" in a:1'],
  ],
  [
    "reports a record that repeats the id of one record and the camera and time of another",
    { a: [{}, { id: 2, timestamp: noon(1) }, { id: 2 }] },
    [
      "a:3: id 2 already appears in a:2",
      'a:3: timestamp "2019-02-28T10:00:00Z" already appears for camera "a33" in a:1',
    ],
  ],
])("%s", async (_, contents, problems) => {
  expect(await stageFiles(contents)).toMatchObject({ problems, problemCount: problems.length });
});

test("refuses a file that is named twice", async () => {
  const folder = createFolder();
  const file = join(folder, "a");
  await writeFile(file, JSON.stringify(makeRecord()));
  const staged = await stage([file, relative(process.cwd(), file)], { strict: false });
  expect(staged.problems.map(formatProblem)).toEqual([`${relative(process.cwd(), file)}: is named twice`]);
  staged.close();
});

test("returns the first 20 problems in the order of files and lines, and counts all", async () => {
  const wrong = (count: number) => Array.from({ length: count }, (_, id) => ({ id, cars: -1 }));
  const staged = await stageFiles({
    z: [{ id: 1 }, { id: 1 }, { id: 1, cars: -1 }],
    y: Buffer.from("\x1f\x8bhello", "latin1"),
    x: [{ id: 1 }, ...wrong(2000)],
  });
  const message = "cars -1 is not a whole number, 0 or greater";
  expect(staged.problems).toEqual([
    "z:2: id 1 already appears in z:1",
    `z:3: ${message}`,
    "y: is a damaged gzip file: unknown compression method",
    "x:1: id 1 already appears in z:1",
    ...Array.from({ length: 16 }, (_, i) => `x:${i + 2}: ${message}`),
  ]);
  expect(staged).toMatchObject({ count: 3, problemCount: 2004 });
});

test("shows the problem of another model once, with its count", async () => {
  const report = writeReport(
    ...Array.from({ length: 30 }, (_, day) => `${CAPTURED(day)},${CAPTURED(day)},a,tf2,0,0,0,0,0,0,0`),
    "x",
  );
  expect(await stageFiles({ a: report })).toMatchObject({
    problems: ['a:2: model_name "tf2" is not "tf1" (and in 29 more)', "a:32: has 1 cell instead of 11"],
    problemCount: 31,
  });
});

test("reads the other files if one cannot be read", async () => {
  const zipped = gzipSync(`${FIELDS}\n1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1\n`);
  const staged = await stageFiles({ a: zipped.subarray(0, 40), b: "", "-": zipped, c: "{" });
  expect(staged).toMatchObject({
    count: 1,
    problems: [
      "a: is a damaged gzip file: unexpected end of file",
      "b: contains no records",
      "c:1: is the start of a JSON object that never ends",
    ],
  });
});

const CAPTURED = (minute: number) => `2025-10-29 09:${10 + minute}:00Z`;

const FIRST = "2025-10-29 09:23:09Z,2025-10-29 09:10:27Z,A33,tf1,1,2,3,4,5,6,0";

test.each(
  // biome-ignore format: one case per line
  [
    ["refuses a report after records", { a: [{}], b: writeReport(FIRST) }, "b: contains a report, but a contains records; one load cannot contain both"],
    ["refuses records after a report", { a: writeReport(FIRST), b: [{}, {}] }, "a: contains a report, but b contains records; one load cannot contain both"],
  ],
)("%s", async (_, contents, problem) => {
  expect(await stageFiles(contents)).toMatchObject({ problems: [problem] });
});

test("reports a camera and time that appear twice in a report", async () => {
  const again = FIRST.replace("A33", "a33").replace("09:23:09", "09:24:09").replace("09:10:27", "09:10:27.5");
  expect(await stageFiles({ a: writeReport(FIRST, again) })).toMatchObject({
    problems: ['a:3: timestamp "2025-10-29T09:10:27Z" already appears for camera "a33" in a:2'],
  });
});

describe("of records in memory, a problem names the record, the field and the value:", () => {
  const records: Record<string, unknown>[] = makeRecords(40);
  const [first, , , fourth] = records;

  test.each<[string, unknown[], string[]]>([
    [
      "several wrong fields",
      [first, { ...fourth, id: "5", vans: 1 }],
      ['records[1]: id "5" is not a whole number', "records[1]: vans is not a field of a record"],
    ],
    ["a value that is no record", [first, null], ["records[1]: null is not a record"]],
    [
      "counts of a failed camera",
      [{ ...first, camera_ok: "False", buses: 2 }],
      ['records[0]: camera_ok "False" requires counts of 0, but buses is 2'],
    ],
    [
      "an id twice",
      [first, { ...fourth, id: first?.id }],
      [`records[1]: id ${first?.id} already appears in records[0]`],
    ],
  ])("%s", async (_, given, problems) => {
    const staged = await stageRecords(given);
    expect(staged.problems.map(formatProblem)).toEqual(problems);
    expect(() => requireLoadable(staged, "Nothing was loaded.")).toThrow(
      new InputError(staged.problems, problems.length, "Nothing was loaded."),
    );
  });

  test("a refusal shows 20 problems, how many there are more, and how to serve another model", async () => {
    const wrong = records.map((record, id) => ({ ...record, id, cars: id < 30 ? -1 : 0 }));
    const listed = wrong
      .slice(0, 20)
      .map((_, index) => `records[${index}]: cars -1 is not a whole number, 0 or greater`);
    const refuse = async (given: object[]) =>
      requireLoadable(await stageRecords(given), "Nothing was loaded.");
    await expect(refuse(wrong)).rejects.toThrow(
      new Error([...listed, "and 10 more problems", "Nothing was loaded."].join("\n")),
    );
    await expect(refuse([{ ...first, model_name: "tf9" }])).rejects.toThrow(
      /^The collection serves .*--model-name tf1 /,
    );
    await expect(refuse([{ ...first, model_name: undefined }])).rejects.toThrow(/^records\[0\]: model_name /);
  });

  test("records in any order are staged oldest first", async () => {
    for (const given of [records.toReversed(), new Set(records)]) {
      const staged = await stageRecords(given);
      expect([...listRecords(staged)]).toEqual(records);
      staged.close();
    }
  });
});

test.each([
  ["a".repeat(58), `"${"a".repeat(58)}"`],
  ["a".repeat(59), `"${"a".repeat(58)}…`],
  // The value is cut between the two halves of a surrogate pair.
  [`${"a".repeat(57)}🚗🚗`, `"${"a".repeat(57)}\ufffd…`],
  [null, "null"],
])("the value %j is shown as %s", (value, shown) => expect(formatValue(value)).toBe(shown));

test("one of something is shown in the singular", () => {
  expect([0, 1, 2].map((count) => formatCount(count, "page"))).toEqual(["0 pages", "1 page", "2 pages"]);
});
