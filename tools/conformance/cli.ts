import { writeFileSync } from "node:fs";
import { wholeNumber, writableFile } from "../command-line/options.ts";
import { openProgram, runProgram } from "../command-line/program.ts";
import { note } from "../command-line/progress.ts";
import type { CollectionUrl } from "../http-client/collection-url.ts";
import { addHttpOptions } from "../http-client/http-options.ts";
import { type RetryPolicy, realClock } from "../http-client/retry.ts";
import type { ThrottleOptions } from "../http-client/throttle.ts";
import { parseExamined } from "./address.ts";
import { type Examination, examine } from "./examine.ts";
import { formatJson } from "./report/json.ts";
import { formatJunit } from "./report/junit.ts";
import { formatTable, paintTerminal } from "./report/table.ts";

/** The examination ended early, or there was none. */
const INCOMPLETE = 2;
const BROKEN = 1;

/** A minute of attempts. */
const PATIENCE: RetryPolicy = {
  attempts: 5,
  timeout: 30_000,
  backoff: 1_000,
  maxBackoff: 30_000,
  maxRetryAfter: 600_000,
};

interface Options extends ThrottleOptions {
  pages?: number;
  readOnly?: true;
  json?: true;
  junit?: string;
}

/** What was seen until a signal comes is judged and told. */
const stop = new AbortController();

const program = addHttpOptions(openProgram("npm run conformance --"), parseExamined)
  .description("Holds a deployment against the specification, rule by rule.")
  .option("--pages <n>", "walk the first n pages, the middle and the last one, not all", wholeNumber(1))
  .option("--read-only", "send no POST, PUT, PATCH or DELETE to see them refused")
  .option("--json", "print JSON")
  .option("--junit <file>", "write JUnit XML to this file, too", writableFile)
  .addHelpText(
    "after",
    "\nExit status: 0, no rule is broken; 1, one is; 2, the service could not be examined.\nInterrupted, it judges what it has seen: 130 or 143.",
  )
  .action(run);

async function run(collection: CollectionUrl, options: Options): Promise<void> {
  const { pages, concurrency, delay, readOnly = false, json, junit } = options;
  const surroundings = { clock: realClock, retryPolicy: PATIENCE, signal: stop.signal, warn: note };
  const examination = await examine(collection, { pages, concurrency, delay, readOnly, ...surroundings });
  console.log(json ? formatJson(examination) : formatTable(examination, paintTerminal));
  if (junit !== undefined) writeFileSync(junit, formatJunit(examination));
  process.exitCode = chooseStatus(examination);
}

function chooseStatus({ rules, stopped }: Examination): number {
  if (rules.some(({ verdict }) => verdict === "fail")) return BROKEN;
  return stopped === undefined ? 0 : INCOMPLETE;
}

await runProgram(program, { failure: INCOMPLETE, stop });
