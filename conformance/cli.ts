import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { type Collection, parseCollection } from "../client/address.ts";
import { type Patience, realClock } from "../client/retry.ts";
import { wholeNumber } from "../data/options.ts";
import { type Examination, examine } from "./examine.ts";
import { formatJson } from "./report/json.ts";
import { formatJunit } from "./report/junit.ts";
import { formatTable, paintTerminal } from "./report/table.ts";

/** The examination ended early, or there was none. */
const INCOMPLETE = 2;
const BROKEN = 1;

const MOST_CONCURRENCY = 16;

/** A minute of attempts. */
const PATIENCE: Patience = {
  attempts: 5,
  timeout: 30_000,
  backoff: 1_000,
  longestBackoff: 30_000,
  longestRetryAfter: 600_000,
};

interface Options {
  pages?: number;
  concurrency: number;
  delay: number;
  readOnly?: true;
  json?: true;
  junit?: string;
}

const program = new Command("npm run conformance --")
  .description("Holds a deployment against the specification, rule by rule.")
  .argument("<url>", "base address of the service, or address of its collection", parseCollection)
  .option("--pages <n>", "walk the first n pages, the middle and the last one, not all", wholeNumber(1))
  .option("--concurrency <n>", "requests at a time", wholeNumber(1, MOST_CONCURRENCY), 1)
  .option("--delay <ms>", "milliseconds from one request to the next", wholeNumber(0, 3_600_000), 0)
  .option("--read-only", "send no POST, PUT, PATCH or DELETE to see them refused")
  .option("--json", "print JSON")
  .option("--junit <file>", "write JUnit XML to this file, too")
  .addHelpText(
    "after",
    "\nExit status: 0, no rule is broken; 1, one is; 2, the service could not be examined.",
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : INCOMPLETE))
  .action(run);

async function run(collection: Collection, options: Options): Promise<void> {
  const { pages, concurrency, delay, readOnly = false, json, junit } = options;
  const { signal } = new AbortController();
  const surroundings = { clock: realClock, patience: PATIENCE, signal, warn: console.error };
  const examination = await examine(collection, { pages, concurrency, delay, readOnly, ...surroundings });
  if (junit !== undefined) writeFileSync(junit, formatJunit(examination));
  console.log(json ? formatJson(examination) : formatTable(examination, paintTerminal));
  process.exitCode = chooseStatus(examination);
}

function chooseStatus({ rules, stopped }: Examination): number {
  if (rules.some(({ verdict }) => verdict === "fail")) return BROKEN;
  return stopped === undefined ? 0 : INCOMPLETE;
}

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
  console.error(error.message);
  process.exitCode = INCOMPLETE;
}
