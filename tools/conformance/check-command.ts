import { type Command, InvalidArgumentError } from "commander";
import { COLLECTION_PATH } from "../../src/records/page.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram } from "../command-line/program.ts";
import { openProgress } from "../command-line/progress.ts";
import { checkConformance } from "./check.ts";
import { formatJson, formatReport } from "./check-report.ts";
import type { CheckOptions } from "./walk.ts";

/** The exit status if the check could not be completed, and no rule is broken. If a rule is broken, it is 1. */
export const INCOMPLETE = 2;

type Options = CheckOptions & { json?: true };

/**
 * Creates the command that checks a deployment.
 * @param name as a person types it, such as `npm run conformance --`, or the name of a subcommand
 * @param signal ends the check. The report then covers what was seen until then.
 */
export function createCheckCommand(name: string, signal: AbortSignal): Command {
  return createProgram(name)
    .description("Check a deployment against the specification, rule by rule.")
    .argument("<url>", "base URL of the service, or URL of its collection", parseCollectionUrl)
    .option(
      "--pages <n>",
      "read only the first n pages, the middle one and the last one",
      createWholeNumberParser(1),
    )
    .option("--concurrency <n>", "number of requests at the same time", createWholeNumberParser(1, 16), 1)
    .option("--read-only", "send no POST, PUT, PATCH and DELETE requests")
    .option("--base-url <url>", "base URL in links, if it is not the URL that is checked", parseCollectionUrl)
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      `
Exit status: 0 if no rule is broken, 1 if a rule is broken, 2 if the check could not be completed.
If it is interrupted, it reports what it has seen so far and exits with 130 or 143.`,
    )
    .action((url: string, options: Options) => run(url, options, signal));
}

async function run(url: string, { json, ...options }: Options, signal: AbortSignal): Promise<void> {
  const progress = openProgress("reading", { unit: "pages" });
  const check = checkConformance(url, { ...options, signal, onPage: progress.update });
  const report = await check.finally(progress.close);
  console.log(json ? formatJson(report) : formatReport(report));
  const isBroken = report.rules.some(({ verdict }) => verdict === "fail");
  process.exitCode = isBroken ? 1 : report.stopped === null ? 0 : INCOMPLETE;
}

/**
 * Parses the base URL of a service, the URL of its collection, or the URL of a page.
 * @returns the absolute URL of the collection, without query
 * @throws InvalidArgumentError if it is none of these, or has query parameters that would not be sent
 */
function parseCollectionUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("It must be a URL such as https://counts.example.");
  if (url.username || url.password || url.hash)
    throw new InvalidArgumentError("It must not have a user name, a password or a fragment.");
  if (!/^(\?(&?(format=api|page=\d*))*)?$/.test(url.search))
    throw new InvalidArgumentError(`Remove the query ${url.search}. Only format=api and page are sent.`);
  const path = url.href.replace(/\/?(\?.*)?$/, "/");
  return path.endsWith(COLLECTION_PATH) ? path : path + COLLECTION_PATH.slice(1);
}
