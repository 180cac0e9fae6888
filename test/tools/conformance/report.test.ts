import { describe, expect, test } from "vitest";
import type { Examination } from "../../../tools/conformance/examine.ts";
import { escapeXml } from "../../../tools/conformance/report/junit.ts";
import { formatTable, paintTerminal } from "../../../tools/conformance/report/table.ts";
import type { Judged, Verdict } from "../../../tools/conformance/tally.ts";

const URL = "http://counts.example/api/tf1/records/";

function judged(rule: string, verdict: Verdict, ...evidence: string[]): Judged {
  return { rule, also: [], sentence: "Something is so", verdict, kept: 1, broken: 2, evidence };
}

function examined(...rules: Judged[]): Examination {
  const walked = {
    pages: 1,
    records: 2,
    growths: 2,
    contradictory: false,
    doubtful: false,
    regular: true,
    last: 1,
    stopped: undefined,
  };
  return { url: URL, count: 2, retries: 0, ...walked, rules };
}

describe("the table", () => {
  const examination = examined(
    judged("Record.id", "fail", `${URL}?format=api&page=1 record 7: \u001B[31m\u009B1m`),
    judged("Record 1", "pass", `${URL}?format=api&page=1 record 7`),
    judged("List records 1", "not seen"),
    judged("Limits.others", "not shown", "429 was answered once"),
  );

  test("has a line a rule, by sections, and no control characters of the service", () => {
    expect(formatTable(examination, (_, text) => text).split("\n")).toEqual([
      "Record",
      "  fail       Record.id                 broken 2 of 3 times: Something is so",
      "             ?format=api&page=1 record 7: \\u001b[31m\\u009b1m",
      "  pass       Record 1                  once, first ?format=api&page=1 record 7",
      "",
      "List records",
      "  not seen   List records 1",
      "",
      "Limits",
      "  not shown  Limits.others             429 was answered once",
      "",
      `${URL}: 1 pages, 2 of 2 records, 0 retries, the collection grew 2 times`,
      "1 pass, 1 fail, 1 not seen, 1 not shown",
    ]);
  });

  test("has colours, of the verdicts alone", () => {
    const painted = formatTable(examination, (style, text) => `<${style} ${text.trim()}>`);
    expect(painted.match(/<.*?>/g)).toEqual([
      "<red fail>",
      "<green pass>",
      "<yellow not seen>",
      "<gray not shown>",
    ]);
  });

  test("has none where standard output is no terminal", () => {
    expect(process.stdout.isTTY).toBeFalsy();
    expect(formatTable(examination, paintTerminal)).not.toContain("\u001B");
  });
});

test.each([
  ["a < b & c > \"d\" 'e'", "a &lt; b &amp; c &gt; &quot;d&quot; 'e'"],
  ["\t\n\r", "&#9;&#10;&#13;"],
  ["\u0000\u0007\u001B\u007F\u0085\u009B", "\\u0000\\u0007\\u001b\\u007f\\u0085\\u009b"],
  ["\uD800 \uDC00 \uFFFE \uFFFF", "\\ud800 \\udc00 \\ufffe \\uffff"],
  ["Größe 🚲", "Größe 🚲"],
])("%j is %j in XML", (text, expected) => {
  expect(escapeXml(text)).toBe(expected);
});
