import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createFolder } from "../support/temporary-folder.ts";
import { runData } from "../tools/command-line/run-command.ts";
import { BERLIN, CONVERSIONS, SIMPLE } from "./conversions.ts";

const hasPython = spawnSync("python3", ["-c", "import zoneinfo"]).status === 0;

/** Runs the program in a new folder with files, a link to a.csv, and earlier records. */
function convert(files: Record<string, string | Buffer>, options: string, names = Object.keys(files)) {
  const cwd = createFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  symlinkSync("a.csv", join(cwd, "link.csv"));
  const out = join(cwd, "records.csv");
  writeFileSync(out, "earlier records");
  const before = readdirSync(cwd);
  const command = `python3 ${resolve("examples/convert.py")} ${names.join(" ")} --out records.csv ${options}`;
  const line = command.replaceAll(/\\?\n/g, " ");
  const { status, stdout, stderr } = spawnSync(line, { cwd, encoding: "utf8", shell: true });
  expect(readdirSync(cwd)).toEqual(before);
  return { status, stdout, stderr, out, text: readFileSync(out, "utf8") };
}

const listRecords = (text: string) => text.split("\n").slice(1, -1);

test.runIf(hasPython).each(Object.entries(CONVERSIONS))(
  "converts %s",
  async (_, { files, options, records, leftOut = "none" }) => {
    const { stderr, stdout, text, out } = convert(files, options);
    expect({ stderr, records: listRecords(text) }).toEqual({ stderr: "", records });
    expect(stdout).toMatch(new RegExp(`\\b${records.length} records.*: ${leftOut}\n$`));
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
const REPEATED = "2025-10-26 02:00";
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
  ["a row with too few cells", `A,${TIME}`, "a.csv:2: has 2 cells"],
  ["a quote that is not closed", `\n"A,${TIME},1`, "a.csv:3:"],
  ["an unknown column", "site,zeit,cars\n", "a.csv: has no column 'time'; the header is ['site', 'zeit', 'cars']"],
  ["an empty name", ` ,${TIME},1`, "a.csv:2: site ''"],
  ["a formula as a name", `=A1,${TIME},1`, "a.csv:2: site '=A1'"],
  ["an invisible character in a name", `A\u200bB,${TIME},1`, "a.csv:2: site 'A\\u200bB'"],
  ["two long names that differ in the middle", LONG_NAMES, "a.csv:3: site 'aaa"],
  ["two rows of a camera at one time", `A,${TIME},1\nA,${TIME},2`, `a.csv:3: time '${TIME}'`],
  ["a third row in a repeated hour", `A,${REPEATED},1\n`.repeat(3), `a.csv:4: time '${REPEATED}'`],
  ["rows to add up that do not show the second pass", `site,time,cars,id\nA,${REPEATED},1,7\nA,${REPEATED},1,8`, `a.csv:3: time '${REPEATED}'`, "--sum"],
  ["a byte that is not UTF-8", Buffer.from("site\nBr\xe9beuf", "latin1"), "a.csv:2: byte 8 of the file, 0xe9"],
  ["UTF-8 as Latin-1", `Brébeuf,${TIME},1`, "a.csv: is UTF-8", "--encoding latin-1"],
  ["an empty file", json(""), "a.csv: is empty"],
  ["rows without any count", `A,${TIME},`, "1 without a count"],
  ["null as a name", json(`{"rows":[{"site":null,"time":"${TIME}","cars":1}]}`), "a.csv: rows[0]: site None", "--list rows"],
  ["a list that is missing", json('{"row":[]}'), "a.csv: has no list 'rows'", "--list rows"],
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
  ["a field twice", `${BERLIN} --count cars=vans`],
  ["two ways to name cameras", `${BERLIN} --camera-from-name`],
  ["an output that is a link to an input", `${BERLIN} --out link.csv`],
  ["an input twice", BERLIN, ["a.csv", "./link.csv"]],
])("refuses %s", (_, options, names) => {
  const { status, text } = convert({ "a.csv": `site,time,cars\nA,${TIME},1\n` }, options, names);
  expect({ status, text }).toEqual({ status: 2, text: "earlier records" });
});
