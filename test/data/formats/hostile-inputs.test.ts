import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatProblem } from "../../../data/formats/problem.ts";
import { recordValidator } from "../../../data/formats/validation.ts";
import { escapeInvisible } from "../../../data/formatting.ts";
import { stage } from "../../../data/staging.ts";
import { stageFiles } from "../staging/stage-files.ts";
import { FIELDS, makeRecord, REPORT_COLUMNS, readProblems, readRows } from "./read-input.ts";

// All problems of a single file with their messages, so that the wording can be reviewed as a whole.
// test/data/staging/staging-problems.test.ts tests records that contradict each other.

const WHOLE = "is not a whole number, 0 or greater";
const UTC = "is not a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)";
const OFFSET = "is not a date-time with a UTC offset (YYYY-MM-DD hh:mm:ss+hh:mm)";
const STRING = "is not a string of 1 to 255 characters";

const GOOD = "1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1";
const RECORD = JSON.stringify(makeRecord());
const { id: _, ...withoutId } = makeRecord();
const PAGE = JSON.stringify({ count: 1, next: null, previous: null, results: [makeRecord()] });
const DEEP = "is nested more than 100 levels deep";
const UTF16 = "looks like UTF-16; save it as UTF-8";
const HEADER_CASE =
  "is a header that must have its column names in lower case, without white space around them";

/** A value as messages show it. */
function show(text: string): string {
  const json = JSON.stringify(text);
  return json.length > 60 ? `${json.slice(0, 59)}…` : json;
}

describe("reports an invalid field of a record", () => {
  // biome-ignore format: one case per line
  const cells: [string, string, string, string][] = [
    ["a word for a count", "cars", "many", WHOLE],
    ["an empty count", "buses", "", WHOLE],
    ["a negative count", "persons", "-1", WHOLE],
    ["a fraction", "trucks", "1.5", WHOLE],
    ["an exponent", "trucks", "1e3", WHOLE],
    ["a hexadecimal number", "trucks", "0x1f", WHOLE],
    ["white space around a count", "trucks", " 1", WHOLE],
    ["a count above the largest safe integer", "cars", "9007199254740993", "is greater than 9007199254740991"],
    ["an id below the smallest safe integer", "id", "-9007199254740993", "is less than -9007199254740991"],
    ["a word for an id", "id", "x7", "is not a whole number"],
    ["30 February", "timestamp", "2020-02-30T10:00:00Z", UTC],
    ["29 February outside a leap year", "timestamp", "1900-02-29T10:00:00Z", UTC],
    ["hour 24", "timestamp", "2019-02-28T24:00:00Z", UTC],
    ["hour 25", "timestamp", "2019-02-28T25:00:00Z", UTC],
    ["a leap second", "timestamp", "2016-12-31T23:59:60Z", UTC],
    ["no Z", "timestamp", "2019-02-28T10:00:00", UTC],
    ["an offset", "timestamp", "2019-02-28T10:00:00+00:00", UTC],
    ["a fraction of a second", "timestamp", "2019-02-28T10:00:00.000Z", UTC],
    ["an empty timestamp", "timestamp", "", UTC],
    ["a camera_ok in lower case", "camera_ok", "true", 'is not "True", "False", or empty'],
    ["the word null for camera_ok", "camera_ok", "null", 'is not "True", "False", or empty'],
    ["a missing value of R for camera_ok", "camera_ok", "NA", 'is not "True", "False", or empty'],
    ["an empty camera_ref", "camera_ref", "", STRING],
    ["a camera_ref with a control character", "camera_ref", "a\u0007", "contains the invisible character U+0007"],
    ...["\u2028", "\u3164", "\u2800", "\uffff", "\u200b"].map(
      (character): [string, string, string, string] => {
        const code = character.codePointAt(0)!.toString(16).toUpperCase();
        return [
          `a camera_ref with U+${code}`,
          "camera_ref",
          `a${character}b`,
          `contains the invisible character U+${code}`,
        ];
      },
    ),
    ["white space before a camera_ref", "camera_ref", " a", "has white space around it (U+0020)"],
    ["a camera_ref of white space", "camera_ref", "\u00a0", "has white space around it (U+00A0)"],
    ["another model", "model_name", "tf2", 'is not "tf1"'],
  ];

  test.each(cells)("%s in CSV", async (_, field, cell, message) => {
    const row = { ...makeRecord(), camera_ok: "", [field]: cell };
    const text = `${FIELDS}\n${FIELDS.split(",")
      .map((name) => row[name as keyof typeof row])
      .join(",")}\n`;
    expect(await readProblems(text)).toEqual([
      `-:2: ${field} ${escapeInvisible(JSON.stringify(cell))} ${message}`,
    ]);
  });

  // biome-ignore format: one case per line
  const values: [string, string, unknown, string][] = [
    ["a number as a string", "cars", "1", WHOLE],
    ["null for a count", "cars", null, WHOLE],
    ["a fraction", "cars", 1.5, WHOLE],
    ["a count above the largest safe integer", "cars", 2 ** 53, "is greater than 9007199254740991"],
    ["a boolean camera_ok", "camera_ok", true, 'is not "True", "False", or null'],
    ["an object for a camera_ref", "camera_ref", { a: 1 }, STRING],
    ["a camera_ref with a lone surrogate", "camera_ref", "\ud83d", "contains U+D83D, which is half a character"],
    ["a line break in a camera_ref", "camera_ref", "a\n", "contains the invisible character U+000A"],
    ["a camera_ref that is too long", "camera_ref", "x".repeat(256), STRING],
    ["another model", "model_name", "tf2", 'is not "tf1"'],
  ];

  test.each(values)("%s in JSON", async (_, field, value, message) => {
    const text = JSON.stringify({ ...makeRecord(), [field]: value });
    const shown = JSON.stringify(value);
    expect(await readProblems(text)).toEqual([
      `-:1: ${field} ${shown.length > 60 ? `${shown.slice(0, 59)}…` : shown} ${message}`,
    ]);
  });

  test("does not replace a model name that is not a string", async () => {
    expect(await readProblems(JSON.stringify({ ...makeRecord(), model_name: 2 }), "tf1")).toEqual([
      '-:1: model_name 2 is not "tf1"',
    ]);
  });
});

const CAPTURED = "2025-10-29 09:10:27+00:00";

test.each(
  // biome-ignore format: one case per line
  [
    ["no offset", `${CAPTURED},2025-10-29 09:10:27,a,tf1,0,0,0,0,0,0,0`, 'image_capt "2025-10-29 09:10:27" has no UTC offset (Z or +hh:mm)'],
    ["no offset after a T", `2025-10-29T09:10:27.5,${CAPTURED},a,tf1,0,0,0,0,0,0,0`, 'image_proc "2025-10-29T09:10:27.5" has no UTC offset (Z or +hh:mm)'],
    ["30 February", `${CAPTURED},2025-02-30 09:10:27+00:00,a,tf1,0,0,0,0,0,0,0`, `image_capt "2025-02-30 09:10:27+00:00" ${OFFSET}`],
    ["an offset without a colon", `${CAPTURED},2025-02-20 09:10:27+0000,a,tf1,0,0,0,0,0,0,0`, `image_capt "2025-02-20 09:10:27+0000" ${OFFSET}`],
    ["no time", `,${CAPTURED},a,tf1,0,0,0,0,0,0,0`, `image_proc "" ${OFFSET}`],
    ["a time before the year 0", `${CAPTURED},0000-01-01 00:00:00+01:00,a,tf1,0,0,0,0,0,0,0`, `image_capt "0000-01-01 00:00:00+01:00" ${UTC}`],
    ["a camera_ref of white space", `${CAPTURED},${CAPTURED}, ,tf1,0,0,0,0,0,0,0`, `camera_ref " " ${STRING}`],
    ["a word for a count", `${CAPTURED},${CAPTURED},a,tf1,many,0,0,0,0,0,0`, `car "many" ${WHOLE}`],
    ["a word for warnings", `${CAPTURED},${CAPTURED},a,tf1,0,0,0,0,0,0,some`, `warnings "some" ${WHOLE}, or empty`],
    ["another model", `${CAPTURED},${CAPTURED},a,tf2,0,0,0,0,0,0,0`, 'model_name "tf2" is not "tf1"'],
  ],
)("reports an invalid field of a report: %s", async (_, row, problem) => {
  expect(await readProblems(`${REPORT_COLUMNS}\n${row}\n`)).toEqual([`-:2: ${problem}`]);
});

test.each(
  // biome-ignore format: one case per line
  [
    [
    "all invalid cells of a row, and the rows after it",
    `${FIELDS}\n1,7,a33,yesterday,,many,-1,1,0,0,0,tf2\n${GOOD}\n1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,x,tf1\n`,
    [
      `-:2: timestamp "yesterday" ${UTC}`,
      `-:2: cars "many" ${WHOLE}`,
      `-:2: persons "-1" ${WHOLE}`,
      '-:2: model_name "tf2" is not "tf1"',
      `-:4: buses "x" ${WHOLE}`,
    ],
  ],
    ["rows with too few and too many cells", `${FIELDS}\n1\n${GOOD}\n${GOOD},\n`, ["-:2: has 1 cell instead of 12", "-:4: has 13 cells instead of 12"]],
    [
    "missing, unknown and repeated columns",
    `${FIELDS.replace("trucks", "cars").replace("buses", "lorries,")}\n${GOOD}\n`,
    [
      "-:1: trucks is missing from the header",
      "-:1: buses is missing from the header",
      "-:1: lorries is not a column of a records file",
      '-:1: "" is not a column of a records file',
      "-:1: cars appears more than once in the header",
    ],
  ],
    ["a report without a column", `\n${REPORT_COLUMNS.replace(",car,", ",")}\n`, ["-:2: car is missing from the header"]],
    [
    "a report of another model",
    `${REPORT_COLUMNS.replace("person,bicycle", "pedestrian,cyclist").replace("truck", "lorry,van,taxi")}\n`,
    [
      `-:1: looks like a report of another model, such as YOLO, whose classes differ. Only reports with these columns can be loaded: ${REPORT_COLUMNS.replaceAll(",", ", ")}`,
    ],
  ],
    ...['""', "Unnamed: 0", "X"].map((name): [string, string, string[]] => [
    `a column of row numbers, ${name}`,
    `${name},${FIELDS}\n0,${GOOD}\n`,
    [
      `-:1: ${/^\w+$/.test(name) ? name : JSON.stringify(name.replaceAll('"', ""))} is a column of row numbers; write the file with index=False (pandas) or row.names = FALSE (R)`,
    ],
  ]),
    ["CSV without a header", GOOD, [`-:1: "${GOOD}" is not the header of a records file or of a report`]],
    ["column names in upper case", `${FIELDS.toUpperCase()}\n${GOOD}\n`, [`-:1: ${show(FIELDS.toUpperCase())} ${HEADER_CASE}`]],
    ["one column name in another case", `${FIELDS.replace("cars", "Cars")}\n${GOOD}\n`, [`-:1: ${show(FIELDS.replace("cars", "Cars"))} ${HEADER_CASE}`]],
    ["white space around column names", `${FIELDS.replaceAll(",", " ,")}\n${GOOD}\n`, [`-:1: ${show(FIELDS.replaceAll(",", " ,"))} ${HEADER_CASE}`]],
    ["semicolons", `${FIELDS}\n${GOOD}\n`.replaceAll(",", ";"), ["-:1: is separated by semicolons; separate the cells by commas"]],
    ["tabs", `${REPORT_COLUMNS}\n`.replaceAll(",", "\t"), ["-:1: is separated by tabs; separate the cells by commas"]],
    ["line ends of CR only", `${FIELDS}\r${GOOD}\r`, ["-:1: has CR line ends; save it with LF or CRLF line ends"]],
    ["2 MB with line ends of CR only", `${FIELDS}\r${`${GOOD}\r`.repeat(40_000)}`, ["-:1: has CR line ends; save it with LF or CRLF line ends"]],
    ["a web page", "\n<!DOCTYPE html><title>502</title>", ["-:2: is HTML or XML, not records"]],
    ["another kind of table", "a;b\n1;2\n", ['-:1: "a;b" is not the header of a records file or of a report']],
    ["an empty file", "", ["-: contains no records"]],
    ["only white space", "\ufeff \r\n\n\t", ["-: contains no records"]],
    ["only a header", `${FIELDS}\n\n`, ["-: contains no records"]],
    ["only empty envelopes", '{"results":[]}\n{"count":0,"next":null,"previous":null,"results":[]}', ["-: contains no records"]],
    ["only an empty array", "[]", ["-: contains no records"]],
  ],
)("reports problems of CSV and of files: %s", async (_, text, problems) => {
  expect(await readProblems(text)).toEqual(problems);
});

test.each(
  // biome-ignore format: one case per line
  [
    ["a missing and an unknown field", JSON.stringify({ ...withoutId, colour: "red" }), ["-:1: id is missing", "-:1: colour is not a field of a record"]],
    ["a field whose name has an escape sequence", JSON.stringify({ ...makeRecord(), "\u001b[2J": 1 }), ['-:1: "\\u001b[2J" is not a field of a record']],
    ["a field named __proto__", `${RECORD.slice(0, -1)},"__proto__":1}`, ["-:1: __proto__ is not a field of a record"]],
    [
    "lines that are not records",
    `${RECORD}\n5\n\nnull\n"x"\n[[]]\n`,
    [
      "-:2: 5 is not a record",
      "-:4: null is not a record",
      '-:5: "x" is not a record',
      "-:6: [] is not a record",
    ],
  ],
    [
    "an invalid line, and the lines after it",
    `${RECORD}\n${RECORD.slice(0, 20)}\n${RECORD}\nx\n`,
    [`-:2: ${JSON.stringify(RECORD.slice(0, 20))} is not valid JSON`, '-:4: "x" is not valid JSON'],
  ],
    ["a truncated last line", `${RECORD}\n${RECORD.slice(0, 20)}`, [`-:2: ${JSON.stringify(RECORD.slice(0, 20))} is not valid JSON`]],
    ["an error response among pages", `${PAGE}\n{"detail": "Invalid page."}\n${PAGE}`, ["-:2: is an error response (Invalid page.), not a page"]],
    ["a pretty-printed error response before a page", `{\n "detail": "Not found."\n}\n${PAGE}`, ["-:1: is an error response (Not found.), not a page"]],
    ["an empty object", "{}", ["-:1: {} is not a record: it has no field of a record"]],
    ["an empty object among records", `${RECORD}\n{}`, ["-:2: {} is not a record: it has no field of a record"]],
    ["an array of something else", JSON.stringify(Array.from({ length: 50 }, () => ({ name: "x" }))), ['-:1: {"name":"x"} is not a record: it has no field of a record']],
    ["deep arrays", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, [`-:1: ${DEEP}`]],
    ["deep arrays in many lines", "[\n".repeat(100_000), [`-:101: ${DEEP}`]],
    ["arrays that go on for 100 MB", "[".repeat(100_000_000), [`-:1: ${DEEP}`]],
    [
    "a key that appears twice in a line",
    `${RECORD}\n${RECORD.replace("{", '{"cars":7,')}\n${RECORD.slice(0, -1)}`,
    ['-:2: has the key "cars" twice in one object', `-:3: ${show(RECORD.slice(0, -1))} is not valid JSON`],
  ],
    ["a key that appears twice in a document", `[\n${RECORD.replace("{", '{"cars":7,')}]`, ['-:2: has the key "cars" twice in one object']],
    ["deep objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, [`-:1: ${DEEP}`]],
    ["a deep value among records", `${RECORD}\n${RECORD.slice(0, -1)},"more":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, [`-:2: ${DEEP}`]],
    ["a deep value in a pretty-printed page", `{"results": [\n${RECORD.slice(0, -1)},"more":\n${"[\n".repeat(100_000)}${"]\n".repeat(100_000)}}]}`, [`-:100: ${DEEP}`]],
    ["an envelope without results", '{"count":1,"next":null,"previous":null}', ["-:1: results is missing"]],
    ["results that are not an array", '{"count":1,"results":{"a":{"id":1}}}', ['-:1: results {"a":{"id":1}} is not an array']],
    ["an unknown field of an envelope", `{"results":[${RECORD}],"more":[${RECORD}]}`, ["-:1: more is not a field of an envelope"]],
    ["results that are not records", '{"results":[7,[],null]}', ["-:1: 7 is not a record", "-:1: [] is not a record", "-:1: null is not a record"]],
    ["pretty-printed results that are not an array", '{\n"results": {\n"a": {}\n}\n}', ['-:1: results {"a":{}} is not an array']],
    [
    "pretty-printed results that are not records",
    '[\n{"results": [\n7,\n[],\nnull]}\n,"x"]',
    [
      "-:3: 7 is not a record",
      "-:4: [] is not a record",
      "-:5: null is not a record",
      '-:6: "x" is not a record',
    ],
  ],
    ["a pretty-printed envelope without results", `[${RECORD},\n{\n"count": 1\n}\n]`, ["-:2: results is missing"]],
    ["an invalid field of a pretty-printed record", JSON.stringify({ results: [makeRecord(), makeRecord({ cars: -1 })] }, null, 1), [`-:17: cars -1 ${WHOLE}`]],
    ["a truncated envelope", `{\n"results": [\n${RECORD},\n`, ["-:3: ends inside the JSON value that starts in line 1"]],
    ["a truncated second document", `[${RECORD}]\n[\n${RECORD}`, ["-:3: ends inside the JSON value that starts in line 2"]],
    ["text between documents", `[${RECORD}]\nx\n[${RECORD}]`, ['-:2: "x" is not valid JSON']],
    ["text in a document", `{\n"results": [\n${RECORD}\nx`, ['-:4: "x" is not valid JSON inside the value that starts in line 1']],
    ["a trailing comma", `[{\n"results": [],\n}]`, ['-:3: "}]" is not valid JSON inside the value that starts in line 1']],
  ],
)("reports problems of JSON: %s", async (_, text, problems) => {
  expect(await readProblems(text)).toEqual(problems);
});

const RECORDS = `${FIELDS}\n${GOOD}\n`;

test.each<[string, Buffer, string]>(
  // biome-ignore format: one case per line
  [
    ["a.zip", Buffer.from("PK\x03\x04\x14\x00"), "is a zip file or a spreadsheet; unpack it with unzip"],
    ["empty.zip", Buffer.from("PK\x05\x06\x00\x00"), "is an empty zip file"],
    ["a.bz2", Buffer.from("BZh91AY"), "is a bzip2 file; unpack it with bunzip2"],
    ["a.xz", Buffer.from("\xfd7zXZ\x00\x00", "latin1"), "is an xz file; unpack it with unxz"],
    ["a.zst", Buffer.from("\x28\xb5\x2f\xfd\x04\x00", "latin1"), "is a zstd file; unpack it with unzstd"],
    ["a.parquet", Buffer.from("PAR1\x15\x00"), `is a Parquet file; convert it with duckdb -c "COPY 'FILE.parquet' TO 'FILE.csv'"`],
    ["twice.gz", gzipSync(gzipSync(RECORDS)), "is gzip inside gzip; unpack it once with gunzip"],
    ["zip.gz", gzipSync("PK\x03\x04\x14"), "is a zip file or a spreadsheet; unpack it with unzip"],
    ["cut.gz", gzipSync(RECORDS).subarray(0, 40), "is a damaged gzip file: unexpected end of file"],
    ["zeros", Buffer.alloc(100), "is not text: it begins with NUL bytes"],
    ["utf-16le", Buffer.from(`\ufeff${RECORDS}`, "utf16le"), UTF16],
    ["utf-16be", Buffer.from(`\ufeff${RECORDS}`, "utf16le").swap16(), UTF16],
    ["utf-16le without a mark", Buffer.from(RECORDS, "utf16le"), UTF16],
    ["utf-16be without a mark", Buffer.from(RECORDS, "utf16le").swap16(), UTF16],
  ],
)("reports what kind of file %s is", async (name, content, message) => {
  expect(await stageFiles({ [name]: content, "-": content })).toMatchObject({
    problems: [`${name}: ${message}`, `-: ${message}`],
  });
});

test("reports paths that cannot be read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hostile-inputs-test-"));
  await writeFile(join(folder, "file"), RECORDS);
  await mkdir(join(folder, "directory"));
  const long = join(folder, "x".repeat(300));
  const paths = ["", join(folder, "nothing"), join(folder, "directory"), join(folder, "file/below"), long];
  const staged = await stage(paths, { strict: false });
  staged.close();
  await rm(folder, { recursive: true });
  expect(staged.problems.map((problem) => formatProblem(problem).replace(`${folder}/`, ""))).toEqual([
    '"": is an empty path',
    "nothing: cannot be read: it does not exist",
    "directory: cannot be read: it is a directory",
    "file/below: cannot be read: a part of the path is not a directory",
    `${"x".repeat(300)}: cannot be read: the path is too long`,
  ]);
});

test.each([
  ["1e400", WHOLE],
  ["9007199254740991.4", WHOLE],
  ["1e-400", WHOLE],
  ["9007199254740993", "is greater than 9007199254740991"],
  ["-9007199254740993", "is less than -9007199254740991"],
])("refuses the number %s in JSON, which would be read as another one", async (number, message) => {
  const record = JSON.stringify(makeRecord({ cars: 4711 })).replace("4711", number);
  expect(await readProblems(record)).toEqual([`-:1: cars ${number} ${message}`]);
  expect(await readProblems(`[\n${record}]`)).toEqual([`-:2: cars ${number} ${message}`]);
});

test.each(["3.0", "3e0", "0.3e1", "-0"])("reads the number %s in JSON", async (number) => {
  const record = JSON.stringify(makeRecord({ cars: 4711 })).replace("4711", number);
  expect(await readProblems(record)).toEqual([]);
});

/** Valid cells of each field, and cells that a pattern could take for valid ones. */
const CELLS: Record<string, string[]> = {
  camera_ref: ["a33", "_", "-", "x".repeat(255)],
  timestamp: ["2019-02-28T10:00:00Z", "2020-02-29T23:59:59Z", "2019-12-31T00:00:00Z"],
  camera_ok: ["", "True", "False"],
  model_name: ["tf1"],
};
const NUMBERS = ["0", "7", "10", "123456789012345", "9007199254740991", "9007199254740993"];

/** A cell of a field, usually with a small part replaced: by nothing, by another text, or by one that makes it longer. */
const cellOf = (field: string) =>
  fc
    .record({
      cell: fc.constantFrom(...(CELLS[field] ?? NUMBERS)),
      part: fc.constantFrom(..."059-+.: aTZé_\n\u200b", "", "00"),
      at: fc.nat(20),
      removed: fc.nat(2),
      isWhole: fc.boolean(),
    })
    .map(({ cell, part, at, removed, isWhole }) =>
      isWhole ? cell : cell.slice(0, at) + part + cell.slice(at + removed),
    );

test.each(FIELDS.split(","))("accepts without the schema only what the schema accepts: %s", async (field) => {
  const accepted = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: cellOf(field) }, fc.string()), async (cell) => {
      const row = { ...makeRecord({ cars: 0, persons: 0, bicycles: 0 }), camera_ok: "", [field]: cell };
      const cells = FIELDS.split(",").map((name) => `"${String(Object(row)[name]).replaceAll('"', '""')}"`);
      for (const result of await readRows(`${FIELDS}\n${cells.join()}\n`)) {
        if (!("record" in result)) continue;
        accepted.add(cell);
        expect(recordValidator.validate(result.record, {}, {})).toHaveProperty("data");
      }
    }),
    { numRuns: 400 },
  );
  const valid = (CELLS[field] ?? NUMBERS).filter((cell) => cell !== "9007199254740993");
  expect([...accepted]).toEqual(expect.arrayContaining(valid));
});

test("escapes characters in messages that a terminal would not show", async () => {
  expect(await readProblems('{"detail":"\\u001b[31m"}')).toEqual([
    "-:1: is an error response (\\u001b[31m), not a page",
  ]);
});

test("escapes characters in values that a terminal would not show", async () => {
  const text = ["a\u200b", "\ufeff", "a\u202eb"].map((camera_ref) =>
    JSON.stringify(makeRecord({ camera_ref })),
  );
  expect(await readProblems(text.join("\n"))).toEqual([
    '-:1: camera_ref "a\\u200b" contains the invisible character U+200B',
    '-:2: camera_ref "\\ufeff" contains the invisible character U+FEFF',
    '-:3: camera_ref "a\\u202eb" contains the invisible character U+202E',
  ]);
});
