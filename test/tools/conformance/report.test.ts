import { describe, expect, test } from "vitest";
import type { ConformanceReport } from "../../../tools/conformance/check.ts";
import { escapeXml } from "../../../tools/conformance/junit.ts";
import { formatTable, paintTerminal } from "../../../tools/conformance/report.ts";
import type { RuleResult, Verdict } from "../../../tools/conformance/rule.ts";
import { createWalkResult } from "../../../tools/conformance/walked-page.ts";

const URL = "http://counts.example/api/tf1/records/";

function makeResult(rule: string, verdict: Verdict, ...evidence: string[]): RuleResult {
  return { rule, also: [], sentence: "Something is so", verdict, kept: 1, broken: 2, evidence };
}

function makeReport(...rules: RuleResult[]): ConformanceReport {
  const result = { ...createWalkResult(), pages: 1, records: 2, growths: 2 };
  return { url: URL, count: 2, retries: 0, ...result, rules };
}

describe("the table", () => {
  const report = makeReport(
    makeResult("Record.id", "fail", `${URL}?format=api&page=1 record 7: \u001B[31m\u009B1m`),
    makeResult("Record 1", "pass", `${URL}?format=api&page=1 record 7`),
    makeResult("List records 1", "not seen"),
    makeResult("List records 2", "not seen", "It may be so"),
    makeResult("Events", "not shown"),
    makeResult("Limits.others", "not shown", "429 was returned 1 time"),
  );

  test("has one line for each rule, by section, and no control characters from the service", () => {
    expect(formatTable(report, (_, text) => text).split("\n")).toEqual([
      "Record",
      "  fail       Record.id                 Something is so: broken 2 of 3 times",
      "             ?format=api&page=1 record 7: \\u001b[31m\\u009b1m",
      "  pass       Record 1                  Something is so: kept 1 time, first at ?format=api&page=1 record 7",
      "",
      "List records",
      "  not seen   List records 1            Something is so: no response shows it",
      "  not seen   List records 2            Something is so: unclear, It may be so",
      "",
      "Events",
      "  not shown  Events                    Something is so: nothing was observed",
      "",
      "Limits",
      "  not shown  Limits.others             Something is so: 429 was returned 1 time",
      "",
      "  pass       the rule was kept every time",
      "  fail       the rule was broken at least once",
      "  not seen   no response shows whether the rule is kept",
      "  not shown  the specification says nothing about it, so this is only what the service does",
      "  docs/specification.md explains each rule.",
      "",
      `${URL}: 1 page, 2 of 2 records, 0 retries, the collection grew 2 times`,
      "1 pass, 1 fail, 2 not seen, 2 not shown",
    ]);
  });

  test("has no line longer than 300 characters, and a shortened line shows the end of its link", () => {
    const link = `https://counts.example/${"x".repeat(5_000)}?page=7`;
    const long = makeReport(
      makeResult("Record.id", "fail", link),
      makeResult("Record 1", "not shown", link),
      makeResult("Record 2", "pass", `${link} record 7`),
    );
    const lines = formatTable({ ...long, stopped: link }, (_, text) => text).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBe(300);
    expect(lines.filter((line) => line.includes("…")).every((line) => line.includes("?page=7"))).toBe(true);
    expect(lines.filter((line) => line.includes("…"))).toHaveLength(4);
  });

  test("colours only the verdicts", () => {
    const painted = formatTable(report, (style, text) => `<${style} ${text.trim()}>`);
    expect(new Set(painted.match(/<.*?>/g))).toEqual(
      new Set(["<red fail>", "<green pass>", "<yellow not seen>", "<gray not shown>"]),
    );
  });

  test("has no colours if standard output is not a terminal", () => {
    expect(process.stdout.isTTY).toBeFalsy();
    expect(formatTable(report, paintTerminal)).not.toContain("\u001B");
  });
});

test.each([
  ["a < b & c > \"d\" 'e'", "a &lt; b &amp; c &gt; &quot;d&quot; 'e'"],
  ["\t\n\r", "&#9;&#10;&#13;"],
  ["\u0000\u0007\u001B\u007F\u0085\u009B", "\\u0000\\u0007\\u001b\\u007f\\u0085\\u009b"],
  ["\uD800 \uDC00 \uFFFE \uFFFF", "\\ud800 \\udc00 \\ufffe \\uffff"],
  ["Größe 🚲", "Größe 🚲"],
])("%j is written as %j in XML", (text, expected) => {
  expect(escapeXml(text)).toBe(expected);
});
