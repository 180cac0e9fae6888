import { styleText } from "node:util";
import type { Examination } from "../examine.ts";
import type { Judged, Verdict } from "../tally.ts";
import { times } from "../wording.ts";
import { escapeControls, nameSection, summarise } from "./summary.ts";

const STYLES = { pass: "green", fail: "red", "not seen": "yellow", "not shown": "gray" } as const;

/** Adds colour to a text. */
export type Paint = (style: (typeof STYLES)[Verdict], text: string) => string;

/** Colours where standard output is a terminal that wants them (NO_COLOR), whatever FORCE_COLOR says elsewhere. */
export const paintTerminal: Paint = (style, text) =>
  process.stdout.isTTY ? styleText(style, text, { stream: process.stdout }) : text;

/** The examination as a person reads it: a line a rule, by the sections of the specification. */
export function formatTable(examination: Examination, paint: Paint): string {
  const lines: string[] = [];
  let section = "";
  for (const judged of examination.rules) {
    if (nameSection(judged) !== section) {
      section = nameSection(judged);
      lines.push("", section);
    }
    lines.push(...formatRule(judged, examination.url, paint));
  }
  return [...lines.slice(1), "", ...summarise(examination).map(escapeControls)].join("\n");
}

function formatRule(judged: Judged, url: string, paint: Paint): string[] {
  const { rule, also, verdict, sentence, kept, broken } = judged;
  const evidence = judged.evidence.map((text) => escapeControls(shorten(text, url)));
  const [first = ""] = evidence;
  const others = also.length === 0 ? "" : ` (also ${also.join(", ")})`;
  const row = (text: string) =>
    `  ${paintVerdict(verdict, paint)} ${rule.padEnd(25)} ${text}${others}`.trimEnd();
  if (verdict === "fail") {
    const more = evidence.map((text) => `${" ".repeat(13)}${text}`);
    return [row(`broken ${broken} of ${broken + kept} times: ${sentence}`), ...more];
  }
  return [row(verdict === "pass" ? `${times(kept)}, first ${first}` : evidence.join("; "))];
}

function paintVerdict(verdict: Verdict, paint: Paint): string {
  return paint(STYLES[verdict], verdict.padEnd(10));
}

/** The address of the collection stands below already. */
function shorten(text: string, url: string): string {
  return text.startsWith(`${url}?`) ? text.slice(url.length) : text;
}
