import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDataProgram } from "../../../tools/data/data-command.ts";
import { runData } from "../../support/run-command.ts";
import { formatCsv, makeRecords } from "../../support/sample-records.ts";
import { createFolder } from "../../support/temporary-folder.ts";
import { makeRecord } from "./input.ts";

// Each option of a command changes what the command does.

const FILES = {
  "own.toml": 'vars = { STORE = "kv" }',
  "records.csv": formatCsv(makeRecords(40)),
  "false.csv": formatCsv([makeRecord({ camera_ok: "False" })]),
  "twice.csv": formatCsv([makeRecord({ id: 1 }), makeRecord({ id: 2 })]),
  "tf2.csv": formatCsv([makeRecord()]).replace(/tf1$/m, "tf2"),
};

interface Row {
  command: string;
  /** The option with its value. FOLDER is a new folder with the files. */
  option: string;
  /** The other arguments. */
  args: string;
  /** Commands that run before. */
  before?: string;
  /** A command that shows the effect. By default, the command itself shows it. */
  after?: string;
  /** What is printed with the option, and not without it. */
  expected: RegExp;
}

const STATE = "--persist-to FOLDER/place";
const OWN = "--config FOLDER/own.toml";
const LOADED = `load FOLDER/records.csv ${STATE}`;

/** A quick test cannot start wrangler, which only a deployed store needs. */
const NEEDS_WRANGLER = /calls spawn/;

// biome-ignore format: a table of cases
const ROWS: Row[] = [
  ...["undo", "info", "export"].flatMap((command) => [
    { command, option: "--store kv", args: STATE, expected: /in the kv store/ },
    { command, option: OWN, args: STATE, expected: /in the kv store/ },
    { command, option: STATE, args: OWN, expected: /\/place\/v3\// },
    { command, option: "--remote", args: STATE, expected: NEEDS_WRANGLER },
  ]),
  { command: "load", option: "--strict", args: `FOLDER/false.csv ${STATE}`, expected: /^[^\n]+"False"[^\n]+\nNothing was loaded\.\n$/ },
  { command: "load", option: "--skip-duplicates", args: `FOLDER/twice.csv ${STATE}`, expected: /Loaded 1 rec/ },
  { command: "load", option: "--model-name tf1", args: `FOLDER/tf2.csv ${STATE}`, expected: /Loaded 1 rec/ },
  { command: "load", option: "--min-records 41", args: `FOLDER/records.csv ${STATE}`, expected: /contain 40 records, fewer than --min-records 41\.\nNothing was/ },
  { command: "load", option: "--source own", args: `FOLDER/records.csv ${STATE}`, after: `info ${STATE}`, expected: /^sources +own$/m },
  { command: "load", option: "--store kv", args: `FOLDER/records.csv ${STATE}`, after: `info --store kv ${STATE}`, expected: /^records +40$/m },
  { command: "load", option: "--config FOLDER/own.toml", args: `FOLDER/records.csv ${STATE}`, after: `info --store kv ${STATE}`, expected: /^records +40$/m },
  { command: "load", option: STATE, args: `FOLDER/records.csv ${OWN}`, after: `info ${OWN} ${STATE}`, expected: /^records +40$/m },
  { command: "load", option: "--remote", args: `FOLDER/records.csv ${STATE}`, expected: NEEDS_WRANGLER },
  { command: "check", option: "--strict", args: "FOLDER/false.csv", expected: /Nothing was loaded/ },
  { command: "check", option: "--skip-duplicates", args: "FOLDER/twice.csv", expected: /1 record .*can be loaded/ },
  { command: "check", option: "--model-name tf1", args: "FOLDER/tf2.csv", expected: /1 record .*can be loaded/ },
  { command: "check", option: "--min-records 41", args: "FOLDER/records.csv", expected: /contain 40 records, fewer .*\n.*Nothing was loaded/ },
  { command: "info", option: "--json", args: STATE, expected: /^\{"store":/ },
  { command: "export", option: "--format jsonl", before: LOADED, args: STATE, expected: /^\{"id":/ },
  { command: "export", option: "--out FOLDER/out.csv", before: LOADED, args: STATE, expected: /Exported 40 records/ },
  { command: "generate", option: "--records 2", args: "--to 2019-01-02", expected: /^([^\n]+\n){3}$/ },
  { command: "generate", option: "--from 2020-01-01", args: "--records 1", expected: /,2020-01-01T/ },
  { command: "generate", option: "--to 2019-01-01T00:00:57Z", args: "--records 5", expected: /^([^\n]+\n){1,5}$/ },
  { command: "generate", option: "--cameras 1", args: "--records 2", expected: /\n2,1,/ },
  { command: "generate", option: "--interval 1440", args: "--records 2 --cameras 1", expected: /,2019-01-02T/ },
  { command: "generate", option: "--seed 2", args: "--records 1", expected: /\n2,30,g32p2,/ },
  { command: "generate", option: "--format jsonl", args: "--records 1", expected: /^\{"id":/ },
  { command: "generate", option: "--out FOLDER/out.csv", args: "--records 1", expected: /^$/ },
];

/** Runs a command in a new folder with the files. Returns what it, or the command after it, prints. */
async function runInNewFolder({ command, args, before, after }: Row, option: string): Promise<string> {
  const folder = createFolder();
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
  const run = (line: string) => runData(line.replaceAll("FOLDER", folder).split(" "));
  if (before !== undefined) await run(before);
  const printed = await run(`${command} ${args} ${option}`.trimEnd());
  const { stdout, stderr } = after === undefined ? printed : await run(after);
  return stdout + stderr;
}

test.each(ROWS)("$command $args has an effect of $option", async (row) => {
  expect(await runInNewFolder(row, row.option)).toMatch(row.expected);
  expect(await runInNewFolder(row, ""), "without the option").not.toMatch(row.expected);
});

test.each(createDataProgram().commands)("each option of $_name has a row", (command) => {
  const rows = ROWS.filter((row) => row.command === command.name());
  const tested = rows.map(({ option }) => option.split(" ")[0]);
  expect(tested.sort()).toEqual(command.options.map(({ long }) => long).sort());
});
