import type { Command } from "commander";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { useProxy } from "../command-line/client.ts";
import { print } from "../command-line/print.ts";
import { createProgram, createWholeNumberParser, parseServiceUrl } from "../command-line/program.ts";
import { openProgress } from "../command-line/progress.ts";
import { describeError, formatCount } from "../messages.ts";
import { type CheckOptions, type CheckReport, checkConformance, MAX_PAGES } from "./check.ts";

/** The exit status of a check that found no broken rule, and is incomplete. Errors that end it have the same (`runCommand`). */
const INCOMPLETE_STATUS = 2;

/** @param name The command as the user types it, such as `npm run conformance --` */
export function createCheckCommand(name: string): Command {
  return createProgram(name)
    .description("Check a service against the specification, rule by rule.")
    .argument("<url>", "base URL of the service, or URL of its collection", getCollectionUrl)
    .option(
      "--pages <n>",
      "read only the first n pages, the middle and the last",
      createWholeNumberParser(1),
      MAX_PAGES,
    )
    .option("--write-methods", "send POST, PUT, PATCH and DELETE, too; use it for your own service only")
    .option("--json", "print the report as JSON")
    .action((url: string, options: Options, command: Command) =>
      check(url, options).catch((error) => command.error(describeError(error))),
    );
}

type Options = CheckOptions & { json?: true };

async function check(url: string, { json, ...options }: Options): Promise<void> {
  useProxy();
  const progress = openProgress("reading", { unit: "pages" });
  const report = await checkConformance(url, { ...options, onPage: progress.update }).finally(progress.close);
  print(json ? JSON.stringify(report, null, 2) : formatCheckReport(report));
  if (report.stopped !== null) process.exitCode = INCOMPLETE_STATUS;
  if (report.rules.some(({ failed }) => failed > 0)) process.exitCode = 1;
}

/** Formats the broken rules, the rules that were not checked, and a summary. */
export function formatCheckReport(report: CheckReport): string {
  const { url, count, pages, records, writeMethods, stopped, rules } = report;
  const broken = rules.filter(({ failed }) => failed > 0);
  const unchecked = rules.filter(({ checked }) => checked === 0);
  const lines = broken.flatMap(({ rule, checked, failed, deviations }) => [
    `${rule} (${failed} of ${formatCount(checked, "time")})`,
    ...deviations.map(
      (one) =>
        `  ${one.asked.replace(`${url}?`, "?")}\n    expected ${one.expected}\n    received ${one.received}`,
    ),
  ]);
  if (unchecked.length > 0) lines.push(`Not checked: ${unchecked.map(({ rule }) => rule).join(", ")}`);
  if (!writeMethods)
    lines.push("POST, PUT, PATCH and DELETE were not sent: to check them, use --write-methods");
  if (stopped !== null) lines.push(`The check is incomplete: ${stopped}`);
  const verdict = `${rules.length - broken.length - unchecked.length} rules followed, ${broken.length} broken`;
  lines.push(`${verdict}: ${url}, ${formatCount(pages, "page")}, ${records} of ${count ?? "?"} records`);
  return lines.join("\n");
}

function getCollectionUrl(text: string): string {
  const url = `${parseServiceUrl(text)}/`;
  return url.endsWith(COLLECTION_PATH) ? url : url + COLLECTION_PATH.slice(1);
}
