import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { listCodeBlocks, readDocument } from "../support/documentation.ts";
import { runData } from "../support/run-command.ts";
import { createFolder } from "../support/temporary-folder.ts";

const PROGRAM = readDocument("examples/convert.py");
const hasPython = spawnSync("python3", ["-c", "import zoneinfo"]).status === 0;

/** The bodies of `read_rows` in the documentation, each of which begins without a space. */
const [BODIES = ""] = listCodeBlocks("docs/data.md", "python");
const [AS_IT_IS = "", COLUMNS = "", QUARTERS = "", LANES = "", GEOJSON = ""] = BODIES.split("\n\n");

interface Run {
  files?: Record<string, string | Buffer>;
  /** The body of `read_rows`. By default, the program is run as it is. */
  body?: string;
  args?: string[];
  /** Python code that runs before the program. */
  before?: string;
}

/** Replaces the body of `read_rows`, as a user does. */
function createProgram(body: string): string {
  const indented = body.trimEnd().replaceAll(/^/gm, "    ");
  return PROGRAM.replace(/(?<=\ndef read_rows.*\n).*?(?=\n\n\n)/s, () => indented);
}

/** Runs the program in a new folder with files, a link to the first one, and earlier records. */
function convert({ files = { t: "" }, body, args, before = "" }: Run) {
  const cwd = createFolder();
  const names = Object.keys(files);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  symlinkSync(names[0] ?? "", join(cwd, "link"));
  writeFileSync(join(cwd, "program.py"), before + (body === undefined ? PROGRAM : createProgram(body)));
  const out = join(cwd, "records.csv");
  writeFileSync(out, "earlier records");
  const namesBefore = readdirSync(cwd);
  const env = { ...process.env, PYTHONIOENCODING: "ascii" };
  const command = ["program.py", ...(args ?? [...names, "--out", "records.csv"])];
  const { status, stdout, stderr } = spawnSync("python3", command, { cwd, env, encoding: "utf8" });
  expect(readdirSync(cwd)).toEqual(namesBefore);
  const text = readFileSync(out, "utf8");
  const report = stdout.split("\n").slice(1, -1);
  return { status, stderr, report, out, text, records: text.split("\n").slice(1, -1) };
}

const SENSORS = "site,time,cars,bikes\n";
const TIME = "2025-01-02 03:00";
const QUARTER_NAMES = Array.from({ length: 96 }, (_, quarter) => `V${String(quarter).padStart(2, "0")}`);

/** Formats the `camera_pk`, the camera, the time, the cars and the bicycles of a record. */
function formatRecord(record: string, index: number): string {
  const [pk, camera, time, cars, bicycles] = record.split(" ");
  return `${index + 1},${pk},${camera},${time}:00Z,True,${cars},0,${bicycles},0,0,0,tf1`;
}

// biome-ignore format: a table of cases
test.runIf(hasPython).each<[what: string, body: string, content: string, records: string[], leftOut?: string[]]>([
  ["the table of read_rows as it is, with CRLF and a byte order mark", AS_IT_IS,
    `\ufeff${SENSORS}B,2025-10-26 03:00,12,3\n0012,2025-10-26 03:00,7,0\nA,2025-10-26 02:59,1,1\nA,2025-03-30 02:00,1,1\n`
      .concat("A,2025-10-25 02:00,,4\nA,2025-10-25 03:00,5\nA,2025-10-25 04:00,0,0\n").replaceAll("\n", "\r\n"),
    ["1 A 2025-10-25T02:00 0 0", "2 0012 2025-10-26T02:00 7 0", "3 B 2025-10-26T02:00 12 3"],
    ["1 at a time that the clocks repeat, first t:4", "1 at a time that the clocks skip, first t:5", "2 without a count, first t:6"]],
  ["a column for each camera, with ends", COLUMNS,
    "Ende;Z\u00fcrich;B\n30.03.2025 03:00;1.234,5;\n30.03.2025 04:00;;2,5\n26.10.2025 03:00;7;8\n26.10.2025 04:00;1.234.567;",
    ["1 Z\u00fcrich 2025-03-30T00:00 0 1234", "2 B 2025-03-30T01:00 0 2", "1 Z\u00fcrich 2025-10-26T02:00 0 1234567"],
    ["3 without a count, first t:2", "2 at a time that the clocks repeat, first t:4"]],
  ["a column for each quarter of an hour", QUARTERS,
    `site,date,${QUARTER_NAMES}\n7,06/04/2025${",".repeat(5)}1${",".repeat(4)}2${",".repeat(87)}3`,
    ["1 7 2025-04-05T14:00 1 0", "1 7 2025-04-06T13:45 3 0"],
    ["90 without a count, first t:2", "4 at a time that the clocks repeat, first t:2"]],
  ["lanes beside their total", LANES,
    ["site,time,lane,cars", "01:00 PM,1,3", "01:00 PM,2,4", "01:00 PM,3,5", "01:00 PM,total,12", "02:00 PM,1,", "02:00 PM,2,4"]
      .join("\nA,02-Jan-2025 "), ["1 A 2025-01-02T18:00 12 0"], ["1 without a count, first t:6"]],
  ["GeoJSON", GEOJSON,
    `{"features":[{"properties":{"name":"A","hours":[{"start":"2025-01-02T03:00:00+01:00","count":7}]}}]}`, ["1 A 2025-01-02T02:00 0 7"]],
])("the documentation converts %s", async (_, body, content, expected, leftOut = []) => {
  const t = Buffer.from(content, body === COLUMNS ? "latin1" : "utf8");
  const { report, records, out } = convert({ files: { t }, body });
  expect(records).toEqual(expected.map(formatRecord));
  expect(report).toEqual(leftOut.map((text) => `Left out: ${text}`));
  expect(await runData(["check", "--strict", out])).toMatchObject({ status: 0, stderr: "" });
});

test("the documentation shows read_rows as it is, and four short bodies", () => {
  expect(createProgram(AS_IT_IS)).toBe(PROGRAM);
  expect(BODIES.split("\n\n").map((body) => body.split("\n").length < 12)).toEqual(Array(5).fill(true));
});

test.runIf(hasPython).each(ROAD_USERS)("newer rows with %s change no older record", (field) => {
  const body = `for place, cells in read_csv(path):
  time = datetime(2025, 1, 1, int(cells["hour"]), tzinfo=timezone.utc)
  yield Row(place, cells["site"], time, {**dict.fromkeys(FIELDS, 1), "${field}": parse_count(cells["count"])})`;
  const older = "site,hour,count\nC,0,\nB,0,2\nA,0,3\n";
  const newer = "site,hour,count\n0,1,4\nC,1,5\nA,1,6\n";
  const before = convert({ files: { b: older }, body });
  const after = convert({ files: { a: newer, b: older }, body });
  expect(before.records.map((line) => line.split(",", 3).join())).toEqual(["1,1,A", "2,2,B"]);
  expect(after.records).toHaveLength(5);
  expect(after.text.startsWith(before.text)).toBe(true);
});

function expectRejected(run: Run, message: string): void {
  const { status, stderr, text } = convert(run);
  const found = { status, text, message: stderr.slice(0, message.length) };
  expect(found).toEqual({ status: 1, text: "earlier records", message });
}

const yieldRow = (row: string) => `day = datetime(2025, 1, 2, tzinfo=timezone.utc)\nyield Row("t:7", ${row})`;
const COUNTS = '{"cars": 1}';
const NOT_AN_INT = "is not an int from 0 to 2**53 - 1; round it in read_rows";

// biome-ignore format: a table of cases
test.runIf(hasPython).each<[what: string, row: string, message: string]>([
  ["a time without a zone", `"A", datetime(2025, 1, 2), ${COUNTS}`, "ValueError: the time 2025-01-02 00:00:00 has no time zone"],
  ["a fraction of a second", `"A", day.replace(microsecond=6), ${COUNTS}`, "ValueError: the time 2025-01-02 00:00:00.000006+00:00 has"],
  ["a time before the year 1", `"A", datetime(1, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo")), ${COUNTS}`, "OverflowError: date value"],
  ["text as a time", `"A", "2025", ${COUNTS}`, "AttributeError: 'str' object has no attribute"],
  ["a number as a camera", `12, day, ${COUNTS}`, "ValueError: the camera 12 is not text"],
  ["an unknown field", '"A", day, {"vans": 1}', "ValueError: 'vans' is not one of cars, persons,"],
  ["a fraction", '"A", day, {"cars": 1.5}', `ValueError: cars 1.5 ${NOT_AN_INT}`],
  ["a whole number that is a float", '"A", day, {"cars": 3.0}', `ValueError: cars 3.0 ${NOT_AN_INT}`],
  ["a boolean", '"A", day, {"cars": True}', `ValueError: cars True ${NOT_AN_INT}`],
  ["a negative count", '"A", day, {"cars": -1}', `ValueError: cars -1 ${NOT_AN_INT}`],
  ["a count that is too large", '"A", day, {"cars": 2**53}', `ValueError: cars 9007199254740992 ${NOT_AN_INT}`],
])("rejects %s that read_rows yields, and keeps earlier records", (_, row, message) => {
  expectRejected({ body: yieldRow(row) }, `t:7: ${message}`);
});

// biome-ignore format: a table of cases
test.runIf(hasPython).each<[what: string, content: string | Buffer, message: string, body?: string]>([
  ["a thousands dot", `${SENSORS}A,${TIME},1,1\nB,${TIME},1.234,1`, "t:3: ValueError: '1.234' is not a whole number in digits"],
  ["a space in a count", `${SENSORS}A,${TIME},1, 1`, "t:2: ValueError: ' 1' is not a whole number in digits"],
  ["a digit that is not ASCII", `${SENSORS}A,${TIME},1,\u0663`, "t:2: ValueError: '\\u0663' is not a whole number in digits"],
  ["another form of time", `${SENSORS}A,02.01.2025,1,1`, "t:2: ValueError: time data '02.01.2025' does not match"],
  ["a column that does not exist", `site,time,cars\nA,${TIME},1`, "t:2: KeyError: 'bikes'"],
  ["more cells than columns", `${SENSORS}A,${TIME},1,234,1`, "t:2: ValueError: the row has more cells than the header: ['1']"],
  ["two columns with one name", "site,time,cars,cars,,\n", "t:1: ValueError: two columns have the same name"],
  ["a quote that is not closed", `${SENSORS}A,${TIME},1,1\n"B,${TIME},1,1\n`, "t:3: Error: unexpected end of data"],
  ["bytes that are not UTF-8", Buffer.from(`${SENSORS}A,${TIME},1,1\n\u00e9`, "latin1"), "t:3: UnicodeDecodeError: 'utf-8' codec"],
  ["two rows of a camera at one time", `${SENSORS}A,${TIME},1,1\nA,${TIME},,1\nA,${TIME},2,1`, "t:4: ValueError: t:2 has the same camera"],
  ["a sum that is too large", `site,time,lane,cars\nA,02-Jan-2025 01:00 PM,1,${2 ** 53}\n\n`, "t:2: ValueError: cars 9007199254", LANES],
  ["an error after a row", "", "after t:7: ZeroDivisionError", `${yieldRow(`"A", day, ${COUNTS}`)}\n1 / 0`],
  ["JSON that ends early", '{"features": [\n', "t: JSONDecodeError: Expecting value: line 2", GEOJSON],
  ["no rows", "", "t: ValueError: the file has no row below its header"],
  ["only rows without a count", `${SENSORS}A,${TIME},,1`, "There is no record.\nLeft out: 1 without a count, first t:2\n"],
  ["only rows whose counts have no field", "", "There is no record.\nLeft out: 1 without a count, first t:7\n", yieldRow('"A", day, {}')],
])("rejects a file with %s, and keeps earlier records", (_, t, message, body) => {
  expectRejected({ files: { t }, ...(body && { body }) }, message);
});

// biome-ignore format: a table of cases
test.runIf(hasPython).each<[what: string, args: string[], status: number, message: string]>([
  ["an output that is an input", ["t", "--out", "./t"], 2, "t is one of the tables to convert"],
  ["an output that is a link to an input", ["t", "--out", "link"], 2, "t is one of the tables to convert"],
  ["an output that is not a file", ["t", "--out", "/"], 2, "/ is not a file"],
  ["an output in a folder that does not exist", ["t", "--out", "folder/out"], 1, "folder/out: [Errno 2]"],
  ["two files with a row in both", ["t", "link", "--out", "records.csv"], 1, "link:2: ValueError: t:2 has the same camera and time"],
  ["an input that does not exist", ["t", "none", "--out", "records.csv"], 1, "none: FileNotFoundError:"],
])("refuses %s", (_, args, status, message) => {
  const run = convert({ files: { t: `${SENSORS}A,${TIME},1,1` }, args });
  expect({ status: run.status, text: run.text }).toEqual({ status, text: "earlier records" });
  expect(run.stderr.split("\n").at(-2)).toContain(message);
});

test.runIf(hasPython).each(["KeyboardInterrupt", "OSError"])("%s leaves only earlier records", (error) => {
  const before = `import pathlib\ndef replace(*_): raise ${error}\npathlib.Path.replace = replace\n`;
  const { status, text } = convert({ files: { t: `${SENSORS}A,${TIME},1,1` }, before });
  expect(status).not.toBe(0);
  expect(text).toBe("earlier records");
});

test.runIf(hasPython)("an output whose encoding lacks a character shows it as an escape", () => {
  const { report } = convert({ files: { "\u00e9": `${SENSORS}A,${TIME},1,1\nB,${TIME},,\n` } });
  expect(report).toEqual(["Left out: 1 without a count, first \\xe9:3"]);
});
