import { writeFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { createWholeNumberParser, requireWritableFile } from "../command-line/options.ts";
import { createProgram } from "../command-line/program.ts";
import { printNotice } from "../command-line/progress.ts";
import { type CollectionUrl, parseCollectionUrl } from "../http-client/collection-url.ts";
import { addHttpOptions } from "../http-client/http-options.ts";
import { type RetryPolicy, realClock } from "../http-client/retry.ts";
import type { ThrottleOptions } from "../http-client/throttle.ts";
import { type ConformanceReport, checkConformance } from "./check.ts";
import { PAGE_FORMATS, type PageFormat } from "./collection-reader.ts";
import { formatJunit } from "./junit.ts";
import { formatJson, formatTable, paintTerminal } from "./report.ts";

/** The exit status if a rule is broken. */
const BROKEN = 1;
/** The exit status if the check ended early or did not start, and no rule is broken. */
export const INCOMPLETE = 2;

/** The attempts take about one minute. */
const RETRY_POLICY: RetryPolicy = {
  attempts: 5,
  timeout: 30_000,
  backoff: 1_000,
  maxBackoff: 30_000,
  maxRetryAfter: 600_000,
};

interface Options extends ThrottleOptions {
  pages?: number;
  readOnly?: true;
  reference?: true;
  format: PageFormat;
  json?: true;
  junit?: string;
}

/**
 * @param signal ends the check. The report then covers what was seen until then.
 * @returns the program of `npm run conformance`
 */
export function createConformanceProgram(signal: AbortSignal): Command {
  return addHttpOptions(createProgram("npm run conformance --"), parsePlainCollectionUrl)
    .description("Check a deployment against the specification, rule by rule.")
    .option(
      "--pages <n>",
      "read only the first n pages, the middle page and the last page",
      createWholeNumberParser(1),
    )
    .option("--read-only", "skip the requests that test whether POST, PUT, PATCH and DELETE are refused")
    .option(
      "--reference",
      "judge what the specification leaves open against the reference of the documentation",
    )
    .addOption(
      new Option("--format <format>", "which format to request the pages in")
        .choices(PAGE_FORMATS)
        .default("api"),
    )
    .option("--json", "print the report as JSON")
    .option("--junit <file>", "also write the report to this file, as JUnit XML", requireWritableFile)
    .addHelpText(
      "after",
      `
Exit status: 0 if no rule is broken, 1 if a rule is broken, 2 if the check could not be completed.
If it is interrupted, it reports what it has seen so far and exits with 130 or 143.`,
    )
    .action((collection: CollectionUrl, options: Options) => run(collection, options, signal));
}

async function run(collection: CollectionUrl, options: Options, signal: AbortSignal): Promise<void> {
  const { pages, concurrency, delay, readOnly = false, reference, format, json, junit } = options;
  const dependencies = {
    clock: realClock,
    retryPolicy: RETRY_POLICY,
    signal,
    warn: printNotice,
  };
  const report = await checkConformance(collection, {
    pages,
    concurrency,
    delay,
    readOnly,
    reference,
    format,
    ...dependencies,
  });
  console.log(json ? formatJson(report) : formatTable(report, paintTerminal));
  if (junit !== undefined) writeFileSync(junit, formatJunit(report));
  process.exitCode = chooseStatus(report);
}

function chooseStatus({ rules, stopped }: ConformanceReport): number {
  if (rules.some(({ verdict }) => verdict === "fail")) return BROKEN;
  return stopped === undefined ? 0 : INCOMPLETE;
}

/**
 * Parses a URL as `parseCollectionUrl` does, but accepts no query parameters except those of the specification,
 * because pages are requested as it says and other parameters would be lost.
 * @throws InvalidArgumentError if there are any
 */
function parsePlainCollectionUrl(text: string): CollectionUrl {
  const collection = parseCollectionUrl(text);
  const others = [...collection.query].filter(([name, value]) => name !== "format" || value !== "api");
  if (others.length === 0) return collection;
  throw new InvalidArgumentError(
    `Remove ${new URLSearchParams(others)} from the URL. Pages are requested with format=api and page only, as in the specification.`,
  );
}
