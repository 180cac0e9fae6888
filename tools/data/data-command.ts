import { type Command, Option } from "commander";
import {
  createProgram,
  createWholeNumberParser,
  enterUserFolder,
  parseDate,
  parseNonEmpty,
  parseOutputPath,
  runProgram,
} from "../command-line/program.ts";
import { printNotice } from "../command-line/progress.ts";
import { readDeployedVersion } from "../deployed-worker.ts";
import { exportRecords } from "./export.ts";
import { OUTPUT_FORMATS } from "./formats/formats.ts";
import { INPUT_SUFFIXES } from "./formats/input-file.ts";
import { findUsageError, type GenerateOptions, generate } from "./generate.ts";
import { info } from "./info.ts";
import { checkFiles, loadFiles, undo } from "./load.ts";
import { MAX_CAMERAS } from "./staging/statistics.ts";
import { STORE_NAMES, type StoreChoice } from "./stores/configuration.ts";
import { readStoreConfiguration } from "./stores/open-store.ts";

export function createDataProgram(): Command {
  const program = createProgram("npm run data --")
    .usage("COMMAND")
    .description("Manage the records of the collection.");
  addInputCommands(program);
  addStoreCommands(program);
  addGenerate(program);
  return program;
}

const INPUT = `CSV, JSON Lines, saved API pages or detection-engine reports, plain or gzipped; - is standard input; a folder means its files whose names end in ${INPUT_SUFFIXES}`;

function addReadOptions(command: Command): Command {
  return command
    .argument("<files...>", INPUT)
    .option("--strict", 'reject incomplete pages, and counts > 0 if camera_ok is "False" (default: set to 0)')
    .option("--skip-duplicates", "skip records with the same camera_ref and timestamp as an earlier record")
    .addOption(new Option("--model-name <name>", "replace other names (default: reject)").choices(["tf1"]));
}

function addStoreOptions(command: Command): Command {
  return command
    .addOption(new Option("--store <name>", "kind of store (default: STORE)").choices(STORE_NAMES))
    .option("--remote", "use the deployed store (default: the local store)")
    .option("--persist-to <dir>", "folder of the local store, as for npm start", parseNonEmpty)
    .option("--config <file>", "configuration (default: wrangler.toml)", parseNonEmpty)
    .hook("preAction", () => announceDeployedStore(command.opts()));
}

function addOutputOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <name>").choices(Object.keys(OUTPUT_FORMATS)).default("csv"))
    .option("--out <file>", "output file; - is standard output (use npm run --silent)", parseOutputPath, "-");
}

const parseRecordCount = createWholeNumberParser(1);

function parseMinRecords(text: string): number | "current" {
  return text === "current" ? text : parseRecordCount(text);
}

function addInputCommands(program: Command): void {
  addStoreOptions(addReadOptions(program.command("load")))
    .description("replace the loaded records with the records of the files")
    .option("--min-records <n>", "reject fewer records; current: fewer than are loaded", parseMinRecords)
    .option("--source <text>", "source of the records (default: the file names)", parseNonEmpty)
    .action(loadFiles);
  addReadOptions(program.command("check"))
    .option("--min-records <n>", "reject fewer records", parseRecordCount)
    .description("report the problems that load would report, without loading the files")
    .action(checkFiles);
}

function addStoreCommands(program: Command): void {
  addStoreOptions(program.command("undo"))
    .description("restore the records that the last load has replaced")
    .action(undo);
  addStoreOptions(program.command("info"))
    .description("show the current snapshot and its statistics")
    .option("--json", "print JSON, including the statistics of each day and of each hour of the day")
    .action(info);
  addOutputOptions(addStoreOptions(program.command("export")))
    .description("write all loaded records to a file that load can read, newest first")
    .action(exportRecords);
}

function addGenerate(program: Command): void {
  const command = program
    .command("generate")
    .description("write generated records that look like the sample data, oldest first")
    .option("--records <n>", "maximum number of records", parseRecordCount)
    .option("--from <date>", "start, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ (default: 2019-01-01)", parseDate)
    .option("--to <date>", "end of the period, exclusive", parseDate)
    .option("--cameras <n>", "number of cameras (default: 86)", createWholeNumberParser(1, MAX_CAMERAS))
    .option("--interval <minutes>", "between two records (default: 30)", createWholeNumberParser(1, 999_999))
    .option("--seed <n>", "random seed (default: 1)", createWholeNumberParser(0, 2 ** 32 - 1));
  addOutputOptions(command).action((options: GenerateOptions) => {
    const error = findUsageError(options);
    if (error) command.error(`error: ${error}`);
    return generate(options);
  });
}

/** With `--remote`, names the kind of the deployed store, and warns if the worker serves another one. */
async function announceDeployedStore(choice: StoreChoice): Promise<void> {
  if (!choice.remote) return;
  const { name } = await readStoreConfiguration(choice);
  printNotice(`Using the deployed ${name} store.`);
  // Beside the command, because wrangler needs seconds. With --config, the store belongs to a preview.
  if (choice.config === undefined) void warnIfNotServed(name);
}

async function warnIfNotServed(name: string): Promise<void> {
  try {
    const served = (await readDeployedVersion())?.store;
    if (served === undefined || served === name) return;
    const isLoadable = STORE_NAMES.some((known) => known === served);
    const advice = isLoadable ? ` To use the ${served} store, add \`--store ${served}\`.` : "";
    printNotice(
      `Warning: The deployed worker serves the ${served} store, so its clients do not see the ${name} store.${advice}`,
    );
  } catch {
    printNotice("Warning: Could not determine which store the deployed worker serves.");
  }
}

if (import.meta.main) {
  enterUserFolder("data");
  await runProgram(createDataProgram());
}
