import { type Command, InvalidArgumentError } from "commander";
import { COLLECTION_PATH } from "../../src/records/page.ts";
import { createProgram, createWholeNumberParser, runProgram } from "../command-line/program.ts";
import { openProgress } from "../command-line/progress.ts";
import { useProxy } from "../command-line/proxy.ts";
import { formatCount } from "../messages.ts";
import { type CheckReport, checkConformance } from "./check.ts";
import type { RuleResult } from "./rules.ts";
import type { CheckOptions } from "./walk.ts";

/** The exit status of an incomplete check that found no broken rule. */
export const INCOMPLETE_STATUS = 2;

/**
 * Runs the command that checks a deployment. A signal ends the check, and the report covers the responses until then.
 * @param name The command as the user types it, such as `npm run conformance --`
 */
export async function runCheck(name: string, args: string[]): Promise<void> {
  const stop = new AbortController();
  await runProgram(createCheckCommand(name, stop.signal), { args, errorStatus: INCOMPLETE_STATUS, stop });
}

/** @param signal Ends the check early */
export function createCheckCommand(name: string, signal: AbortSignal): Command {
  return createProgram(name)
    .description("Check a deployment against the specification, rule by rule.")
    .argument("<url>", "base URL of the service, or URL of its collection", parseCollectionUrl)
    .option(
      "--pages <n>",
      "read only the first n pages, the middle page and the last page",
      createWholeNumberParser(1),
    )
    .option("--concurrency <n>", "number of requests at the same time", createWholeNumberParser(1, 16), 1)
    .option("--read-only", "send no POST, PUT, PATCH or DELETE requests")
    .option("--json", "print the report as JSON")
    .action((url: string, options: Options) => check(url, { ...options, signal }));
}

type Options = CheckOptions & { json?: true };

async function check(url: string, { json, ...options }: Options): Promise<void> {
  useProxy();
  const progress = openProgress("reading", { unit: "pages" });
  const checked = checkConformance(url, { ...options, onPage: progress.update });
  const report = await checked.finally(progress.close);
  const verdicts = { pass: 0, fail: 0, untested: 0 };
  for (const { verdict } of report.rules) verdicts[verdict] += 1;
  const { rules, ...rest } = report;
  console.log(json ? JSON.stringify({ ...rest, verdicts, rules }, null, 2) : formatReport(report, verdicts));
  if (report.stopped !== null) process.exitCode = INCOMPLETE_STATUS;
  if (verdicts.fail > 0) process.exitCode = 1;
}

/** Formats the report for a terminal: the broken rules, the unclear rules, the untested rules, and a summary. */
function formatReport(report: CheckReport, verdicts: Record<string, number>): string {
  const { rules, url, count, pages, records, retries, stopped } = report;
  const failed = rules.filter(({ verdict }) => verdict === "fail");
  const unclear = rules.filter(({ verdict, evidence }) => verdict === "untested" && evidence.length > 0);
  const untested = rules.filter(({ verdict, evidence }) => verdict === "untested" && evidence.length === 0);
  const lines = [...failed, ...unclear].map((rule) => formatRule(rule, url));
  if (untested.length > 0) lines.push(`untested  ${untested.map(({ rule }) => rule).join(", ")}`);
  if (stopped !== null) lines.push(stopped);
  const counts = Object.entries(verdicts).map(([verdict, times]) => `${times} ${verdict}`);
  const known = count === null ? "" : `${records} of `;
  const received = `${formatCount(pages, "page")}, ${known}${formatCount(count ?? records, "record")}`;
  lines.push(`${counts.join(", ")}: ${url}, ${received}, ${formatCount(retries, "retry", "retries")}`);
  return lines.join("\n");
}

function formatRule(result: RuleResult, url: string): string {
  const { rule, description, verdict, passed, failed, evidence } = result;
  const times = failed > 0 ? ` (failed ${failed} of ${formatCount(failed + passed, "time")})` : "";
  const lines = evidence.map((line) => `\n          ${line.replace(`${url}?`, "?")}`);
  return `${verdict.padEnd(9)} ${rule}: ${description}${times}${lines.join("")}`;
}

/**
 * Parses the base URL of a service, or the URL of its collection.
 * @returns The absolute URL of the collection
 * @throws InvalidArgumentError if the text is not a URL of a service or collection
 */
function parseCollectionUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("It must be a URL such as https://counts.example.");
  if (url.href !== url.origin + url.pathname)
    throw new InvalidArgumentError("It must not have a user, a password, a query or a fragment.");
  const path = url.href.replace(/\/?$/, "/");
  return path.endsWith(COLLECTION_PATH) ? path : path + COLLECTION_PATH.slice(1);
}

// `npm run conformance` runs this file.
if (import.meta.main) await runCheck("npm run conformance --", process.argv.slice(2));
