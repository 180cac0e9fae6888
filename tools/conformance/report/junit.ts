import type { Examination } from "../examine.ts";
import type { Judged } from "../tally.ts";
import { countVerdicts, nameSection } from "./summary.ts";

/** The examination as JUnit XML: a test case a rule; what is not seen or not shown is skipped. */
export function formatJunit(examination: Examination): string {
  const { fail, "not seen": notSeen, "not shown": notShown } = countVerdicts(examination);
  const { rules, url, stopped, count, pages, records, growths, retries } = examination;
  const properties = { ...(count === undefined ? {} : { count }), pages, records, growths, retries };
  const totals = attributes({
    tests: rules.length + 1,
    failures: fail,
    errors: stopped === undefined ? 0 : 1,
    skipped: notSeen + notShown,
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals}>`,
    `<testsuite${attributes({ name: `conformance of ${url}` })}${totals}>`,
    "<properties>",
    ...Object.entries(properties).map(([name, value]) => `<property${attributes({ name, value })}/>`),
    "</properties>",
    ...rules.map(writeCase),
    writeWalk(stopped),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function writeCase(judged: Judged): string {
  const { rule, sentence, verdict, evidence } = judged;
  const name = attributes({ classname: nameSection(judged), name: `${rule}: ${sentence}` });
  return `<testcase${name}>${writeOutcome(verdict, evidence)}</testcase>`;
}

function writeOutcome(verdict: Judged["verdict"], evidence: string[]): string {
  const text = escapeXml(evidence.join("\n"));
  if (verdict === "fail") return `<failure${attributes({ message: evidence[0] ?? "" })}>${text}</failure>`;
  if (verdict === "pass") return `<system-out>${text}</system-out>`;
  return `<skipped${attributes({ message: [verdict, ...evidence].join(": ") })}/>`;
}

/** A walk that ended early is no rule that was broken. */
function writeWalk(stopped: string | undefined): string {
  const error = stopped === undefined ? "" : `<error${attributes({ message: stopped })}/>`;
  return `<testcase${attributes({ classname: "Walk", name: "The walk came to its end" })}>${error}</testcase>`;
}

function attributes(values: Record<string, string | number>): string {
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

/** Text of XML 1.0. Characters that it cannot hold (2.2) are written as in JSON. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return ENTITIES[character] ?? `\\u${code}`;
  });
}
