import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ROAD_USERS } from "../../../../src/records/road-users.ts";
import { NOT_A_COUNT } from "../../../../src/records/schema.ts";
import { InputError } from "../../../../tools/data/formats/problem.ts";
import { type StageOptions, stageRecords } from "../../../../tools/data/staging/staging.ts";
import { makeRecords } from "../../../support/sample-records.ts";
import { type Contents, FIELDS, findProblems, formatReport, makeRecord, stageContents } from "../input.ts";

const noon = (day: number) => `2019-02-0${day}T12:00:00Z`;

const dayOf = (index: number) => new Date(Date.UTC(1900, 0, 1 + index)).toISOString().slice(0, 10);

const IMAGE = "2025-10-29 09:23:09Z,2025-10-29 09:10:27Z,A33,tf1,1,2,3,4,5,6,0";
const SAME_IMAGE = "2025-10-29 09:24:09Z,2025-10-29 09:10:27.5Z,a33,tf1,1,2,3,4,5,6,0";
const ZIPPED = gzipSync(`${FIELDS}\n1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1\n`);

/** Images of an unknown model at different times. */
const OTHER_IMAGE = IMAGE.replace("tf1", "tf2");
const OTHER_IMAGES = Array.from({ length: 30 }, (_, i) => OTHER_IMAGE.replace("09:10", `10:${10 + i}`));

const NEGATIVE = `-1 ${NOT_A_COUNT}`;

// biome-ignore format: a table of cases
test.each<[what: string, contents: Contents, problems: unknown[], options?: StageOptions]>([
  ["an id that another file repeats twice",
    { a: [{ id: 2, timestamp: noon(2) }, { timestamp: noon(3) }], b: [{}, { timestamp: noon(1) }] },
    ["b:1: id 1 already appears in a:2", "b:2: id 1 already appears in a:2"]],
  ["a repeated record", { a: [{}], b: [{}] }, ["b:1: id 1 already appears in a:1"]],
  ["a camera with two camera_refs",
    { a: [{}, { id: 2, timestamp: noon(1) }, { id: 3, timestamp: noon(2), camera_ref: "b" }, { id: 4, camera_pk: 9, camera_ref: "b" }] },
    ['a:3: camera_ref "b" differs from "a33", the camera_ref of camera_pk 7 in a:1']],
  ["a record that repeats the id of one record and the camera and time of another",
    { a: [{}, { id: 2, timestamp: noon(1) }, { id: 2 }] },
    ["a:3: id 2 already appears in a:2", 'a:3: timestamp "2019-02-28T10:00:00Z" already appears for camera "a33" in a:1']],
  ["a camera and time that appear twice in a report", { a: formatReport(IMAGE, SAME_IMAGE) },
    ['a:3: timestamp "2025-10-29T09:10:27Z" already appears for camera "a33" in a:2']],
  ["a report after records", { a: [{}], b: formatReport(IMAGE) }, [expect.stringContaining("b: contains a report, but a contains records")]],
  ["files that cannot be read, and the files after them", { a: ZIPPED.subarray(0, 40), b: "", "-": ZIPPED, c: "{", d: [{}] }, [
    "a: is a damaged gzip file: unexpected end of file",
    "b: contains no records",
    "c:1: is the start of a JSON object that never ends",
    "d:1: id 1 already appears in -:2",
  ]],
  ["an unknown model, with the option for it", { a: formatReport(...OTHER_IMAGES, "x") }, [
    expect.stringContaining("--model-name tf1"),
    ...[2, 3, 4].map((line) => `a:${line}: model_name "tf2" is not "tf1"`),
    "and 27 more like this",
    'a:32: "x" has 1 cell instead of 11',
  ]],
  ["no hint at other models if the model is missing or cut", { a: formatReport(IMAGE.replace("tf1", "")), b: [{ model_name: "tf" as "tf1" }] },
    ['a:2: model_name "" is not "tf1"', 'b:1: model_name "tf" is not "tf1"']],
  ["one problem for a camera with two camera_refs at the same time", { a: [{}, { id: 2, camera_ref: "b" }] },
    ['a:2: camera_ref "b" differs from "a33", the camera_ref of camera_pk 7 in a:1']],
  ["the first three of each cause in the order of files and lines, and how many there are more", {
    z: [{ id: 1 }, { id: 1 }, { id: 1, cars: -1 }],
    y: Buffer.from("\x1f\x8bhello", "latin1"),
    x: [{ id: 1 }, ...Array.from({ length: 2000 }, (_, id) => ({ id, cars: -1 })), { buses: -1 }],
    w: [1, 1, 2, 3].map((id) => ({ id })),
  }, [
    ...["z:2", "x:1", "w:1"].map((position) => `${position}: id 1 already appears in z:1`),
    "and 1 more like this",
    ...["z:3", "x:2", "x:3"].map((position) => `${position}: cars ${NEGATIVE}`),
    "and 1998 more like this",
    "y: is a damaged gzip file: unknown compression method",
    `x:2002: buses ${NEGATIVE}`,
    ...["w:3", "w:4"].map((position) => `${position}: timestamp "2019-02-28T10:00:00Z" already appears for camera "a33" in z:1`),
  ]],
  ["the number of problems of further causes", { a: `${FIELDS}\n${["a", ...Array(10).fill("x"), "tf1"]}\n1\n` }, [
    'a:2: id "a" is not a whole number',
    'a:2: camera_pk "x" is not a whole number',
    expect.stringContaining('a:2: timestamp "x" is not'),
    expect.stringContaining('a:2: camera_ok "x" is not'),
    ...ROAD_USERS.map((name) => `a:2: ${name} "x" ${NOT_A_COUNT}`),
    "and 1 more problem",
  ]],
  ["with strict, a False record with counts, which is still compared", { a: [{ camera_ok: "False", cars: 0 }, {}] },
    ['a:1: camera_ok "False" requires counts of 0, but persons is 2', "a:2: id 1 already appears in a:1"], { strict: true }],
  ["a report and records, even if all rows of one of them are duplicates",
    { a: formatReport(IMAGE.replace("A33", "1")), b: [{ camera_pk: 1, camera_ref: "a33", timestamp: "2025-10-29T09:10:27Z" }] },
    [expect.stringContaining("a: contains a report, but b contains records")], { skipDuplicates: true }],
])("an error shows %s", async (_, contents, problems, options) => {
  expect(await findProblems(contents, options)).toEqual(problems);
});

const CAMERAS = "exceeds the limit of 100000 cameras per collection";
const DAYS = "exceeds the limit of 100000 different days per collection";

// biome-ignore format: a table of cases
test.each<[string, (index: number) => string, string[]]>([
  ["cameras", (index) => `${index},${index},c${index},${noon(1)},,0,0,0,0,0,0,tf1`,
    [0, 1, 2].map((number) => `a:10000${number + 2}: camera_ref "c10000${number}" ${CAMERAS}`)],
  ["days", (index) => `${index},1,c,${dayOf(index)}T00:00:00Z,,0,0,0,0,0,0,tf1`,
    [6, 7, 8].map((day) => `a:10000${day - 4}: timestamp "2173-10-1${day}T00:00:00Z" ${DAYS}`)],
])("too many %s are rejected", async (_, formatRow, problems) => {
  const a = [FIELDS, ...Array.from({ length: 100_010 }, (_, index) => formatRow(index))].join("\n");
  expect(await findProblems({ a })).toEqual([...problems, "and 7 more like this"]);
});

// With a quadratic search, this test would run into its timeout.
test("each of 10,000 records that are repeated with other ids is found", async () => {
  const camera = (pk: number) => ({ camera_pk: pk, camera_ref: `c${pk}` });
  const format = (_: unknown, id: number) => ({ id, ...camera(id % 10_000) });
  expect((await findProblems({ a: Array.from({ length: 20_000 }, format) })).slice(2)).toEqual([
    'a:10003: timestamp "2019-02-28T10:00:00Z" already appears for camera "c2" in a:3',
    "and 9997 more like this",
  ]);
});

test.each([{}, { strict: true, skipDuplicates: true }])(
  "cameras that share a camera_ref are loaded with a warning that names both: %j",
  async (options) => {
    const a = [{ id: 1 }, { id: 2, camera_pk: 8, camera_ref: "b" }];
    const b = [{ id: 3, camera_pk: 9, timestamp: noon(1) }];
    const { warnings, records } = await stageContents({ a, b }, options);
    expect(records).toHaveLength(3);
    const warning = 'Warning: b:1: camera_ref "a33" belongs to camera_pk 7 in a:1 and camera_pk 9';
    expect(warnings).toEqual([warning]);
  },
);

// biome-ignore format: a table of cases
test.each<[string, string, warnings: unknown[]]>([
  ["a line end", formatReport(IMAGE), []],
  ["no line end", formatReport(IMAGE).trimEnd(), [expect.stringMatching(/^Warning: a:2: has no line end/)]],
  ["half of a line end", formatReport(IMAGE).replace(/\n$/, "\r"), [expect.stringMatching(/^Warning: a:2: has no line end/)]],
])("a file with %s is loaded, and a cut one with a warning", async (_, a, expected) => {
  const { warnings, records } = await stageContents({ a });
  expect([records.length, warnings]).toEqual([1, expected]);
});

// biome-ignore format: a table of cases
test.each([
  ["Caf\u00e9", "Cafe\u0301", String.raw`"Cafe\u0301", which looks like "Caf\u00e9"`],
  ["A\u00a0B", "A\u2003 B", String.raw`"A\u2003 B", which looks like "A\u00a0B"`],
  ["\u845b", "\u845b\u{e0100}", String.raw`"\u845b\udb40\udd00", which looks like "\u845b"`],
  ["\u06cc\u200c\u0631", "\u06cc\u0631", String.raw`"\u06cc\u0631", which looks like "\u06cc\u200c\u0631"`],
])("two cameras that look alike are rejected, with what they are: %s and %s", async (one, other, message) => {
  const a = [{ camera_ref: one }];
  const b = [{ id: 2, camera_pk: 8, camera_ref: other }];
  expect(await findProblems({ a, b })).toEqual([`b:1: camera_ref "${other}" is ${message} in a:1`]);
  for (const records of [a, b]) expect((await stageContents({ a: records })).records).toHaveLength(1);
});

test("a problem with a record in memory names the index, the field and the value", async () => {
  const failed = makeRecord({ camera_ok: "False" });
  const records = [{ ...failed, id: "5", vans: 1 }, null, failed, makeRecord({ camera_ref: "b" })];
  const problems = [
    'records[0]: id "5" is not a whole number',
    "records[0]: vans is not a field of a record",
    "records[1]: null is not a record",
    'records[2]: camera_ok "False" requires counts of 0, but cars is 3',
    'records[3]: camera_ref "b" differs from "a33", the camera_ref of camera_pk 7 in records[2]',
    "records[3]: id 1 already appears in records[2]",
    "Nothing was loaded.",
  ];
  await expect(stageRecords(records)).rejects.toThrow(new InputError(problems.join("\n")));
});

const PAGED = makeRecords(45).reverse();

const formatPage = (number: number, count = 45) =>
  JSON.stringify({ count, next: null, previous: null, results: PAGED.slice(15 * (number - 1), 15 * number) });

test.each<[string, numbers: number[], counts: number[], found?: number]>([
  ["no problem if all pages are there, in any order", [3, 1, 2], [45, 45, 45]],
  ["no problem if one page is there twice", [1, 2, 2, 3], [45, 45, 45, 45]],
  ["a missing page", [1, 3], [45, 45], 30],
  ["a page instead of a different one", [1, 1, 3], [45, 45, 45], 30],
  ["a collection that grew", [3, 2, 1], [45, 46, 46], 45],
  ["more records than the count", [1, 2, 3], [44, 44, 44], 45],
])("compares the records of pages with their count: %s", async (_, numbers, counts, found) => {
  const pages = numbers.map((number, index) => formatPage(number, counts[index]));
  const problem = `a: the pages contain ${found} different records, but their count is ${Math.max(...counts)}`;
  const problems = found === undefined ? [] : [problem];
  const other = [{ id: 99, camera_pk: 99, camera_ref: "c" }];
  const files = { a: `[${pages.slice(0, -1)}]`, b: String(pages.at(-1)), c: other };
  const { warnings } = await stageContents(files, { skipDuplicates: true });
  expect(warnings).toEqual(problems.map((problem) => `Warning: ${problem}`));
  expect(await findProblems(files, { strict: true, skipDuplicates: true })).toEqual(problems);
});
