import type { Examination } from "../examine.ts";
import type { Judged, Verdict } from "../tally.ts";
import { times } from "../wording.ts";

/** The heading of the specification under which a rule stands. */
export function nameSection({ rule }: Judged): string {
  return rule.replace(/( \d+|\..*)$/, "");
}

/** How many rules have each verdict. */
export function countVerdicts({ rules }: Examination): Record<Verdict, number> {
  const verdicts = { pass: 0, fail: 0, "not seen": 0, "not shown": 0 };
  for (const { verdict } of rules) verdicts[verdict] += 1;
  return verdicts;
}

/** What was walked and what came of it, in a few lines. */
export function summarise(examination: Examination): string[] {
  const { url, pages, records, count, growths, retries, stopped } = examination;
  const of = count === undefined ? "" : ` of ${count}`;
  const grown = growths > 0 ? `, the collection grew ${times(growths)}` : "";
  const verdicts = Object.entries(countVerdicts(examination)).map(
    ([verdict, rules]) => `${rules} ${verdict}`,
  );
  return [
    `${url}: ${pages} pages, ${records}${of} records, ${retries} retries${grown}`,
    verdicts.join(", "),
    ...(stopped === undefined ? [] : [stopped]),
  ];
}

/** Keeps what a service may have sent from doing anything to a terminal. */
export function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
