import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDataFolder } from "../tools/data/data-folder.ts";
import { CITY_FILES, type CityFiles, JSON_LIST } from "./city-files.ts";
import { listCodeBlocks } from "./documentation.ts";

const { folder, run } = createDataFolder();
const hasPandas = spawnSync("python3", ["-c", "import pandas"]).status === 0;

const [program = "", additions = ""] = listCodeBlocks("docs/data.md", "python").filter((code) =>
  code.includes("table[CAMERA]"),
);

/** Replaces what occurs exactly once. */
function replaceOnce(text: string, before: string | RegExp, after: string): string {
  expect(text.split(before), String(before)).toHaveLength(2);
  return text.replace(before, () => after);
}

/** Makes the edits that docs/data.md describes. */
function editProgram(
  { settings, arguments: named = {}, added = [] }: Partial<CityFiles>,
  files: string,
): string {
  let code = replaceOnce(program, /^FILES = .*$/m, `FILES = ${files}`);
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

/** Runs the edited program. Returns what it prints. */
function runProgram(code: string): string {
  const { stdout, stderr } = spawnSync("python3", ["-"], { cwd: folder, input: code, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout;
}

const readRecords = () => readFileSync(join(folder, "records.csv"), "utf8");

function writeFiles(city: string, files: CityFiles["files"]): void {
  mkdirSync(join(folder, city), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, city, name), content);
}

test.runIf(hasPandas).each(CITY_FILES)("files as in %s become the right records", async (city, shape) => {
  writeFiles(city, shape.files);
  const printed = runProgram(editProgram(shape, `sorted(Path("${city}").iterdir())`));
  expect(printed).toBe(`${shape.expected.length} records, and ${shape.leftOut} rows left out\n`);
  expect(await run("load", join(folder, "records.csv"), "--strict")).toMatchObject({ status: 0, stderr: "" });
  const { stdout } = await run("export", "--format", "jsonl");
  const loaded = stdout.trimEnd().split("\n");
  const records = loaded.map((line): { id: number } => JSON.parse(line)).sort((a, b) => a.id - b.id);
  expect(records).toEqual(shape.expected);
});

test.runIf(hasPandas)("a file of a later day leaves the records of the earlier ones as they are", () => {
  const [city, shape] = CITY_FILES.find(([name]) => name === "Berlin")!;
  writeFiles(city, shape.files);
  runProgram(editProgram(shape, `sorted(Path("${city}").iterdir())[:3]`));
  const before = readRecords();
  runProgram(editProgram(shape, `sorted(Path("${city}").iterdir())`));
  expect(readRecords().startsWith(before)).toBe(true);
  expect(readRecords().length).toBeGreaterThan(before.length);
});

test.runIf(hasPandas)("the program reads the example as it is", () => {
  writeFileSync(join(folder, "sensors.csv"), String(listCodeBlocks("docs/data.md", "")[0]));
  expect(runProgram(program)).toBe("2 records, and 1 rows left out\n");
  expect(readRecords().split("\n").slice(1, -1)).toEqual([
    "1,0012,2025-10-26T00:00:00Z,True,14,0,3,0,0,0,1,tf1",
    "2,0012,2025-10-26T01:00:00Z,True,17,0,4,0,0,0,1,tf1",
  ]);
});

const COLUMNS = "site,time,cars,vans,bikes\n";
const LONG_NAMES = ["1", "2"].map((end) => `${"a".repeat(50)}${end}${"b".repeat(40)},2025-10-26 02:00,1,1,1`);

test.runIf(hasPandas).each<[what: string, rows: string, settings?: Record<string, string>]>([
  ["a time in another format", "0012,26.10.2025 02:00,1,1,1"],
  ["a count that is not a number", "0012,2025-10-26 02:00,1,x,1"],
  ["a decimal comma that nobody named", '0012,2025-10-26 02:00,"1,5",1,1'],
  ["an unknown column", "0012,2025-10-26 02:00,1,1,1", { COUNTS: '{"cars": ["vehicles"]}' }],
  ["an unknown field", "0012,2025-10-26 02:00,1,1,1", { COUNTS: '{"bikes": ["bikes"]}' }],
  ["two long names that differ in the middle", LONG_NAMES.join("\n")],
])("%s never becomes a record", async (_, rows, settings = {}) => {
  writeFileSync(join(folder, "wrong.csv"), `${COLUMNS}${rows}\n`);
  writeFileSync(join(folder, "records.csv"), "");
  const input = editProgram({ settings }, '[Path("wrong.csv")]');
  const { status } = spawnSync("python3", ["-"], { cwd: folder, input });
  const { status: loadStatus } = await run("load", join(folder, "records.csv"));
  expect([status, loadStatus]).toEqual([settings.COUNTS?.includes("bikes") ? 0 : 1, 1]);
});
