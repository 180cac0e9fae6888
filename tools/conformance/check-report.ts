import { formatCount } from "../../data/messages.ts";
import type { CheckReport } from "./check.ts";
import type { RuleResult } from "./rules.ts";

/** Formats the report as text: the broken rules, the cause first, then those that were not seen, and a summary. */
export function formatReport({ rules, url, count, pages, records, retries, stopped }: CheckReport): string {
  const broken = rules.filter(({ verdict }) => verdict === "fail");
  const unclear = rules.filter(({ verdict, evidence }) => verdict === "not seen" && evidence.length > 0);
  const unseen = rules.filter(({ verdict, evidence }) => verdict === "not seen" && evidence.length === 0);
  const lines = [...broken, ...unclear].map((rule) => formatRule(rule, url));
  if (unseen.length > 0) lines.push(`not seen  ${unseen.map(({ rule }) => rule).join(", ")}`);
  if (stopped !== null) lines.push(stopped);
  const verdicts = Object.entries(countVerdicts(rules)).map(([verdict, times]) => `${times} ${verdict}`);
  const found = `${formatCount(pages, "page")}, ${records} of ${formatCount(count ?? records, "record")}`;
  lines.push(`${verdicts.join(", ")}: ${url}, ${found}, ${formatCount(retries, "retry", "retries")}`);
  return lines.join("\n");
}

function formatRule({ rule, sentence, verdict, kept, broken, evidence }: RuleResult, url: string): string {
  const times = broken > 0 ? ` (broken ${broken} of ${formatCount(broken + kept, "time")})` : "";
  const lines = evidence.map((text) => `\n          ${text.replace(`${url}?`, "?")}`);
  return `${verdict.padEnd(9)} ${rule}: ${sentence}${times}${lines.join("")}`;
}

export function formatJson({ rules, ...rest }: CheckReport): string {
  return JSON.stringify({ ...rest, verdicts: countVerdicts(rules), rules }, null, 2);
}

/** How many rules have each verdict. */
function countVerdicts(rules: RuleResult[]) {
  const verdicts = { pass: 0, fail: 0, "not seen": 0 };
  for (const { verdict } of rules) verdicts[verdict] += 1;
  return verdicts;
}
