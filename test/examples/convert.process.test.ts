import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import { listCodeBlocks, readDocument } from "../documents/documentation.ts";
import { createFolder } from "../support/temporary-folder.ts";
import { runData } from "../tools/command-line/run-command.ts";

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
  const [, ...report] = stdout.trimEnd().split("\n");
  return { status, stderr, report, out, text, records: text.split("\n").slice(1, -1) };
}

const SENSORS = "site,time,cars,bikes\n";
const REPEATED = "at a time that the clocks repeat";
const SKIPPED = "at a time that the clocks skip";
const FEATURE = (count: string, start: string) =>
  `{"features":[{"properties":{"name":"\u00e9","hours":[{"start":"${start}","count":${count}}]}}]}`;

// biome-ignore format: one case per line
test.runIf(hasPython).each<[what: string, body: string, content: string, records: string[], leftOut?: string[]]>([
  ["the table of read_rows as it is, with CRLF and a byte order mark", AS_IT_IS, `\ufeff${SENSORS}B,2025-10-26 03:00,12,3\n0012,2025-10-26 03:00,7,0\nA,2025-10-26 02:59,1,1\nA,2025-03-30 02:00,1,1\nA,2025-10-25 02:00,,4\nA,2025-10-25 03:00,5\nA,2025-10-25 04:00,0,0\n`.replaceAll("\n", "\r\n"), ["1,1,A,2025-10-25T02:00:00Z,True,0,0,0,0,0,0,tf1", "2,2,0012,2025-10-26T02:00:00Z,True,7,0,0,0,0,0,tf1", "3,3,B,2025-10-26T02:00:00Z,True,12,0,3,0,0,0,tf1"], [`1 ${REPEATED}, first t:4`, `1 ${SKIPPED}, first t:5`, "2 without a count, first t:6"]],
  ["a column for each camera, with ends", COLUMNS, "Ende;Z\u00fcrich;B\n30.03.2025 03:00;1.234,5;\n30.03.2025 04:00;0;2,5\n26.10.2025 03:00;7;8\n26.10.2025 04:00;1.234.567;9", ["1,1,Z\u00fcrich,2025-03-30T00:00:00Z,True,0,0,1234,0,0,0,tf1", "2,2,B,2025-03-30T01:00:00Z,True,0,0,2,0,0,0,tf1", "3,1,Z\u00fcrich,2025-03-30T01:00:00Z,True,0,0,0,0,0,0,tf1", "4,2,B,2025-10-26T02:00:00Z,True,0,0,9,0,0,0,tf1", "5,1,Z\u00fcrich,2025-10-26T02:00:00Z,True,0,0,1234567,0,0,0,tf1"], ["1 without a count, first t:2", `2 ${REPEATED}, first t:4`]],
  ["a column for each quarter of an hour", QUARTERS, `site,date,${Array.from({ length: 96 }, (_, n) => `V${String(n).padStart(2, "0")}`)}\n7,06/04/2025${",".repeat(5)}1${",".repeat(4)}2${",".repeat(87)}3`, ["1,1,7,2025-04-05T14:00:00Z,True,1,0,0,0,0,0,tf1", "2,1,7,2025-04-06T13:45:00Z,True,3,0,0,0,0,0,tf1"], ["90 without a count, first t:2", `4 ${REPEATED}, first t:2`]],
  ["lanes beside their total", LANES, "site,time,lane,cars\nA,02-Jan-2025 01:00 PM,1,3\nA,02-Jan-2025 01:00 PM,2,4\nA,02-Jan-2025 01:00 PM,3,5\nA,02-Jan-2025 01:00 PM,total,12\nA,02-Jan-2025 02:00 PM,1,\nA,02-Jan-2025 02:00 PM,2,4\n", ["1,1,A,2025-01-02T18:00:00Z,True,12,0,0,0,0,0,tf1"], ["1 without a count, first t:6"]],
  ["GeoJSON", GEOJSON, FEATURE("7", "2025-01-02T03:00:00+01:00"), ["1,1,\u00e9,2025-01-02T02:00:00Z,True,0,0,7,0,0,0,tf1"]],
])("the documentation converts %s", async (_, body, content, expected, leftOut = []) => {
  const file = Buffer.from(content, body === COLUMNS ? "latin1" : "utf8");
  const { report, records, out } = convert({ files: { t: file }, body });
  expect({ records, report }).toEqual({ records: expected, report: leftOut.map((text) => `Left out: ${text}`) });
  expect(await runData(["check", "--strict", out])).toMatchObject({ status: 0, stderr: "" });
});

test("the documentation shows read_rows as it is, and four short bodies", () => {
  expect(createProgram(AS_IT_IS)).toBe(PROGRAM);
  expect(BODIES.split("\n\n").map((body) => body.split("\n").length < 12)).toEqual(Array(5).fill(true));
});

test.runIf(hasPython).each(ROAD_USERS)("newer rows with %s change no older record", (field) => {
  const body = `for place, cells in read_csv(path):
  counts = {field: parse_count(cells[field]) for field in FIELDS}
  yield Row(place, cells["site"], datetime.fromisoformat(cells["time"]), counts)`;
  const createFile = (hour: string, count: string, sites: string[]) => {
    const cells = ROAD_USERS.map((other) => (other === field ? count : "1"));
    const rows = sites.map(
      (site, index) => `${site},2025-01-01T${hour}:00+00:00,${index === 0 ? cells : "1,1,1,1,1,1"}`,
    );
    return `site,time,${ROAD_USERS}\n${rows.join("\n")}\n`;
  };
  const older = createFile("00", "", ["C", "B", "A"]);
  const newer = createFile("01", "5", ["0", "C", "A"]);
  const before = convert({ files: { b: older }, body });
  const after = convert({ files: { a: newer, b: older }, body });
  expect(before.records.map((line) => line.split(",", 3).join())).toEqual(["1,1,A", "2,2,B"]);
  expect(after.records).toHaveLength(5);
  expect(after.text.startsWith(before.text)).toBe(true);
});

const TIME = "2025-01-02 03:00";
const yieldRow = (camera: string, time: string, counts: string) =>
  `yield Row("t:7", ${camera}, ${time}, ${counts})`;
const count = (text: string) =>
  yieldRow('"A"', "datetime(2025, 1, 2, tzinfo=timezone.utc)", `{"cars": ${text}}`);
const NOT_AN_INT = "is not an int from 0 to 2**53 - 1; round it in read_rows";

/** What read_rows yields, or the rows or the whole file that it reads as it is, and a part of the message. */
// biome-ignore format: one case per line
const REJECTED: [what: string, input: { body?: string; rows?: string | Buffer }, message: string][] = [
  ["a time without a zone", { body: yieldRow('"A"', "datetime(2025, 1, 2)", "{}") }, "t:7: ValueError: the time 2025-01-02 00:00:00 has no time zone"],
  ["a fraction of a second", { body: yieldRow('"A"', "datetime(2025, 1, 2, 3, 4, 5, 6, timezone.utc)", "{}") }, "t:7: ValueError: the time 2025-01-02 03:04:05.000006+00:00 has"],
  ["a time before the year 1", { body: yieldRow('"A"', 'datetime(1, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo"))', '{"cars": 1}') }, "t:7: OverflowError: date value out of range"],
  ["text as a time", { body: yieldRow('"A"', '"2025"', "{}") }, "t:7: AttributeError: 'str' object"],
  ["a number as a camera", { body: yieldRow("12", "datetime.now(timezone.utc)", "{}") }, "t:7: ValueError: the camera 12 is not text"],
  ["an unknown field", { body: yieldRow('"A"', "datetime(2025, 1, 2, tzinfo=timezone.utc)", '{"vans": 1}') }, "t:7: ValueError: 'vans' is not one of cars,"],
  ["a fraction", { body: count("1.5") }, `t:7: ValueError: cars 1.5 ${NOT_AN_INT}`],
  ["a whole number that is a float", { body: count("3.0") }, `t:7: ValueError: cars 3.0 ${NOT_AN_INT}`],
  ["a boolean", { body: count("True") }, `t:7: ValueError: cars True ${NOT_AN_INT}`],
  ["a negative count", { body: count("-1") }, `t:7: ValueError: cars -1 ${NOT_AN_INT}`],
  ["a count that JSON cannot hold", { body: count("2**53") }, `t:7: ValueError: cars 9007199254740992 ${NOT_AN_INT}`],
  ["an error after a row", { body: `${count("1")}\nfloat("x")` }, "after t:7: ValueError: could not convert"],
  ["an error of JSON", { body: GEOJSON, rows: Buffer.from('{"features": [\n') }, "t: JSONDecodeError: Expecting value: line 2"],
  ["a thousands dot", { rows: `A,${TIME},1,1\nB,${TIME},1.234,1` }, "t:3: ValueError: '1.234' is not a whole number in digits"],
  ["a space in a count", { rows: `A,${TIME},1, 1` }, "t:2: ValueError: ' 1' is"],
  ["a digit that is not ASCII", { rows: `A,${TIME},1,\u0663` }, "t:2: ValueError: '\\u0663' is"],
  ["another form of time", { rows: "A,02.01.2025,1,1" }, "t:2: ValueError: time data '02.01.2025'"],
  ["a column that does not exist", { rows: Buffer.from(`site,time,cars\nA,${TIME},1`) }, "t:2: KeyError: 'bikes'"],
  ["a row with more cells", { rows: `A,${TIME},1,234,1` }, "t:2: ValueError: the row has more cells than the header: ['1']"],
  ["two columns with one name", { rows: Buffer.from("site,time,cars,cars,,\n") }, "t:1: ValueError: two columns have the same name"],
  ["a quote that is not closed", { rows: `A,${TIME},1,1\n"B,${TIME},1,1\n` }, "t:3: Error: unexpected end of data"],
  ["a byte that is not UTF-8", { rows: Buffer.from(`${SENSORS}A,${TIME},1,1\n\u00e9,${TIME},1,1`, "latin1") }, "t:3: UnicodeDecodeError: 'utf-8'"],
  ["two rows of a camera at one time", { rows: `A,${TIME},1,1\nB,${TIME},1,1\nA,${TIME},,1\nA,${TIME},2,1` }, "t:5: ValueError: t:2 has the same camera and time"],
  ["lanes whose sum is too large", { body: LANES, rows: Buffer.from(`site,time,lane,cars\nA,02-Jan-2025 01:00 PM,1,${2 ** 53}\n,02-Jan-2025 01:00 PM,1,\n`) }, "t:2: ValueError: cars 9007199254740992 is"],
  ["a file without rows", { rows: Buffer.from("") }, "There is no record.\n"],
  ["rows without a count", { rows: `A,${TIME},,1` }, "There is no record.\nLeft out: 1 without a count, first t:2\n"],
  ["rows whose counts name no field", { body: yieldRow('"A"', "datetime(2025, 1, 2, tzinfo=timezone.utc)", "{}") }, "There is no record.\nLeft out: 1 without a count, first t:7\n"],
];

test.runIf(hasPython).each(REJECTED)(
  "rejects %s, and keeps earlier records",
  (_, { body, rows = "" }, message) => {
    const t = typeof rows === "string" ? SENSORS + rows : rows;
    const { status, stderr, text } = convert({ files: { t }, ...(body && { body }) });
    const found = { status, text, message: stderr.slice(0, message.length) };
    expect(found).toEqual({ status: 1, text: "earlier records", message });
    expect(stderr).not.toContain("Traceback");
  },
);

test.runIf(hasPython)("two files may not have rows of one camera at one time", () => {
  const file = `${SENSORS}A,${TIME},1,1`;
  const { stderr } = convert({ files: { a: file, b: file } });
  expect(stderr).toBe("b:2: ValueError: a:2 has the same camera and time\n");
});

test.runIf(hasPython).each<[what: string, args: string[], status: number, message: string]>([
  ["an output that is an input", ["t", "--out", "./t"], 2, "t is one of the tables to convert"],
  ["an output that is a link to an input", ["t", "--out", "link"], 2, "t is one of the tables to convert"],
  ["an output that is not a file", ["t", "--out", "/"], 2, "/ is not a file"],
  ["an output in a folder that does not exist", ["t", "--out", "folder/out"], 1, "folder/out: [Errno 2]"],
  ["an input that does not exist", ["t", "none", "--out", "records.csv"], 1, "none: FileNotFoundError:"],
])("refuses %s", (_, args, status, message) => {
  const run = convert({ files: { t: `${SENSORS}A,${TIME},1,1` }, args });
  expect({ status: run.status, text: run.text }).toEqual({ status, text: "earlier records" });
  expect(run.stderr.split("\n").at(-2)).toContain(message);
});

test.runIf(hasPython).each(["KeyboardInterrupt", 'OSError(28, "No space left")'])(
  "%s at the end leaves earlier records, and no temporary file",
  (error) => {
    const before = `import pathlib\ndef replace(*_): raise ${error}\npathlib.Path.replace = replace\n`;
    const { status, text } = convert({ files: { t: `${SENSORS}A,${TIME},1,1` }, before });
    expect({ isSuccess: status === 0, text }).toEqual({ isSuccess: false, text: "earlier records" });
  },
);

test.runIf(hasPython)("an output whose encoding lacks a character shows it as an escape", () => {
  const { report } = convert({ files: { "\u00e9": `${SENSORS}A,${TIME},1,1\nB,${TIME},,\n` } });
  expect(report).toEqual(["Left out: 1 without a count, first \\xe9:3"]);
});
