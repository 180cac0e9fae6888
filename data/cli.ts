import { type Command, Option } from "commander";
import { date, minutes, wholeNumber } from "../tools/command-line/options.ts";
import { openProgram, runProgram } from "../tools/command-line/program.ts";
import { type AppendOptions, append } from "./append.ts";
import { addCrawl } from "./crawl/command.ts";
import { EXPORT_FORMATS, type ExportOptions, exportRecords } from "./export.ts";
import { WRITERS } from "./formats/formats.ts";
import { parseOut } from "./formats/output-file.ts";
import { findWrongUsage, type GenerateOptions, generate } from "./generate.ts";
import { type InfoOptions, info } from "./info.ts";
import { check, load, type ReadOptions } from "./load.ts";
import { STORE_NAMES } from "./targets/targets.ts";

// npm starts scripts in the project's folder, and says in which one it was called: there are the files that are named.
const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
if (script === "data" && folder) process.chdir(folder);

const program = openProgram("npm run data --")
  .usage("COMMAND")
  .description("Fills the collection with records.");

const INPUT =
  "CSV with the fields of a record, JSON Lines, pages as the service answers them, or reports of the detection engine; each also gzipped; - is standard input";

/** The options of commands that read records from files. */
function addReading(command: Command): Command {
  return command
    .argument("<files...>", INPUT)
    .option(
      "--strict",
      'refuse records with camera_ok "False" and counts above 0, rather than set these to 0',
    )
    .addOption(
      new Option("--model-name <name>", "serve records of other models as this one").choices(["tf1"]),
    );
}

/** The options by which a command chooses a store. */
function addStore(command: Command): Command {
  return command
    .addOption(
      new Option("--store <name>", "by default the STORE of wrangler.toml, or of --config").choices(
        STORE_NAMES,
      ),
    )
    .option("--remote", "the deployed store, not the local one")
    .option("--persist-to <dir>", "the folder of the local store, as in wrangler dev")
    .option("--config <file>", "whose stores, if not those of wrangler.toml: a preview's, say");
}

addStore(addReading(program.command("load")))
  .description("replace what is loaded with the records of the files")
  .option("--append", "add the records instead, all newer than what is loaded, which stays as it is")
  .option("--skip-known", "with --append: pass over records that are loaded already, rather than refuse them")
  .action((files: string[], options: AppendOptions & { append?: boolean }, command: Command) => {
    if (options.skipKnown && !options.append) command.error("error: --skip-known goes with --append");
    return options.append ? append(files, options) : load(files, options);
  });

addReading(program.command("check"))
  .description("say what load would say of the files, without loading them")
  .action((files: string[], options: ReadOptions) => check(files, options));

addStore(program.command("info"))
  .description("say what is loaded")
  .option("--json", "all of it, the numbers of each day too, as JSON")
  .action((options: InfoOptions) => info(options));

addStore(program.command("export"))
  .description("write everything that is loaded, oldest first, for load to read again")
  .addOption(
    new Option(
      "--format <name>",
      "csv, jsonl, report (without ids), or pages as the service answers them, newest first",
    )
      .choices(EXPORT_FORMATS)
      .default("csv"),
  )
  .option("--out <file>", "file to write; - is standard output", parseOut, "-")
  .action((options: ExportOptions) => exportRecords(options));

program
  .command("generate")
  .description("write made-up records, as those of the seed: CSV or JSON Lines, oldest first")
  .option("--records <n>", "how many", wholeNumber(1))
  .option("--from <date>", "first moment, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ (default: 2019-01-01)", date)
  .option("--to <date>", "first moment after the last record", date)
  .option("--cameras <n>", "how many cameras (default: 86)", wholeNumber(1, 1_000_000))
  .option("--interval <duration>", "from one record of a camera to its next (default: 30m)", minutes)
  .option(
    "--seed <n>",
    "another number gives other records (default: that of the seed)",
    wholeNumber(0, 2 ** 32 - 1),
  )
  .addOption(new Option("--format <name>", "csv or jsonl").choices(Object.keys(WRITERS)).default("csv"))
  .option("--out <file>", "file to write; - is standard output", parseOut, "-")
  .action((options: GenerateOptions, command: Command) => {
    const wrong = findWrongUsage(options);
    if (wrong) command.error(`error: ${wrong}`);
    return generate(options);
  });

addCrawl(program);

// What is half-way is undone on exit; what was served before stays.
await runProgram(program);
