import { describe, expect, test } from "vitest";
import { NOT_A_COUNT } from "../../../../src/records/schema.ts";
import { cutBytes, FIELDS, makeRecord, REPORT_COLUMNS, readProblems } from "../input.ts";

// The problems of single files, with their messages. test/tools/data/staging/staging-problems.test.ts tests conflicts between records.

const UTC = "is not a date-time in UTC";
const OFFSET = "is not a date-time with a UTC offset";
const HEALTH = 'is not "True", "False", or null';
const STRING = "is not a string of 1 to 64 characters";

/** Matches each problem by its place and its cause. */
const containing = (...parts: string[]) => parts.map((part) => expect.stringContaining(part));

const GOOD = "1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1";
const RECORD = JSON.stringify(makeRecord());
const { id: _, ...withoutId } = makeRecord();
const ENVELOPE = { count: 1, next: null, previous: null };
/** Returns the JSON of a page with these results. */
const inPage = (results: string) =>
  JSON.stringify({ ...ENVELOPE, results: [] }).replace("[]", () => `[${results}]`);
/** Formats a value as a message does. */
function show(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 59)}…` : json;
}

const TIME = "2025-10-29 09:10:27+00:00";

/** The values of a row, by their columns. */
const ROW = { ...makeRecord(), camera_ok: "" };
const ZEROS = Object.fromEntries(REPORT_COLUMNS.split(",").map((name) => [name, 0]));
const IMAGE = { ...ZEROS, image_proc: TIME, image_capt: TIME, camera_ref: "a", model_name: "tf1" };

describe("reports an invalid field:", () => {
  // biome-ignore format: a table of cases
  test.each<[string, object, string, string[], string]>([
    ["a count", ROW, "cars", ["many", "", "-1", "1.5", "1e3", "0x1f", " 1"], NOT_A_COUNT],
    ["a count above the largest safe integer", ROW, "cars", ["9007199254740993"], "is greater than 9007199254740991"],
    ["an id below the smallest safe integer", ROW, "id", ["-9007199254740993"], "is less than -9007199254740991"],
    ["a day that does not exist", ROW, "timestamp", ["2020-02-30T10:00:00Z", "1900-02-29T10:00:00Z"], UTC],
    ["an hour 24, and a leap second", ROW, "timestamp", ["2019-02-28T24:00:00Z", "2016-12-31T23:59:60Z"], UTC],
    ["a time in another format", ROW, "timestamp", ["", "2019-02-28T10:00:00", "2019-02-28T10:00:00+00:00", "2019-02-28T10:00:00.000Z"], UTC],
    ["an unknown camera_ok", ROW, "camera_ok", ["TruE", "null", "NA", "1"], HEALTH],
    ["an empty camera_ref", ROW, "camera_ref", [""], STRING],
    ["a formula as a camera_ref", ROW, "camera_ref", [..."=+-@＝＋－＠﹢﹣⁼"].flatMap((first) => [`${first}1`, first]),
      "begins like a spreadsheet formula"],
    ["an unknown model", ROW, "model_name", ["tf2"], 'is not "tf1"'],
    ["a time without an offset", IMAGE, "image_capt", ["2025-10-29 09:10:27", "2025-10-29T09:10:27.5", "2025-02-20 09:10:27+0000"], OFFSET],
    ["no time of an image", IMAGE, "image_proc", [""], OFFSET],
    ["a time before the year 0", IMAGE, "image_capt", ["0000-01-01 00:00:00+01:00"], OFFSET],
    ["a camera_ref of white space", IMAGE, "camera_ref", [" "], STRING],
    ["a word for warnings", IMAGE, "warnings", ["some"], NOT_A_COUNT],
  ])("%s in CSV", async (_, row, field, cells, message) => {
    const rows = cells.map((cell) => String(Object.values({ ...row, [field]: cell })));
    const problems = cells.map((cell, index) => `-:${index + 2}: ${field} "${cell}" ${message}`);
    expect(await readProblems([Object.keys(row), ...rows].join("\n"))).toEqual(containing(...problems));
  });

  // biome-ignore format: a table of cases
  test.each<[string, string, unknown[], string]>([
    ["a count", "cars", ["1", null, 1.5], NOT_A_COUNT],
    ["a count above the largest safe integer", "cars", [2 ** 53], "cannot be read exactly"],
    ["a boolean camera_ok", "camera_ok", [true, false], "is a boolean"],
    ["a number for camera_ok", "camera_ok", [1], HEALTH],
    ["white space at an end of a camera_ref", "camera_ref", ["a ", "\u00a0a"], "begins or ends with white space"],
    ["an object or a long text for a camera_ref", "camera_ref", [{ a: 1 }, "x".repeat(65)], STRING],
  ])("%s in JSON", async (_, field, values, message) => {
    const lines = values.map((value) => JSON.stringify(makeRecord({ [field]: value })));
    const problems = values.map((value, index) => `-:${index + 1}: ${field} ${show(value)} ${message}`);
    expect(await readProblems(lines.join("\n"))).toEqual(containing(...problems));
  });

  const invisible = [..."\u0007\u200b\u2028\u2800\u3164\uffff\u{e0041}", "\ud83d"];
  const misplaced = ["\u200d", "\ufe0f\ufe0f", "\u200c\u200db", " \ufe0fb", "\u200d b"];
  test.each([...invisible, ...misplaced])(
    "a camera_ref that ends in %j, with an invisible character",
    async (end) => {
      const code = end.replace(/^ /, "").codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      const [problem] = await readProblems(JSON.stringify(makeRecord({ camera_ref: `a${end}` })));
      expect(problem).toContain(` contains the invisible character U+${code}`);
      expect(problem).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
    },
  );

  test("a model name that is not a string, which is not replaced", async () => {
    const text = JSON.stringify({ ...makeRecord(), model_name: 2 });
    expect(await readProblems(text, "tf1")).toEqual(['-:1: model_name 2 is not "tf1"']);
  });
});

/** Describes a header without any of the columns. */
const hasNone = (header: string) => `it is ${JSON.stringify(header)}`;

// biome-ignore format: a table of cases
test.each([
  ["missing, unknown and repeated columns", FIELDS.replace("trucks", "cars").replace("buses", "lorries,"),
    'missing: trucks, buses; unknown or repeated: ["cars","lorries",""]'],
  ["a record instead of a header", GOOD, hasNone(GOOD)],
  ["column names in upper case", FIELDS.toUpperCase(), hasNone(FIELDS.toUpperCase())],
  ["semicolons", FIELDS.replaceAll(",", ";"), hasNone(FIELDS.replaceAll(",", ";"))],
  ["a quoted name with a comma", 'Time,"Site, street"', hasNone("Time,Site, street")],
  ["half a million cells", `${"x,".repeat(250_000)}${"id,".repeat(250_000)}`, 'missing: camera_pk, '],
  ["a report without a column", REPORT_COLUMNS.replace(",car,", ","), "missing: car; unknown or repeated: []"],
  ["a report with tabs", REPORT_COLUMNS.replaceAll(",", "\t"), hasNone(REPORT_COLUMNS.replaceAll(",", "\t"))],
])("reports an invalid header: %s", async (_, header, differences) => {
  const isReport = header.includes("image_proc");
  const problems = await readProblems(`\n${header}\n${GOOD}\n`);
  expect(problems).toEqual([expect.stringContaining(`: ${differences}`)]);
  expect(problems[0]).toMatch(isReport ? /^-:2: .* a report / : /^-:2: .* a records file .*docs\/data\.md$/);
});

// biome-ignore format: a table of cases
test.each([
  ["all invalid cells of a row, and the rows after it",
    `${FIELDS}\n1,7,a33,yesterday,,many,-1,1,0,0,0,tf2\n${GOOD}\n${GOOD.replace(",0,tf1", ",x,tf1")}\n`, [
    `-:2: timestamp "yesterday" ${UTC}`,
    `-:2: cars "many" ${NOT_A_COUNT}`,
    `-:2: persons "-1" ${NOT_A_COUNT}`,
    '-:2: model_name "tf2" is not "tf1"',
    `-:4: buses "x" ${NOT_A_COUNT}`,
  ]],
  ["rows with too few and too many cells", `${FIELDS}\n1\n${GOOD}\n${GOOD},\n`,
    ['-:2: "1" has 1 cell instead of 12', "-:4: has 13 cells instead of 12"]],
  ["lines that look empty", `${FIELDS}\n${GOOD}\n \n\x1a`, ['-:3: " " has 1 cell instead of 12', '-:4: "\\u001a" has 1 cell instead of 12']],
  ["an empty file", "", ["-: contains no records"]],
  ["only a header", `${FIELDS}\n\n`, ["-: contains no records"]],
  ["only empty envelopes",
    '{"count":0,"next":null,"previous":null,"results":[]}\n{"count":0,"next":null,"previous":null,"results":[]}',
    ["-: contains no records"]],
  ["a missing and an unknown field", JSON.stringify({ ...withoutId, colour: "red" }),
    ["-:1: id is missing", "-:1: colour is not a field of a record"]],
  ["a field whose name has an escape sequence", JSON.stringify({ ...makeRecord(), "\u001b[2J": 1 }), ['-:1: "\\u001b[2J" is not a field of a record']],
  ["lines that are not records", `${RECORD}\n{"a":1}\n\n{"results":7}\nnull\n`, [
    '-:2: {"a":1} is not a record: it has no field of a record; see "Convert your own CSV"',
    '-:4: {"results":7} is not a record: it has no field of a record; see "Convert your own CSV"',
    "-:5: is not a record or a page in JSON",
  ]],
  ["objects that are almost a page", `{"results":[]}\n${JSON.stringify({ ...ENVELOPE, results: 7 })}`, [
    "-:1: has results, but is not a page: missing: count, next, previous",
    '-:2: {"count":1,"next":null,"previous":null,"results":7} is not a record',
  ]],
  ["invalid objects and the lines after them", `${RECORD}\n{id: 1}\n{"id":NaN}\n{"id":1,}\n{"id":1]\n${RECORD.slice(1)}`, [
    ...[2, 3, 4, 5].map((line) => `-:${line}: is the start of an object that cannot be parsed: `),
    "-:6: is not a record or a page in JSON",
  ]],
  ["one line of 10 MB", `{"results":"${"x".repeat(10_000_000)}`, ["-:1: is a JSON object of more than 8 MB"]],
  ["an escape sequence of terminals", '{"detail":"\\u001b[31m"}', ['-:1: {"detail":"\\u001b[31m"} is not a record']],
  ["a page without a count", '{"count":null,"next":null,"previous":null,"results":[]}', [`-:1: count null ${NOT_A_COUNT}`]],
  ["a page with a negative count", '{"count":-1,"next":null,"previous":null,"results":[]}', [`-:1: count -1 ${NOT_A_COUNT}`]],
  ["a comma at the end of an array", `[${RECORD},\n]`, ["-:2: has a comma that is not between two records"]],
  ["a byte order mark inside an array", `[${RECORD},\n\ufeff${RECORD}]`, ["-:2: is not a record or a page in JSON"]],
  ["a comma outside an array", `${RECORD},${RECORD}`, ["-:1: has a comma that is not between two records"]],
  ["no comma in an array", `[[${RECORD}]\n${RECORD}]`, ["-:2: has no comma between two records"]],
  ["a page of 500,000 objects", inPage("{},".repeat(500_000)), ["-:1: is a JSON object with more than 200000 values"]],
  ["deep arrays", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, ["-: contains no records"]],
  ["a key that appears twice",
    `${RECORD}\n${RECORD.replace("{", '{"cars":7,')}\n[\n${inPage(RECORD.replace("{", '{"cars":3,'))}]`,
    ["-:2: has a key twice in one object", "-:4: has a key twice in one object"]],
  ["a deep value in a pretty-printed page",
    `{"results": [\n${RECORD.slice(0, -1)},"more":\n${"[\n".repeat(100_000)}${"]\n".repeat(100_000)}}]}`,
    ["-:100: is nested more than 100 levels deep"]],
  ["results that are not records", inPage("7,[],null"), ["-:1: 7 is not a record", "-:1: [] is not a record", "-:1: null is not a record"]],
  ["an invalid field of a pretty-printed record",
    JSON.stringify({ ...ENVELOPE, results: [makeRecord(), makeRecord({ cars: -1 })] }, null, 1),
    [`-:20: cars -1 ${NOT_A_COUNT}`]],
  ["a truncated page", `{\n"results": [\n${RECORD},\n`, ["-:1: is the start of a JSON object that never ends"]],
  ["text between objects", `[${RECORD}]\n\x1a\n[${RECORD}]`, ['-:2: is not a record or a page in JSON: "\\u001a"']],
  ["a bracket too many", `[${RECORD}]]`, ["-:1: is not a record or a page in JSON"]],
  ["text in a page", `{\n"results": [\n${RECORD}\nx]}`, ["-:1: is the start of an object that cannot be parsed: "]],
])("reports %s", async (_, text, problems) => {
  expect(await readProblems(text)).toEqual(containing(...problems));
});

const QUOTE = "has a quote that is not closed, or inside a cell";

test.each([
  ["a quote that is not closed, in 3 MB", `"2\n${"x\n".repeat(1_500_000)}`, QUOTE],
  ["a quote in the middle", '2"x",7', QUOTE],
  ["a row of 3 MB", `2,7,${"x".repeat(3_000_000)}`, "is too long for a row"],
])("stops at %s and reports the problems before it", async (_, text, message) => {
  const input = `${FIELDS}\n\n1,7,a33,"yester\r\nday",,1,0,0,0,0,0,tf1\n${GOOD}\n\n${text}`;
  expect(await readProblems(cutBytes(input))).toEqual(
    containing(`-:3: timestamp "yester\\r\\nday" ${UTC}`, `-:7: ${message}`),
  );
});

// biome-ignore format: a table of cases
test.each<[what: string, numbers: string[], problems: unknown[]]>([
  ["that is whole is accepted, however it is written", ["3.0", "3e0", "0.3e1", "-0", "3.0000000000000000"], []],
  ["that JavaScript cannot represent exactly is rejected at once",
    ["1e400", "9007199254740991.4", "1e-400", "9007199254740993", "-9007199254740993", `1${"0".repeat(1_000_000)}1.5`],
    [expect.stringMatching(/^-:1: cars [^ ]{5,60} cannot be read exactly$/)]],
])("a number in JSON %s", async (_, numbers, problems) => {
  for (const number of numbers)
    expect(await readProblems(RECORD.replace('"cars":3', `"cars":${number}`)), number).toEqual(problems);
});
