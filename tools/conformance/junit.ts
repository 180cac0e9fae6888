import type { ConformanceReport } from "./check.ts";
import { countVerdicts, sectionOf } from "./report.ts";
import type { RuleResult } from "./rule.ts";

/** Formats the report as JUnit XML: one test case for each rule. Rules that are not seen or not shown are skipped. */
export function formatJunit(report: ConformanceReport): string {
  const { fail, "not seen": notSeen, "not shown": notShown } = countVerdicts(report);
  const { rules, url, stopped, count, pages, records, growths, retries } = report;
  const properties = { ...(count === undefined ? {} : { count }), pages, records, growths, retries };
  const totals = formatAttributes({
    tests: rules.length + 1,
    failures: fail,
    errors: stopped === undefined ? 0 : 1,
    skipped: notSeen + notShown,
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals}>`,
    `<testsuite${formatAttributes({ name: `conformance of ${url}` })}${totals}>`,
    "<properties>",
    ...Object.entries(properties).map(([name, value]) => `<property${formatAttributes({ name, value })}/>`),
    "</properties>",
    ...rules.map(formatRule),
    formatWalk(stopped),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function formatRule(result: RuleResult): string {
  const { rule, sentence, verdict, evidence } = result;
  const name = formatAttributes({ classname: sectionOf(result), name: `${rule}: ${sentence}` });
  return `<testcase${name}>${formatVerdict(verdict, evidence)}</testcase>`;
}

function formatVerdict(verdict: RuleResult["verdict"], evidence: string[]): string {
  const text = escapeXml(evidence.join("\n"));
  if (verdict === "fail")
    return `<failure${formatAttributes({ message: evidence[0] ?? "" })}>${text}</failure>`;
  if (verdict === "pass") return `<system-out>${text}</system-out>`;
  return `<skipped${formatAttributes({ message: [verdict, ...evidence].join(": ") })}/>`;
}

/** A check that ended early is an error, but it breaks no rule. */
function formatWalk(stopped: string | undefined): string {
  const error = stopped === undefined ? "" : `<error${formatAttributes({ message: stopped })}/>`;
  const name = formatAttributes({ classname: "Walk", name: "The check was completed" });
  return `<testcase${name}>${error}</testcase>`;
}

function formatAttributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Escapes text for XML 1.0. Characters that XML cannot contain (section 2.2) are written as in JSON. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return ENTITIES[character] ?? `\\u${code}`;
  });
}
