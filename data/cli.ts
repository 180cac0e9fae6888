import { Command, Option } from "commander";
import { InputError, type LoadOptions, load } from "./load.ts";
import { STORE_NAMES } from "./targets/targets.ts";

const WRONG_USAGE = 2;

const program = new Command("npm run data --")
  .usage("COMMAND")
  .description("Fills the collection with records.")
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));

program
  .command("load")
  .description("replace what is loaded with the records of the files")
  .argument(
    "<files...>",
    "CSV with the fields of a record, JSON Lines, pages as the service answers them, or reports of the detection engine; each also gzipped; - is standard input",
  )
  .addOption(
    new Option("--store <name>", "where to; by default the STORE of wrangler.toml").choices(STORE_NAMES),
  )
  .option("--remote", "load into the deployed store, not the local one")
  .option("--persist-to <dir>", "keep the local store in this folder, as in wrangler dev")
  .option("--strict", 'refuse records with camera_ok "False" and counts above 0, rather than set these to 0')
  .addOption(new Option("--model-name <name>", "serve records of other models as this one").choices(["tf1"]))
  .action((files: string[], options: LoadOptions) => load(files, options));

// What is half-way is undone on exit; what was served before stays.
for (const [signal, status] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => process.exit(status));
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(
    error instanceof InputError ? error.message : `${error.message}\nWhat was loaded before is still served.`,
  );
  process.exitCode = 1;
}
