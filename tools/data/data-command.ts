import { type Command, Option } from "commander";
import { OUTPUT_FORMATS } from "../../data/formats/formats.ts";
import { MAX_CAMERAS } from "../../data/statistics.ts";
import { STORE_NAMES } from "../../data/writer/configuration.ts";
import {
  createProgram,
  createWholeNumberParser,
  enterUserFolder,
  parseDate,
  parseMinutes,
  parseNonEmpty,
  parseOutputPath,
  runProgram,
} from "../command-line/program.ts";
import { runWithStoreNotice } from "../deployed-worker.ts";
import { type ExportOptions, exportRecords } from "./export.ts";
import { findUsageError, type GenerateOptions, generate } from "./generate.ts";
import { type InfoOptions, info } from "./info.ts";
import { checkFiles, type InputOptions, type LoadOptions, loadFiles } from "./load.ts";

/** @returns the program with the commands of `npm run data` */
export function createDataProgram(): Command {
  const program = createProgram("npm run data --")
    .usage("COMMAND")
    .description("Manage the records of the collection.");
  for (const add of [addLoad, addCheck, addInfo, addExport, addGenerate]) add(program);
  return program;
}

const INPUT =
  "CSV with the fields of a record, JSON Lines, pages of the service, or reports of the detection engine; each may be gzipped; - is standard input; a folder means its .csv, .jsonl, .json and .gz files";

/** Adds the options of commands that read records from files. */
function addReadOptions(command: Command): Command {
  return command
    .argument("<files...>", INPUT)
    .option(
      "--strict",
      'refuse records with camera_ok "False" and counts above 0 (default: set the counts to 0), and incomplete pages (default: warn)',
    )
    .option("--skip-duplicates", "skip records with the same camera_ref and timestamp as an earlier one")
    .addOption(
      new Option("--model-name <name>", "replace other model names (default: refuse them)").choices(["tf1"]),
    );
}

/** Adds the options that choose a store. */
function addStoreOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--store <name>", "kind of store (default: STORE in the configuration)").choices(
        STORE_NAMES,
      ),
    )
    .option("--remote", "use the deployed store (default: the local store)")
    .option("--persist-to <dir>", "folder of the local store, as for npm start", parseNonEmpty)
    .option(
      "--config <file>",
      "configuration with the stores and settings, such as a preview's (default: wrangler.toml)",
      parseNonEmpty,
    );
}

function addOutputOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--format <name>", "csv or jsonl").choices(Object.keys(OUTPUT_FORMATS)).default("csv"),
    )
    .option("--out <file>", "output file; - is standard output", parseOutputPath, "-");
}

function addLoad(program: Command): void {
  addStoreOptions(addReadOptions(program.command("load")))
    .description("replace the loaded records with the records of the files")
    .option(
      "--source <text>",
      "where the records come from, which the site shows (default: the file names)",
      parseNonEmpty,
    )
    .action((files: string[], options: LoadOptions) =>
      runWithStoreNotice(options, () => loadFiles(files, options)),
    );
}

function addCheck(program: Command): void {
  addReadOptions(program.command("check"))
    .description("report problems of the files as load does, without loading them")
    .action((files: string[], options: InputOptions) => checkFiles(files, options));
}

function addInfo(program: Command): void {
  addStoreOptions(program.command("info"))
    .description("show what is loaded")
    .option("--json", "as JSON, including the numbers of each day and of each hour of the day")
    .action((options: InfoOptions) => runWithStoreNotice(options, () => info(options)));
}

function addExport(program: Command): void {
  addOutputOptions(addStoreOptions(program.command("export")))
    .description("write all loaded records to a file that load can read, newest first")
    .action((options: ExportOptions) => runWithStoreNotice(options, () => exportRecords(options)));
}

function addGenerate(program: Command): void {
  const command = program
    .command("generate")
    .description("write generated records that look like those of the seed, oldest first")
    .option("--records <n>", "number of records", createWholeNumberParser(1))
    .option(
      "--from <date>",
      "start of the period, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ (default: 2019-01-01)",
      parseDate,
    )
    .option("--to <date>", "end of the period, not included", parseDate)
    .option(
      "--cameras <n>",
      `number of cameras, at most ${MAX_CAMERAS} (default: 86)`,
      createWholeNumberParser(1, MAX_CAMERAS),
    )
    .option(
      "--interval <duration>",
      "time from one record of a camera to its next (default: 30m)",
      parseMinutes,
    )
    .option(
      "--seed <n>",
      "random seed; another one gives other records (default: 1)",
      createWholeNumberParser(0, 2 ** 32 - 1),
    );
  addOutputOptions(command).action((options: GenerateOptions) => {
    const error = findUsageError(options);
    if (error) command.error(`error: ${error}`);
    return generate(options);
  });
}

if (import.meta.main) {
  enterUserFolder("data");
  // npm that is killed cannot pass on a signal, so the command ends when its parent is gone.
  const { ppid } = process;
  const endWithNpm = () => process.ppid !== ppid && process.exit(129);
  if (process.env.npm_lifecycle_event === "data") setInterval(endWithNpm, 1_000).unref();
  await runProgram(createDataProgram());
}
