import { styleText } from "node:util";
import { formatCount } from "../../data/formatting.ts";
import type { ConformanceReport } from "./check.ts";
import type { RuleResult, Verdict } from "./rule.ts";

const STYLES = { pass: "green", fail: "red", "not seen": "yellow", "not shown": "gray" } as const;

/** Adds colour to a text. */
export type Paint = (style: (typeof STYLES)[Verdict], text: string) => string;

/** Adds colour if standard output is a terminal and NO_COLOR is not set. Without the check, FORCE_COLOR would colour files. */
export const paintTerminal: Paint = (style, text) =>
  process.stdout.isTTY ? styleText(style, text, { stream: process.stdout }) : text;

/** What the verdicts mean, for the end of the report. */
const LEGEND: Record<Verdict, string> = {
  pass: "the rule was kept every time",
  fail: "the rule was broken at least once",
  "not seen": "no response shows whether the rule is kept",
  "not shown": "the specification says nothing about it, so this is only what the service does",
};

/** A longer line is cut in the middle, because the end of a link is what distinguishes it. */
const MAX_LINE = 300;
const LINE_END = 100;

/** Formats the report as text: one line for each rule, by section of the specification. */
export function formatTable(report: ConformanceReport, paint: Paint): string {
  const lines: string[] = [];
  let section = "";
  for (const result of report.rules) {
    if (sectionOf(result) !== section) {
      section = sectionOf(result);
      lines.push("", section);
    }
    lines.push(...formatRule(result, report.url, paint));
  }
  const legend = Object.entries(LEGEND).map(([verdict, text]) => `  ${verdict.padEnd(10)} ${text}`);
  return [
    ...lines.slice(1),
    "",
    ...legend,
    "  docs/specification.md explains each rule.",
    "",
    ...summarize(report).map((line) => shortenLine(escapeControls(line))),
  ].join("\n");
}

function formatRule(result: RuleResult, url: string, paint: Paint): string[] {
  const { rule, also, verdict } = result;
  const evidence = result.evidence.map((text) => escapeControls(shortenUrl(text, url)));
  const others = also.length === 0 ? "" : ` (also covers ${also.join(", ")})`;
  const label = paint(STYLES[verdict], verdict.padEnd(10));
  const row = `${rule.padEnd(25)} ${result.sentence}${others}: ${describeResult(result, evidence)}`;
  const more = verdict === "fail" ? evidence.map((text) => shortenLine(" ".repeat(13) + text)) : [];
  return [`  ${label} ${shortenLine(row, MAX_LINE - 13)}`, ...more];
}

function describeResult({ verdict, kept, broken }: RuleResult, evidence: string[]): string {
  const text = evidence.join("; ");
  switch (verdict) {
    case "pass":
      return `kept ${formatCount(kept, "time")}, first at ${text}`;
    case "fail":
      return `broken ${broken} of ${formatCount(broken + kept, "time")}`;
    case "not seen":
      return text === "" ? "no response shows it" : `unclear, ${text}`;
    case "not shown":
      return text === "" ? "nothing was observed" : text;
  }
}

function shortenLine(line: string, max = MAX_LINE): string {
  if (line.length <= max) return line;
  return `${line.slice(0, max - LINE_END - 1).toWellFormed()}…${line.slice(-LINE_END).toWellFormed()}`;
}

/** The URL of the collection is in the last lines of the report. */
function shortenUrl(text: string, url: string): string {
  return text.startsWith(`${url}?`) ? text.slice(url.length) : text;
}

function summarize(report: ConformanceReport): string[] {
  const { url, pages, records, count, growths, retries, stopped } = report;
  const read =
    count === undefined ? formatCount(records, "record") : `${records} of ${formatCount(count, "record")}`;
  const growth = growths > 0 ? `, the collection grew ${formatCount(growths, "time")}` : "";
  const verdicts = Object.entries(countVerdicts(report)).map(([verdict, rules]) => `${rules} ${verdict}`);
  return [
    `${url}: ${formatCount(pages, "page")}, ${read}, ${formatCount(retries, "retry", "retries")}${growth}`,
    verdicts.join(", "),
    ...(stopped === undefined ? [] : [stopped]),
  ];
}

/** Escapes control characters of the service, which could change the terminal. */
function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Formats the report as JSON. docs/conformance.md describes it, and clients rely on the names of its properties. */
export function formatJson(report: ConformanceReport): string {
  const { url, count = null, pages, records, growths, retries, stopped = null, rules } = report;
  const verdicts = countVerdicts(report);
  return JSON.stringify({ url, count, pages, records, growths, retries, stopped, verdicts, rules }, null, 2);
}

/** How many rules have each verdict. */
export function countVerdicts({ rules }: ConformanceReport): Record<Verdict, number> {
  const verdicts = { pass: 0, fail: 0, "not seen": 0, "not shown": 0 };
  for (const { verdict } of rules) verdicts[verdict] += 1;
  return verdicts;
}

/** The heading of the specification that contains the rule. */
export function sectionOf({ rule }: RuleResult): string {
  return rule.replace(/( \d+|\..*)$/, "");
}
