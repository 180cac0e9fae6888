import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { CITY_FILES, type CityFiles, JSON_LIST } from "./city-files.ts";
import { listCodeBlocks } from "./documentation.ts";

const { folder, run } = createDataFolder();
const hasPandas = spawnSync("python3", ["-c", "import pandas"]).status === 0;

const [script = "", additions = ""] = listCodeBlocks("docs/data.md", "python").filter((code) =>
  code.includes("table[CAMERA]"),
);

/** Replaces a string that occurs exactly once. */
function replaceOnce(text: string, before: string | RegExp, after: string): string {
  expect(text.split(before), String(before)).toHaveLength(2);
  return text.replace(before, () => after);
}

/** Edits the script as docs/data.md describes. */
function editScript(
  { settings, arguments: named = {}, added = [] }: Partial<CityFiles>,
  files: string,
): string {
  let code = replaceOnce(script, /^FILES = .*$/m, `FILES = ${files}`);
  for (const [name, value] of Object.entries(settings ?? {}))
    code = replaceOnce(code, new RegExp(`^${name} = .*$`, "m"), `${name} = ${value}`);
  for (const [name, value] of Object.entries(named))
    code = replaceOnce(code, new RegExp(`(?<=[ (])${name}=(?:\\[.*?\\]|".*?")`), `${name}=${value}`);
  const parts = added.map((start) =>
    additions.split(/^(?= {4}#)/m).filter((part) => part.includes(`# ${start}`)),
  );
  expect(parts.map((found) => found.length)).toEqual(added.map(() => 1));
  if (added.includes(JSON_LIST)) code = replaceOnce(code, / {4}table = pd\.read_csv\(.*?\)\n/s, "");
  return replaceOnce(code, "    return table\n", `${parts.join("")}    return table\n`);
}

/** Runs an edited script, and returns its output. */
function runScript(code: string): string {
  const { stdout, stderr } = spawnSync("python3", ["-"], { cwd: folder, input: code, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout;
}

const BY_NUMBER = new Intl.Collator("en", { numeric: true });

const readRecords = () => readFileSync(join(folder, "records.csv"), "utf8");

function writeFiles(city: string, files: CityFiles["files"]): void {
  mkdirSync(join(folder, city), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, city, name), content);
}

test.runIf(hasPandas).each(Object.entries(CITY_FILES))(
  "converts files as in %s",
  async (city, { files, records, leftOut, ...edits }) => {
    writeFiles(city, files);
    const printed = runScript(editScript(edits, `sorted(Path("${city}").iterdir())`));
    expect(printed).toBe(`${records.length} records, and ${leftOut} rows left out\n`);
    const loaded = await run("load", join(folder, "records.csv"), "--strict");
    expect(loaded).toMatchObject({ status: 0, stderr: "" });
    const lines = (await run("export")).stdout.trimEnd().split("\n").slice(1);
    expect(lines.sort(BY_NUMBER.compare)).toEqual(records);
  },
);

test.runIf(hasPandas)("a file of a later day does not change the records of earlier files", () => {
  const { files, ...edits } = CITY_FILES.berlin;
  writeFiles("days", files);
  runScript(editScript(edits, `sorted(Path("days").iterdir())[:1]`));
  const before = readRecords();
  runScript(editScript(edits, `sorted(Path("days").iterdir())`));
  expect(readRecords().startsWith(before)).toBe(true);
  expect(readRecords().length).toBeGreaterThan(before.length);
});

test.runIf(hasPandas)("the script converts the example without edits", () => {
  writeFileSync(join(folder, "sensors.csv"), String(listCodeBlocks("docs/data.md", "")[0]));
  expect(runScript(script)).toBe("2 records, and 1 rows left out\n");
  expect(readRecords().split("\n").slice(1, -1)).toEqual([
    "1,0012,2025-10-26T00:00:00Z,True,14,0,3,0,0,0,1,tf1",
    "2,0012,2025-10-26T01:00:00Z,True,17,0,4,0,0,0,1,tf1",
  ]);
});

const COLUMNS = "site,time,cars,vans,bikes\n";
const LONG_NAMES = ["1", "2"].map((end) => `${"a".repeat(50)}${end}${"b".repeat(40)},2025-10-26 02:00,1,1,1`);

test.runIf(hasPandas).each<[what: string, rows: string, settings?: Record<string, string>]>([
  ["a time in a different format", "0012,26.10.2025 02:00,1,1,1"],
  ["a count that is not a number", "0012,2025-10-26 02:00,1,x,1"],
  ["a decimal comma without decimal=", '0012,2025-10-26 02:00,"1,5",1,1'],
  ["an unknown column", "0012,2025-10-26 02:00,1,1,1", { COUNTS: '{"cars": ["vehicles"]}' }],
  ["an unknown field", "0012,2025-10-26 02:00,1,1,1", { COUNTS: '{"bikes": ["bikes"]}' }],
  ["two long names that differ in the middle", LONG_NAMES.join("\n")],
])("rejects %s", async (_, rows, settings = {}) => {
  writeFileSync(join(folder, "invalid.csv"), `${COLUMNS}${rows}\n`);
  writeFileSync(join(folder, "records.csv"), "");
  const input = editScript({ settings }, '[Path("invalid.csv")]');
  const { status } = spawnSync("python3", ["-"], { cwd: folder, input });
  const { status: loadStatus } = await run("load", join(folder, "records.csv"));
  expect([status, loadStatus]).toEqual([settings.COUNTS?.includes("bikes") ? 0 : 1, 1]);
});
