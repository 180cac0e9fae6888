import { styleText } from "node:util";
import { formatCount } from "../../data/formatting.ts";
import type { CheckReport } from "./check.ts";
import type { RuleResult } from "./rule.ts";

const STYLES = { fail: "red", "not seen": "yellow", pass: "green" } as const;

/**
 * Formats the report as text: the broken rules, the cause first, and one summary line at the end.
 * @param all shows the other rules, too, and what the specification leaves open
 */
export function formatReport(report: CheckReport, all: boolean): string {
  const { rules, open, stopped, rereads } = report;
  const broken = rules.filter(({ verdict }) => verdict === "fail");
  const others = all ? rules.filter(({ verdict }) => verdict !== "fail") : [];
  const lines = [...broken, ...others].map((rule) => formatRule(rule, report.url));
  if (all) lines.push(...Object.entries(open).map(([name, text]) => `open      ${name}: ${text}`));
  if (rereads.length > 0)
    lines.push(`${formatCount(rereads.length, "page")} had to be read again, first ${rereads[0]}`);
  if (stopped !== null) lines.push(stopped);
  return [...lines, summarise(report)].join("\n");
}

function formatRule({ rule, sentence, verdict, kept, broken, evidence }: RuleResult, url: string): string {
  const label = verdict.padEnd(9);
  // Without the check of the terminal, FORCE_COLOR would colour files.
  const painted = process.stdout.isTTY
    ? styleText(STYLES[verdict], label, { stream: process.stdout })
    : label;
  const times = broken > 0 ? ` (broken ${broken} of ${formatCount(broken + kept, "time")})` : "";
  const lines = evidence.map((text) => `\n          ${text.replace(`${url}?`, "?")}`);
  return `${painted} ${rule}: ${sentence}${times}${lines.join("")}`;
}

function summarise({ rules, url, count, pages, records, growths, retries }: CheckReport): string {
  const verdicts = Object.entries(countVerdicts(rules)).map(([verdict, times]) => `${times} ${verdict}`);
  const found = `${formatCount(pages, "page")}, ${records} of ${formatCount(count ?? records, "record")}`;
  const events = `grew ${formatCount(growths, "time")}, ${formatCount(retries, "retry", "retries")}`;
  return `${verdicts.join(", ")}: ${url}, ${found}, ${events}`;
}

export function formatJson({ rules, open, rereads, ...rest }: CheckReport): string {
  const counts = { ...rest, rereads: rereads.length, verdicts: countVerdicts(rules) };
  return JSON.stringify({ ...counts, rules, open }, null, 2);
}

/** How many rules have each verdict. */
function countVerdicts(rules: RuleResult[]) {
  const verdicts = { pass: 0, fail: 0, "not seen": 0 };
  for (const { verdict } of rules) verdicts[verdict] += 1;
  return verdicts;
}
