import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createFolder } from "../support/temporary-folder.ts";
import { runData } from "../tools/command-line/run-command.ts";
import { BERLIN, CONVERSIONS, SIMPLE } from "./conversions.ts";

const hasPython = spawnSync("python3", ["-c", "import zoneinfo"]).status === 0;

/** Runs the program in a new folder with files, a link to a.csv, and earlier records. */
function convert(
  files: Record<string, string | Buffer>,
  options: string,
  names = Object.keys(files),
  encoding = "utf-8",
) {
  const cwd = createFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  symlinkSync("a.csv", join(cwd, "link.csv"));
  const out = join(cwd, "records.csv");
  writeFileSync(out, "earlier records");
  const before = readdirSync(cwd);
  const command = `python3 ${resolve("examples/convert.py")} ${names.join(" ")} --out records.csv ${options}`;
  const line = command.replaceAll(/\\?\n/g, " ");
  const { status, stdout, stderr } = spawnSync(line, {
    cwd,
    encoding: "utf8",
    shell: true,
    env: { ...process.env, PYTHONIOENCODING: encoding },
  });
  expect(readdirSync(cwd)).toEqual(before);
  return { status, stdout, stderr, out, text: readFileSync(out, "utf8") };
}

const listRecords = (text: string) => text.split("\n").slice(1, -1);

test.runIf(hasPython).each(Object.entries(CONVERSIONS))(
  "converts %s",
  async (_, { files, options, records, leftOut = "none" }) => {
    const { stderr, stdout, text, out } = convert(files, options);
    expect({ stderr, records: listRecords(text) }).toEqual({ stderr: "", records });
    expect(stdout).toContain(` ${records.length} records to records.csv. Rows left out: ${leftOut}\n`);
    expect(await runData(["check", "--strict", out])).toMatchObject({ status: 0, stderr: "" });
  },
);

test.runIf(hasPython)("newer rows do not change the records of older rows, wherever they are", () => {
  const older = "site,time,cars\nB,2025-01-01 00:00,1\nA,2025-01-01 00:00,2\n";
  const newer = "site,time,cars\n0,2025-01-02 00:00,3\nA,2025-01-02 00:00,4\n";
  const before = convert({ "b.csv": older }, BERLIN).text;
  const after = convert({ "a.csv": newer, "b.csv": older }, BERLIN).text;
  expect(after.slice(0, before.length)).toBe(before);
  expect(listRecords(after)).toHaveLength(4);
});

const TIME = "2025-01-02 03:00";
const LONG_NAMES = [1, 2].map((end) => `${"a".repeat(50)}${end}${"b".repeat(40)},${TIME},1`).join("\n");
/** A whole file, not rows. */
const json = (text: string) => Buffer.from(text);

/** The rows, or the whole file, and a part of the message: usually file, line, column and value. */
// biome-ignore format: one case per line
const REJECTED: [what: string, rows: string | Buffer, part: string, options?: string][] = [
  ["a thousands dot that is not stated", `A,${TIME},1.234`, "a.csv:2: cars '1.234'", "--decimal ,"],
  ["misplaced thousands", `A,${TIME},12.34`, "a.csv:2: cars '12.34'", "--decimal , --thousands ."],
  ["a decimal comma that is not stated", `A,${TIME},"1,5"`, "a.csv:2: cars '1,5'"],
  ["an incomplete date", "A,2025-05,1", "a.csv:2: time '2025-05'", "--time-format %Y-%m-%d"],
  ["a day and month of unclear length", "A,1112025,1", "a.csv:2: time '1112025'", "--time-format %d%m%Y"],
  ["a wrong weekday", "A,Mon 2025-01-02,1", "a.csv:2: time 'Mon 2025", "--time-format '%a %Y-%m-%d'"],
  ["a time before the year 1", "A,0001-01-01 00:00,1", "a.csv:2: time '0001-01-01 00:00'"],
  ["two columns with one name", "site,time,cars,cars\n", "a.csv:1: the column 'cars'"],
  ["cells without a column name", `site,time,cars,\nA,${TIME},1,\nA,${TIME},1,7`, "a.csv:3: cell 4 '7'"],
  ["-1 in a sum", `site,time,cars,x\nA,${TIME},5,-1`, "a.csv:2: x '-1'", "--count trucks=x"],
  ["a word as a count", `A,${TIME},NA`, "a.csv:2: cars 'NA'"],
  ["a count that is too large", `A,${TIME},9007199254740992`, "a.csv:2: cars 9007199254740992"],
  ["a row without a time", "A", "a.csv:2: time '' is empty"],
  ["a quote that is not closed", `\n"A,${TIME},1`, "a.csv:3:"],
  ["an unknown column", "site,zeit,cars\n", "a.csv: has no column 'time'; the header is ['site', 'zeit', 'cars']"],
  ["an empty name", ` ,${TIME},1`, "a.csv:2: site ''"],
  ["a formula as a name", `=A1,${TIME},1`, "a.csv:2: site '=A1'"],
  ["an invisible character in a name", `A\u200bB,${TIME},1`, "a.csv:2: site 'A\\u200bB'"],
  ["two long names that differ in the middle", LONG_NAMES, "a.csv:3: site 'aaa"],
  ["two rows of a camera at one time", `A,${TIME},1\nA,${TIME},2`, "a.csv:3 and a.csv:2 are both of camera 'A' at 2025-01-02T02:00:00Z. Use --sum"],
  ["a column twice", `A,${TIME},1`, "a.csv: the options name the column 'cars' 2 times", "--count trucks=cars"],
  ["24:00 without --interval-end", "A,2025-01-02 24:00,1", "a.csv:2: time '2025-01-02 24:00'"],
  ["24:30 as the end of an interval", "A,2025-01-02 24:30,1", "a.csv:2: time '2025-01-02 24:30'", "--interval-end 60"],
  ["only rows at times that the clocks repeat", "A,2025-10-26 02:00,1", "such as a.csv:2 '2025-10-26 02:00'"],
  ["a camera that never reports a count", `A,${TIME},`, "1 without a count"],
  ["a ZIP archive", Buffer.from("PK\x03\x04"), "a.csv: is a ZIP archive or a spreadsheet such as .xlsx"],
  ["UTF-16", Buffer.from(`\ufeffsite,time,cars\nA,${TIME},1`, "utf16le"), "a.csv: is UTF-16"],
  ["a web page", json("\n<!doctype html>"), "a.csv: is HTML"],
  ["damaged gzip", gzipSync("site,time,cars").subarray(0, -9), "a.csv: is a damaged gzip file"],
  ["an encoding that does not fit", Buffer.from("site\nA\x81", "latin1"), "a.csv:2: byte 7 of the file, in b'site\\nA\\x81', is not", "--encoding windows-1252"],
  ["a byte that is not UTF-8", Buffer.from("site\nBr\xe9beuf", "latin1"), "a.csv:2: byte 8 of the file, in b'site\\nBr\\xe9beuf', is not utf-8; try --encoding windows-1252"],
  ["UTF-8 as Latin-1", `Brébeuf,${TIME},1`, "a.csv: is UTF-8", "--encoding latin-1"],
  ["an empty file", json(""), "a.csv: is empty"],
  ["rows without any count", `A,${TIME},`, "1 without a count"],
  ["null as a name", json(`{"rows":[{"site":null,"time":"${TIME}","cars":1}]}`), "a.csv: rows[0]: site None", "--list rows"],
  ["a list that is missing", json('{"a":{"row":[]},"b":[]}'), "a.csv: has no list 'rows'; its lists are: a.row, b", "--list rows"],
  ["a name twice in an object", json('{"rows":[{"cars":1,"cars":2}]}'), "'cars'", "--list rows"],
  ["JSON that ends early", json('{"rows":[\n{"site":'), "line 2 column 9", "--list rows"],
];

test.runIf(hasPython).each(REJECTED)(
  "rejects %s, and keeps earlier records",
  (_, rows, part, options = "") => {
    const isWhole = typeof rows !== "string" || rows.startsWith("site,");
    const file = isWhole ? rows : `site,time,cars\n${rows}`;
    const { status, stderr, text } = convert({ "a.csv": file }, `${BERLIN} ${options}`);
    expect({ status, text }).toEqual({ status: 1, text: "earlier records" });
    expect(stderr).toContain(part);
  },
);

test.runIf(hasPython).each<[what: string, options: string, names?: string[]]>([
  ["PM beside a 24-hour clock", `${BERLIN} --time-format '%Y-%m-%d %H:%M %p'`],
  ["months", `${BERLIN} --time-format %Y-%m`],
  ["the name of a time zone in times", `${BERLIN} --time-format '%Y-%m-%d %H:%M %Z'`],
  ["two time zones", `${BERLIN} --time-format '%Y-%m-%d %H:%M%z'`],
  ["no time zone", `${SIMPLE} --time-format '%Y-%m-%d %H:%M'`],
  ["an unknown time zone", `${BERLIN} --time-zone Europe/Hamburg`],
  ["an unknown field", `${BERLIN} --count bikes=cars`],
  ["the ends of intervals without an hour", `${BERLIN} --time-format %Y-%m-%d --interval-end 60`],
  ["an interval of no minutes", `${BERLIN} --interval-end 0`],
  ["two ways to name cameras", `${BERLIN} --camera-from-name`],
  ["an output that is a link to an input", `${BERLIN} --out link.csv`],
  ["an input twice", BERLIN, ["a.csv", "./link.csv"]],
])("refuses %s", (_, options, names) => {
  const { status, text } = convert({ "a.csv": `site,time,cars\nA,${TIME},1\n` }, options, names);
  expect({ status, text }).toEqual({ status: 2, text: "earlier records" });
});

test.runIf(hasPython)("rows that two files have in common are not added up", () => {
  const rows = `site,time,cars\nA,${TIME},1\n`;
  const { status, stderr, text } = convert({ "a.csv": rows, "b.csv": rows }, `${BERLIN} --sum`);
  expect({ status, text }).toEqual({ status: 1, text: "earlier records" });
  expect(stderr).toContain("b.csv:2 and a.csv:2 are equal");
});

test.runIf(hasPython)("--out - writes only the records to standard output, whatever its encoding is", () => {
  const options = `${BERLIN} --out -`;
  const { stdout, stderr } = convert(
    { "a.csv": `site,time,cars\nBrébeuf,${TIME},1\n` },
    options,
    undefined,
    "ascii",
  );
  expect(listRecords(stdout)).toEqual(["1,1,Brébeuf,2025-01-02T02:00:00Z,True,1,0,0,0,0,0,tf1"]);
  expect(stderr).toBe("Wrote 1 records to -. Rows left out: none\n");
});

test.runIf(hasPython).each(["SIGINT", "SIGTERM"] as const)(
  "%s leaves the earlier records and no temporary file, and shows no traceback",
  async (signal) => {
    const cwd = createFolder();
    const hours = Array.from({ length: 300_000 }, (_, index) => new Date(index * 3_600_000).toISOString());
    writeFileSync(join(cwd, "a.csv"), `site,time,cars\n${hours.map((time) => `A,${time},1\n`).join("")}`);
    writeFileSync(join(cwd, "records.csv"), "earlier records");
    const args = `a.csv ${SIMPLE} --time-format %Y-%m-%dT%H:%M:%S.%f%z --out records.csv`.split(" ");
    const child = spawn("python3", [resolve("examples/convert.py"), ...args], { cwd });
    const printed = text(child.stderr);
    await expect.poll(() => readdirSync(cwd).length, { interval: 1 }).toBe(3);
    child.kill(signal);
    await once(child, "close");
    expect(await printed).toBe("");
    expect(readdirSync(cwd)).toEqual(["a.csv", "records.csv"]);
    expect(readFileSync(join(cwd, "records.csv"), "utf8")).toBe("earlier records");
  },
);
