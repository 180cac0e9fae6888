import { setFlagsFromString } from "node:v8";
import { InvalidArgumentError, Option } from "commander";
import { readPreferences } from "../../src/mock/prefer.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { openProgress, printNotice } from "../command-line/progress.ts";
import type { ListenOptions, ServiceOptions } from "./index.d.ts";
import { createService } from "./service.ts";

const NAME = "traffic-count-records";

const [first, ...rest] = process.argv.slice(2);
await (first === "check" ? check(rest) : runProgram(createServeProgram()));

/** Checks a deployment, as `npm run conformance` does. */
async function check(args: string[]): Promise<void> {
  // A check of a million records then takes less than 200 MB of memory, instead of more than 350.
  setFlagsFromString("--optimize-for-size");
  const { createCheckCommand, INCOMPLETE } = await import("../conformance/check-command.ts");
  const stop = new AbortController();
  const program = createCheckCommand(`${NAME} check`, stop.signal);
  await runProgram(program, { args, errorStatus: INCOMPLETE, stop });
}

function createServeProgram() {
  return createProgram(NAME)
    .usage("[options] [FILES...]\n       traffic-count-records check URL")
    .description("Serve traffic count records from memory, or check a deployment against the specification.")
    .argument("[files...]", "files with the records, instead of the seed; - is standard input")
    .addOption(
      new Option("--port <number>", "port to listen at; 0 chooses a free one")
        .argParser(createWholeNumberParser(0, 65_535))
        .env("PORT")
        .default(8787),
    )
    .option("--host <name>", "name or address to listen at; 0.0.0.0 for all", "localhost")
    .addOption(
      new Option(
        "--model-name <name>",
        "replace the model name of all records (default: refuse other models)",
      ).choices(["tf1"]),
    )
    .option("--public-origin <url>", "scheme, host and port of links (default: those of the request)")
    .addOption(
      new Option("--prefer <faults>", "faults of all requests that name none, such as fail=0.05").argParser(
        parsePreferences,
      ),
    )
    .action(serve);
}

function parsePreferences(text: string): string {
  const { errors } = readPreferences("", [text]);
  if (errors.length > 0) throw new InvalidArgumentError(errors.join(" "));
  return text;
}

async function serve(files: string[], options: ServiceOptions & ListenOptions): Promise<void> {
  const service = createService(files.length > 0 ? { ...options, files } : options, {
    openStep: openProgress,
    warn: printNotice,
  });
  const { url } = await service.listen(options);
  console.log(`Serving ${options.prefer ? `with ${options.prefer} ` : ""}at ${url}`);
}
