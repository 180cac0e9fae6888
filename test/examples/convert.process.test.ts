import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createFolder } from "../support/temporary-folder.ts";
import { runData } from "../tools/command-line/run-command.ts";
import { BERLIN, CONVERSIONS, MINUTES, SIMPLE } from "./conversions.ts";

const PROGRAM = resolve("examples/convert.py");
const hasPython = spawnSync("python3", ["-c", "import zoneinfo"]).status === 0;

interface Run {
  files: Record<string, string | Buffer>;
  options: string;
  /** The names of the files in the command. */
  names?: string[];
  /** Python code that runs before the program. */
  before?: string;
}

/** Runs the program in a new folder with files, a link to a.csv, and earlier records. */
function convert({ files, options, names = Object.keys(files), before = "" }: Run) {
  const cwd = createFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  symlinkSync("a.csv", join(cwd, "link.csv"));
  const out = join(cwd, "records.csv");
  writeFileSync(out, "earlier records");
  const namesBefore = readdirSync(cwd);
  const python = before
    ? `-c '${before}\nimport runpy; runpy.run_path("${PROGRAM}", run_name="__main__")'`
    : PROGRAM;
  const command = `python3 ${python} ${names.join(" ")} --out records.csv ${options.replaceAll(/\\?\n/g, " ")}`;
  const env = { ...process.env, PYTHONIOENCODING: "ascii" };
  const { status, stdout, stderr } = spawnSync(command, { cwd, env, encoding: "utf8", shell: true });
  expect(readdirSync(cwd)).toEqual(namesBefore);
  return { status, stdout, stderr, out, text: readFileSync(out, "utf8") };
}

const listRecords = (text: string) => text.split("\n").slice(1, -1);

test.runIf(hasPython).each(Object.entries(CONVERSIONS))(
  "converts %s",
  async (_, { files, options, records, leftOut = [] }) => {
    const { stderr, stdout, text, out } = convert({ files, options });
    expect({ stderr, records: listRecords(text) }).toEqual({ stderr: "", records });
    const report = leftOut.map((reason) => `Rows left out: ${reason}\n`).join("");
    expect(stdout).toBe(`Wrote ${records.length} records to records.csv.\n${report}`);
    expect(await runData(["check", "--strict", out])).toMatchObject({ status: 0, stderr: "" });
  },
);

test.runIf(hasPython)("newer rows do not change the records of older rows, wherever they are", () => {
  const older = "site,time,cars\nB,2025-01-01 00:00,1\nA,2025-01-01 00:00,2\n";
  const newer = "site,time,cars\n0,2025-01-02 00:00,3\nA,2025-01-02 00:00,4\n";
  const before = convert({ files: { "b.csv": older }, options: BERLIN }).text;
  const after = convert({ files: { "a.csv": newer, "b.csv": older }, options: BERLIN }).text;
  expect(after.slice(0, before.length)).toBe(before);
  expect(listRecords(after)).toHaveLength(4);
});

const TIME = "2025-01-02 03:00";
const FILES = { "a.csv": `site,time,cars\nBr\u00e9beuf,${TIME},1\n` };
const LONG_NAMES = [1, 2].map((end) => `${"a".repeat(50)}${end}${"b".repeat(40)},${TIME},1`).join("\n");
/** A whole file, not rows. */
const json = (text: string) => Buffer.from(text);
const NO_COUNT = "There is no record.\nRows left out: 1 without a count, such as a.csv:2";

/** The rows, or the whole file, and a part of the message: usually file, line, column and value. */
// biome-ignore format: one case per line
const REJECTED: [what: string, rows: string | Buffer, part: string, options?: string][] = [
  ["a thousands dot that is not stated", `A,${TIME},1.234`, "a.csv:2: cars '1.234' is not a number such as 1234,5; see --decimal and --thousands", "--decimal ,"],
  ["misplaced thousands", `A,${TIME},12.34`, "a.csv:2: cars '12.34'", "--decimal , --thousands ."],
  ["a decimal comma that is not stated", `A,${TIME},"1,5"`, "a.csv:2: cars '1,5'"],
  ["an incomplete date", "A,2025-05,1", "a.csv:2: time '2025-05'", "--time-format %Y-%m-%d"],
  ["a day and month of unclear length", "A,1112025,1", "a.csv:2: time '1112025'", "--time-format %d%m%Y"],
  ["a wrong weekday", "A,Mon 2025-01-02,1", "a.csv:2: time 'Mon 2025", "--time-format '%a %Y-%m-%d'"],
  ["24:00 without --interval-end", "A,2025-01-02 24:00,1", "a.csv:2: time '2025-01-02 24:00'"],
  ["24:30", "A,2025-01-02 24:30,1", "a.csv:2: time '2025-01-02 24:30'", "--interval-end 60"],
  ["a time before the year 1", "A,0001-01-01 00:00,1", "a.csv:2: time '0001-01-01 00:00'"],
  ["a time after the year 9999", "A,9999-12-31 24:00,1", "a.csv:2: time '9999-12-31 24:00'", "--interval-end 60"],
  ["two columns with one name", `site,time,cars,cars\nA,${TIME},1,1`, "a.csv: the header or the options name the column 'cars' more than once"],
  ["a column for two fields", `A,${TIME},1`, "a.csv: the header or the options name the column 'cars' more than once", "--count trucks=cars"],
  ["cells without a column name", `site,time,cars,\nA,${TIME},1,\nA,${TIME},1,7`, "a.csv:3: the cell '7'"],
  ["-1 in a sum", `site,time,cars,x\nA,${TIME},5,-1`, "a.csv:2: x '-1' is not a number such as 1234.5; see --decimal and --thousands, or --missing-value=-1", "--count trucks=x"],
  ["a word as a count", `A,${TIME},NA`, "a.csv:2: cars 'NA'"],
  ["a count that is too large", `A,${TIME},9007199254740992`, "a.csv:2: the count 9007199254740992"],
  ["a row without a time", "A", "a.csv:2: time '' is empty"],
  ["a quote that is not closed", `\n"A,${TIME},1`, "a.csv:3:"],
  ["an unknown column", "site,zeit,cars\n", "a.csv: has no column 'time'; the header is ['site', 'zeit', 'cars']"],
  ["another separator", "site;time;cars\n", "a.csv: has no column 'time'; the header is ['site;time;cars']; see --separator"],
  ["an empty name", ` ,${TIME},1`, "a.csv:2: site ''"],
  ["a formula as a name", `=A1,${TIME},1`, "a.csv:2: site '=A1'"],
  ["a full-width formula as a name", `＝A1,${TIME},1`, "begins like a spreadsheet formula"],
  ["an invisible character in a name", `A\u200bB,${TIME},1`, "a.csv:2: site 'A\\u200bB'"],
  ["two long names that differ in the middle", LONG_NAMES, "a.csv:3: site 'aaa"],
  ["two rows of a camera at one time", `A,${TIME},1\nB,${TIME},1\nA,${TIME},2`, "a.csv:2 and a.csv:4 have the same time"],
  ["a ZIP archive", Buffer.from("PK\x03\x04"), "a.csv: is a ZIP archive or a spreadsheet"],
  ["UTF-16", Buffer.from(`\ufeffsite,time,cars\nA,${TIME},1`, "utf16le"), "a.csv: is UTF-16"],
  ["a web page", json("\n<!doctype html>"), "a.csv: is HTML"],
  ["damaged gzip", gzipSync("site,time,cars").subarray(0, -9), "a.csv: is a damaged gzip file"],
  ["a byte that is not UTF-8", Buffer.from("site\nBr\xe9beuf", "latin1"), "a.csv:2: b'site\\nBr\\xe9beuf' is not utf-8; try --encoding windows-1252"],
  ["a byte that is not windows-1252", Buffer.from("A\x81", "latin1"), "a.csv:1: b'A\\x81' is not cp1252\n", "--encoding windows-1252"],
  ["UTF-8 as Latin-1", `Br\u00e9beuf,${TIME},1`, "a.csv: is UTF-8", "--encoding latin-1"],
  ["an empty file", json(""), "a.csv: is empty"],
  ["a camera that never reports a count", `A,${TIME},`, NO_COUNT],
  ["vans that are missing beside cars", `site,time,cars,vans,bikes\nA,${TIME},1,,2`, NO_COUNT, "--count cars=vans --count bicycles=bikes"],
  ["null as a name", json(`{"rows":[{"site":null,"time":"${TIME}","cars":1}]}`), "a.csv: rows[0]: site None", "--list rows"],
  ["a list that is missing", json('{"a":{"row":[]},"b":[],"c":[1]}'), "a.csv: has no list of objects 'rows'; its lists are ['a.row', 'b']", "--list rows"],
  ["a name twice in an object", json('{"rows":[{"cars":1,"cars":2}]}'), "['cars', 'cars']", "--list rows"],
  ["JSON that ends early", json('{"rows":[\n{"site":'), "line 2 column 9", "--list rows"],
];

test.runIf(hasPython).each(REJECTED)(
  "rejects %s, and keeps earlier records",
  (_, rows, part, options = "") => {
    const isWhole = typeof rows !== "string" || rows.startsWith("site");
    const file = isWhole ? rows : `site,time,cars\n${rows}`;
    const { status, stderr, text } = convert({ files: { "a.csv": file }, options: `${BERLIN} ${options}` });
    expect({ status, text }).toEqual({ status: 1, text: "earlier records" });
    expect(stderr).toContain(part);
  },
);

test.runIf(hasPython).each<[what: string, options: string, part: string, names?: string[]]>([
  ["PM beside a 24-hour clock", `${BERLIN} --time-format '%Y-%m-%d %H:%M %p'`, "--time-format: "],
  ["decimals in front of the date", `${BERLIN} --time-format '%H:%M:%S.%f %d.%m.%Y'`, "--time-format: "],
  ["months", `${BERLIN} --time-format %Y-%m`, "--time-format: "],
  ["the name of a time zone in times", `${BERLIN} --time-format '%Y-%m-%d %H:%M %Z'`, "--time-format: "],
  ["two time zones", `${BERLIN} --time-format '%Y-%m-%d %H:%M%z'`, "--time-zone or %z"],
  ["no time zone", `${SIMPLE} ${MINUTES}`, "--time-zone or %z"],
  ["an unknown time zone", `${BERLIN} --time-zone Europe/Hamburg`, "--time-zone: 'Europe/Hamburg'"],
  ["a separator of two characters", `${BERLIN} --separator ab`, "--separator"],
  ["an unknown field", `${BERLIN} --count bikes=cars`, "--count"],
  [
    "hours that end in a format of days",
    `${BERLIN} --time-format %Y-%m-%d --interval-end 60`,
    "--interval-end",
  ],
  ["two ways to name cameras", `${BERLIN} --camera-from-name`, "--camera-from-name: "],
  ["an output that is a link to an input", `${BERLIN} --out link.csv`, "--out link.csv"],
  [
    "an output in a folder that does not exist",
    `${BERLIN} --out folder/records.csv`,
    "--out folder/records.csv",
  ],
  ["an input twice", BERLIN, "twice", ["a.csv", "./link.csv"]],
])("refuses %s", (_, options, part, names) => {
  const { status, stderr, text } = convert({ files: FILES, options, ...(names && { names }) });
  expect({ status, text }).toEqual({ status: 2, text: "earlier records" });
  expect(stderr.trimEnd().split("\n").at(-1)).toContain(part);
});

test.runIf(hasPython)("--sum does not add up a row that two files have", () => {
  const files = { ...FILES, "b.csv": FILES["a.csv"] };
  const { status, stderr } = convert({ files, options: `${BERLIN} --sum` });
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("a.csv:2 and b.csv:2"),
  });
});

test.runIf(hasPython)("--out - writes only the records, in UTF-8, to standard output", () => {
  const { stdout, stderr, text } = convert({ files: FILES, options: `${BERLIN} --out -` });
  expect(listRecords(stdout)).toEqual(["1,1,Br\u00e9beuf,2025-01-02T02:00:00Z,True,1,0,0,0,0,0,tf1"]);
  expect({ stderr, text }).toEqual({ stderr: "Wrote 1 records to -.\n", text: "earlier records" });
});

/** Replaces the step that moves the temporary file to its place. */
const whenWritten = (code: string) => `import os, signal\ndef replace(*_): ${code}\nos.replace = replace`;

// biome-ignore format: one case per line
const ENDS: [what: string, before: string, status: number, printed: RegExp, options?: string][] = [
  ["an interrupt", whenWritten("os.kill(os.getpid(), signal.SIGINT)"), 130, /^$/],
  ["SIGTERM", whenWritten("os.kill(os.getpid(), signal.SIGTERM)"), 130, /^$/],
  ["too little memory", whenWritten("raise MemoryError"), 1, /^There is too little memory/],
  ["a full disk", whenWritten(`raise OSError(28, "No space left")`), 1, /^records.csv: No space left\n$/],
  ["a closed pipe", "import os; ends = os.pipe(); os.close(ends[0]); os.dup2(ends[1], 1)", 1, /^-: Broken pipe\n$/, "--out -"],
];

test.runIf(hasPython).each(ENDS)(
  "%s leaves earlier records, no temporary file, and no traceback",
  (_, before, expected, printed, options = "") => {
    const { status, text, stderr } = convert({ files: FILES, before, options: `${BERLIN} ${options}` });
    expect({ status, text }).toEqual({ status: expected, text: "earlier records" });
    expect(stderr).toMatch(printed);
  },
);

test.runIf(hasPython)("an output whose encoding lacks a character shows it as an escape", () => {
  const files = { "\u00e9.csv": `site,time,cars\nA,${TIME},1\n\n` };
  const { stdout, stderr } = convert({ files, options: BERLIN });
  const report = "Wrote 1 records to records.csv.\nRows left out: 1 empty, such as \\xe9.csv:3\n";
  expect({ stdout, stderr }).toEqual({ stdout: report, stderr: "" });
});
