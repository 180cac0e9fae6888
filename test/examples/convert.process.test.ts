import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkCameraRef, getAppearance } from "../../src/records/camera-ref.ts";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { listCodeBlocks, readDocument } from "../support/documentation.ts";
import { runData } from "../support/run-command.ts";
import { createFolder } from "../support/temporary-folder.ts";

const PROGRAM = readDocument("examples/convert.py");
const hasPython = spawnSync("python3", ["-c", "import zoneinfo"]).status === 0;

/** The bodies of `read_rows` in the documentation. */
const BODIES = listCodeBlocks("docs/data.md", "python");
const [COLUMNS = "", QUARTERS = "", CLASSES = "", GEOJSON = "", REPEATED_HOUR = "", ...OTHERS] = BODIES;

test("the documentation has no other body", () => expect(OTHERS).toEqual([]));

interface Run {
  files?: Record<string, string | Buffer>;
  /** The body of `read_rows`. By default, the program is run as it is. */
  body?: string | undefined;
  args?: string[];
  /** Python code that runs before the program. */
  before?: string;
}

/** Replaces the body of `read_rows`, as a user does. */
function createProgram(body: string): string {
  const indented = body.trimEnd().replaceAll(/^/gm, "    ");
  return PROGRAM.replace(/(?<=\ndef read_rows.*? are 0\."""\n).*?(?=\n\n\n)/s, () => indented);
}

/** Runs the program in a new folder with files, a link to the first one, and earlier records. */
function convert({ files = { t: "" }, body, args, before = "" }: Run) {
  const cwd = createFolder();
  const names = Object.keys(files);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  symlinkSync(names[0] ?? "", join(cwd, "link"));
  const start = `import os\nos.umask(0o077)\n${before}`;
  writeFileSync(join(cwd, "program.py"), start + (body === undefined ? PROGRAM : createProgram(body)));
  const out = join(cwd, "records.csv");
  writeFileSync(out, "earlier records");
  chmodSync(out, 0o664);
  const namesBefore = readdirSync(cwd);
  const env = { ...process.env, PYTHONIOENCODING: "ascii" };
  const command = ["program.py", ...(args ?? [...names, "--out", "records.csv"])];
  const { status, stderr } = spawnSync("python3", command, { cwd, env, encoding: "utf8" });
  expect(readdirSync(cwd)).toEqual(namesBefore);
  expect(statSync(out).mode & 0o777).toBe(0o664);
  const text = readFileSync(out, "utf8");
  const report = stderr.split("\n").slice(1, -1);
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
test.runIf(hasPython).each<[what: string, body: string | undefined, content: string, records: string[], report: string[]]>([
  ["the table of read_rows as it is, with CRLF and a byte order mark", undefined,
    `\ufeff${SENSORS}B,2025-10-26 03:00,12,3\n0012,2025-10-26 03:00,7,0\nA,2025-10-26 02:59,1,1\nA,2025-03-30 02:00,1,1\n`
      .concat("A,2025-10-25 02:00,,4\nA,2025-10-25 03:00,5\nA,2025-10-25 04:00,0,0\n").replaceAll("\n", "\r\n"),
    ["1 A 2025-10-25T02:00 0 0", "2 0012 2025-10-26T02:00 7 0", "3 B 2025-10-26T02:00 12 3"],
    ["at a time that the clocks repeat: 1, first t:4", "at a time that the clocks skip: 1, first t:5",
      "without a count of cars: 1, first t:6", "without a count of bicycles: 1, first t:7 (the row ends before the column bikes)"]],
  ["a column for each camera, with ends", COLUMNS,
    "Ende;Z\u00fcrich;B\n30.03.2025 03:00;1.234,5;\n30.03.2025 04:00;;2,5\n26.10.2025 03:00;7;8\n26.10.2025 04:00;1.234.567;",
    ["1 Z\u00fcrich 2025-03-30T00:00 0 1234", "2 B 2025-03-30T01:00 0 2", "1 Z\u00fcrich 2025-10-26T02:00 0 1234567"],
    ["without a count of bicycles: 3, first t:2", "at a time that the clocks repeat: 2, first t:4"]],
  ["a column for each quarter of an hour", QUARTERS,
    `site,date,${QUARTER_NAMES}\n7,06/04/2025${",".repeat(5)}1${",".repeat(4)}2${",".repeat(87)}3`,
    ["1 7 2025-04-05T14:00 1 0", "1 7 2025-04-06T13:45 3 0"],
    ["without a count of cars: 90, first t:2", "at a time that the clocks repeat: 4, first t:2"]],
  ["classes and lanes", CLASSES,
    ["Counts of 2025", "site,day,hour,class,lane,count", "24:00,car,1,3", "24:00,van,2,4", "24:00,bike,1,5", "23:00,car,1,", "23:00,car,2,4", "Total,,,,,16"]
      .join("\n").replaceAll(/^2/gm, "A,2025-01-02,2"), ["1 A 2025-01-03T04:00 7 5"], ["without a count of cars: 1, first t:6"]],
  ["GeoJSON", GEOJSON,
    `{"features":[{"properties":{"name":"A","hours":[{"start":"2025-01-02T03:00:00+01:00","count":7}]}}]}`, ["1 A 2025-01-02T02:00 0 7"], []],
  ["the hour that the clocks repeat", REPEATED_HOUR,
    ["site,time,cars", "01:00 AM,1", "01:00 AM,2", "02:00 AM,3"].join("\nA,02-Nov-2025 "),
    ["1 A 2025-11-02T05:00 1 0", "1 A 2025-11-02T06:00 2 0", "1 A 2025-11-02T07:00 3 0"], []],
])("the documentation converts %s", async (_, body, content, expected, leftOut) => {
  const t = Buffer.from(content, body === COLUMNS ? "latin1" : "utf8");
  const { report, records, out } = convert({ files: { t }, body });
  expect(records).toEqual(expected.map(formatRecord));
  expect(report.slice(0, -1)).toEqual(leftOut.map((text) => `Rows left out ${text}`));
  expect(await runData(["check", "--strict", out])).toMatchObject({ status: 0, stderr: "" });
});

test.runIf(hasPython).each(ROAD_USERS)("newer rows with %s change no older record", (field) => {
  const body = `for place, cells in read_csv(path):
  time = datetime(2025, 1, 1, int(cells["hour"]), tzinfo=timezone.utc)
  yield place, cells["site"], time, {**dict.fromkeys(FIELDS, 1), "${field}": parse_count(cells["count"])}`;
  const older = "site,hour,count\nC,0,\nB,0,2\nA,0,3\n";
  const newer = "site,hour,count\n0,1,4\nC,1,5\nA,1,6\n";
  const before = convert({ files: { b: older }, body });
  const after = convert({ files: { a: newer, b: older }, body });
  expect(before.records.map((line) => line.split(",", 3).join())).toEqual(["1,1,A", "2,2,B"]);
  expect(after.records).toHaveLength(5);
  expect(after.text.startsWith(before.text)).toBe(true);
});

const yieldRow = (row: string) => `day = datetime(2025, 1, 2, tzinfo=timezone.utc)\nyield "t:7", ${row}`;
const COUNTS = '{"cars": 1}';
const NOT_A_TIME = "is not a datetime of whole seconds with a ZoneInfo or timezone of Python's own library";
const NOT_A_NAME = "is not text of 1 to 64 visible characters";
const NOT_AN_INT = "is not an int from 0 to 2**53 - 1; round it in read_rows";

/** Prints the code points that a camera can have at its beginning, in the middle and at its end. */
const ACCEPTED = `from datetime import datetime, timezone
from convert import find_reason
def accepts(name):
  try: find_reason(name, datetime(2025, 1, 1, tzinfo=timezone.utc), {})
  except ValueError: return False
  return True
for form in ("{}b", "a{}b", "a{}"):
  print(*(code for code in [*range(0x20000), *range(0xE0000, 0xE0200)] if accepts(form.format(chr(code)))))`;

test.runIf(hasPython)("accepts only cameras that load accepts, and none that looks like another", () => {
  const options = { cwd: "examples", encoding: "utf8", maxBuffer: 1e8 } as const;
  const { stdout } = spawnSync("python3", ["-B", "-c", ACCEPTED], options);
  const forms = stdout.trim().split("\n");
  const names = forms.flatMap((codes, form) => {
    const characters = codes.split(" ").map((code) => String.fromCodePoint(Number(code)));
    return characters.map((character) => `${form > 0 ? "a" : ""}${character}${form < 2 ? "b" : ""}`);
  });
  expect(names.length).toBeGreaterThan(200_000);
  expect(names.filter((name) => checkCameraRef(name) !== undefined)).toEqual([]);
  expect(names.filter((name) => getAppearance(name) !== name)).toEqual([]);
});

const SECOND = "for place, cells in read_csv(path):\n";

// biome-ignore format: a table of cases
test.runIf(hasPython).each<[what: string, content: string | Buffer, message: string, body?: string]>([
  ["a time without a zone", "", `t:7: ValueError: datetime.datetime(2025, 1, 2, 0, 0) ${NOT_A_TIME}`, yieldRow(`"A", datetime(2025, 1, 2), ${COUNTS}`)],
  ["a time with microseconds", "", "t:7: ValueError: datetime.datetime(2025, 1, 2, 0, 0, 0, 1, tz", yieldRow(`"A", day.replace(microsecond=1), ${COUNTS}`)],
  ["a zone with microseconds", "", "t:7: ValueError: datetime.datetime(2025, 1, 2, 0, 0, tz", yieldRow(`"A", day.replace(tzinfo=timezone(timedelta(0, 0, 1))), ${COUNTS}`)],
  ["a time of another class", "", "t:7: ValueError: Time(2025, 1, 2, 0, 0, tz", yieldRow(`"A", type("Time", (datetime,), {})(2025, 1, 2, tzinfo=timezone.utc), ${COUNTS}`)],
  ["a time before the year 1", "", "t:7: OverflowError: date value", yieldRow(`"A", datetime(1, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo")), ${COUNTS}`)],
  // As in pytz and dateutil: their zones convert a time that the clocks skip without a word.
  ["a zone of another library", "", "t:7: ValueError: datetime.datetime(2025, 1, 2, 0, 0, tz", yieldRow(`"A", day.replace(tzinfo=type("Zone", (timezone.__base__,), {"utcoffset": lambda *_: timedelta(0)})()), ${COUNTS}`)],
  ["text as a time", "", `t:7: ValueError: '2025' ${NOT_A_TIME}`, yieldRow(`"A", "2025", ${COUNTS}`)],
  ["a number as a camera", "", `t:7: ValueError: the camera 12 ${NOT_A_NAME}`, yieldRow(`12, day, ${COUNTS}`)],
  ["a camera without a name", "", `t:7: ValueError: the camera '' ${NOT_A_NAME}`, yieldRow(`"", day, ${COUNTS}`)],
  ["a long name", "", `t:7: ValueError: the camera '${"a".repeat(65)}' ${NOT_A_NAME}`, yieldRow(`"a" * 65, day, ${COUNTS}`)],
  ["an unknown field", "", "t:7: ValueError: 'vans' is not one of cars, persons,", yieldRow('"A", day, {"vans": 1}')],
  ["a fraction", "", `t:7: ValueError: cars 1.5 ${NOT_AN_INT}`, yieldRow('"A", day, {"cars": 1.5}')],
  ["a whole number that is a float", "", `t:7: ValueError: cars 3.0 ${NOT_AN_INT}`, yieldRow('"A", day, {"cars": 3.0}')],
  ["a boolean", "", `t:7: ValueError: cars True ${NOT_AN_INT}`, yieldRow('"A", day, {"cars": True}')],
  ["a negative count", "", `t:7: ValueError: cars -1 ${NOT_AN_INT}`, yieldRow('"A", day, {"cars": -1}')],
  ["a count that is too large", "", `t:7: ValueError: cars 9007199254740992 ${NOT_AN_INT}`, yieldRow('"A", day, {"cars": 2**53}')],
  ["a second table that is not UTF-8", "site\n1\n", "b: UnicodeDecodeError: ", `${SECOND}  next(read_csv("b"))`],
  ["a text that is not UTF-8", "site\n1\n", "b: UnicodeDecodeError: ", `${SECOND}  read_text("b")`],
  ["an error after a table that was not read to its end", "site\n1\n", "t:2: ValueError: 'x' is not", `next(read_csv(path))\n${SECOND}  parse_count("x")`],
  ["an error in a loop over a second table", "site\n1\n", "t:2: ValueError: 'x' is not", `${SECOND}  for _, row in read_csv(path):\n    parse_count("x")`],
  ["a key that a dictionary does not have", "site\n1\n", "t:2: KeyError: 'A'\n", `${SECOND}  {}["A"]`],
  ["a thousands dot", `${SENSORS}A,${TIME},1,1\nB,${TIME},1.234,1`, "t:3: ValueError: '1.234' is not a whole number in digits"],
  ["a space in a count", `${SENSORS}A,${TIME},1, 1`, "t:2: ValueError: ' 1' is not a whole number in digits"],
  ["a digit that is not ASCII", `${SENSORS}A,${TIME},1,\u0663`, "t:2: ValueError: '\\u0663' is not a whole number in digits"],
  ["another form of time", `${SENSORS}A,02.01.2025,1,1`, "t:2: ValueError: time data '02.01.2025' does not match"],
  ["a row that was cut", `${SENSORS}A,${TIME},1,1\nB,202`, "t:3 (the row ends before the column cars): ValueError: time data '202' does"],
  ["a column that does not exist", `site,time,cars\nA,${TIME},1`, "t:2: KeyError: 'bikes'\n"],
  ["a value that is very long", `site,time\nA,${"x".repeat(9_000)}`, `t:2: ValueError: time data '${"x".repeat(289)}\n`],
  ["more cells than columns", `${SENSORS}A,${TIME},1,234,1`, "t:2: ValueError: the row has more cells than the header: ['1']"],
  ["two columns with one name", "site,time,cars,cars,,\n", "t:1: ValueError: two columns have the same name"],
  ["a quote that is not closed", `${SENSORS}A,${TIME},1,1\n"B,${TIME},1,1\n`, "t:3: Error: unexpected end of data"],
  ["bytes that are not UTF-8", Buffer.from(`${SENSORS}A,${TIME},1,1\n\u00e9`, "latin1"), "t: UnicodeDecodeError: 'utf-8' codec"],
  ["two rows of a camera at one time", `${SENSORS}A,${TIME},1,1\nA,${TIME},,1\nA,${TIME},2,1`, "t:4: ValueError: t:2 has the same camera and time, and"],
  ["a sum that is too large", `A,2025-01-02,24:00,car,1,${2 ** 53}\n\n`, "t:1: ValueError: cars 9007199254", CLASSES],
  ["an error after a row", "", "after t:7: ZeroDivisionError", `${yieldRow(`"A", day, ${COUNTS}`)}\n1 / 0`],
  ["JSON that ends early", '{"features": [\n', "t: JSONDecodeError: Expecting value: line 2", GEOJSON],
  ["no rows", "", "t: ValueError: the file has no row"],
  ["a header and an empty line", `${SENSORS}\n`, "t: ValueError: the file has no row"],
  ["only rows without a count", `${SENSORS}A,${TIME},,1`, "There is no record.\nRows left out without a count of cars: 1, first t:2\n"],
  ["only rows whose counts have no field", "", "There is no record.\nRows left out without a count of cars, persons,", yieldRow('"A", day, {}')],
])("rejects %s, and keeps earlier records", (_, t, message, body) => {
  const files = { t, b: Buffer.from("n\n\u00e9", "latin1") };
  const { status, stderr, text } = convert({ files, body, args: ["t", "--out", "records.csv"] });
  const found = { status, text, message: stderr.slice(0, message.length) };
  expect(found).toEqual({ status: 1, text: "earlier records", message });
});

// biome-ignore format: a table of cases
test.runIf(hasPython).each<[what: string, args: string[], status: number, message: string]>([
  ["an output that is an input", ["t", "--out", "./t"], 2, "t is one of the tables to convert"],
  ["an output that is a link", ["none", "--out", "link"], 2, "or a link"],
  ["an output that is a link to an input", ["t", "--out", "link"], 2, "link is one of the tables to convert"],
  ["an output that is not a file", ["t", "--out", "/"], 2, "or not a file"],
  ["an output in a folder that does not exist", ["t", "--out", "folder/out"], 1, "folder/out: FileNotFoundError: "],
  ["an input that does not exist", ["t", "none", "--out", "records.csv"], 1, "none: FileNotFoundError:"],
])("refuses %s", (_, args, status, message) => {
  const run = convert({ files: { t: `${SENSORS}A,${TIME},1,1` }, args });
  expect({ status: run.status, text: run.text }).toEqual({ status, text: "earlier records" });
  expect(run.stderr.split("\n").at(-2)).toContain(message);
});

// biome-ignore format: a table of cases
test.runIf(hasPython).each<[what: string, run: Run, report: string[]]>([
  ["exports that overlap", { files: { t: `${SENSORS}A,${TIME},1,1`, b: `${SENSORS}A,${TIME},1,1\nA,2025-01-02 04:00,1,1` } },
    ["Rows left out that repeat another: 1, first b:2", "0 in each record: persons, trucks, motorcycles, buses"]],
  ["a row without a header", { files: { t: "1" }, body: yieldRow(`next(read_csv(path, fieldnames=["n"]))[1]["n"], day, ${COUNTS}`) },
    ["0 in each record: persons, bicycles, trucks, motorcycles, buses"]],
  ["UTF-16", { files: { t: Buffer.from(`\ufeffn\n\u010c`, "utf16le") }, body: yieldRow(`next(read_csv(path, "utf-16"))[1]["n"], day, ${COUNTS}`) },
    ["0 in each record: persons, bicycles, trucks, motorcycles, buses"]],
  ["a name of a library's own class", { body: yieldRow(`type("Text", (str,), {})("A"), day, ${COUNTS}`) },
    ["0 in each record: persons, bicycles, trucks, motorcycles, buses"]],
  ["a compressed file", { files: { "t.gz": gzipSync(`${SENSORS}A,${TIME},1,1`) } }, ["0 in each record: persons, trucks, motorcycles, buses"]],
  ["counts of each class", { body: yieldRow('"A", day, dict.fromkeys(FIELDS, 1)') }, ["0 in each record: no field"]],
])("converts %s", (_, run, expected) => {
  const { status, report } = convert(run);
  expect({ status, report }).toEqual({ status: 0, report: expected });
});

test.runIf(hasPython).each(["KeyboardInterrupt", "OSError"])("%s leaves only earlier records", (error) => {
  const before = `import pathlib\ndef replace(*_): raise ${error}\npathlib.Path.replace = replace\n`;
  const { status, text } = convert({ files: { t: `${SENSORS}A,${TIME},1,1` }, before });
  expect(status).not.toBe(0);
  expect(text).toBe("earlier records");
});

test.runIf(hasPython)("an output whose encoding lacks a character shows it as an escape", () => {
  const { report } = convert({ files: { "\u00e9": `${SENSORS}A,${TIME},1,1\nB,${TIME},,\n` } });
  expect(report[0]).toBe("Rows left out without a count of cars, bicycles: 1, first \\xe9:3");
});
