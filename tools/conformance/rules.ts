import { COLLECTION_PATH, PAGE_SIZE } from "../../src/records/page.ts";
import { ROAD_USERS } from "../../src/records/record.ts";

/**
 * The rules of the specification, from the outside in. If a defect breaks several rules, the first of them is its cause:
 * without its last page, a collection also has too few records.
 */
export const RULES: Record<string, string> = {
  "List records.status": `The status of a page is 200, with GET of ${COLLECTION_PATH}`,
  "List records.Content-Type": "Content-Type is application/json, without parameters",
  "List records.body": "The body is a page envelope in JSON",
  "List records.Allow": "Allow is GET, OPTIONS; no response advertises another method",
  "List records.Vary": "Vary includes Accept",
  "Options.method": "OPTIONS is allowed, and its response has Allow",
  "Page envelope.results": "results is an array with the records of the page",
  "List records.page": "page is the number of the page, from 1",
  "List records 1": `A page has ${PAGE_SIZE} records; only the last page may have fewer`,
  "Record.id": "id is an integer, and no two records have the same one",
  "Page envelope.count": "count is an integer, the number of records in the whole collection",
  "List records 5": "All pages of one state of the collection have the same count",
  "List records.page default": "Without page, the response is page 1",
  "Page envelope.next": "next is the absolute URL of the following page",
  "Page envelope.previous": "previous is the absolute URL of the page before",
  "Record 1": "Each record has all twelve fields",
  "Record.camera_pk": "camera_pk is an integer",
  "Record.camera_ref": "camera_ref is a string, not a blank one",
  "Record.timestamp": "timestamp is a date-time in UTC, YYYY-MM-DDThh:mm:ssZ",
  ...Object.fromEntries(ROAD_USERS.map((name) => [`Record.${name}`, `${name} is an integer, 0 or greater`])),
  "Record.camera_ok": 'camera_ok is "True", null, or "False" with counts of 0',
  "Record.model_name": 'model_name is "tf1"',
  "States 1": "A record has no field state",
  "Record 4": "Records with the same camera_pk have the same camera_ref",
  "Record 2": "A camera has one record for each time of observation",
  "List records 2": "The newest records come first, by timestamp",
  "List records 4": "camera_ok is null only in older records",
  "Record 5": "Requests that would write are refused and change nothing",
};

/** How many findings of each kind are kept as evidence. */
const MAX_EVIDENCE = 3;

/** A part of the JSON report, so the names of its properties are public. */
export type RuleResult = ReturnType<ReturnType<typeof createJudge>["list"]>[number];

/**
 * Judges what is seen of a rule.
 * @param where the URL and the part of the response, for the evidence
 * @param finding true if the rule is kept; otherwise a text that says how it is broken, or why that is unclear
 */
export type Judge = (rule: string, where: string, finding: true | string, isUnclear?: boolean) => void;

/** Counts how many times each rule was kept and broken. */
export function createJudge() {
  const counts = { kept: 0, broken: 0, unclear: 0 };
  const results = new Map(
    Object.entries(RULES).map(([rule, sentence]) => [
      rule,
      { rule, sentence, ...counts, evidence: [] as string[] },
    ]),
  );
  const judge: Judge = (rule, where, finding, isUnclear = false) => {
    const result = results.get(rule);
    if (result === undefined) throw new Error(`There is no rule ${rule}.`);
    if (finding === true) result.kept += 1;
    else if (++result[isUnclear ? "unclear" : "broken"] <= MAX_EVIDENCE)
      result.evidence.push(`${where}: ${finding}`);
  };
  const list = () =>
    Array.from(results.values(), ({ unclear, ...result }) => {
      // `not seen`: nothing shows whether the rule is kept, or it is unclear.
      const shown = result.kept > 0 && unclear === 0 ? "pass" : "not seen";
      const verdict = result.broken > 0 ? "fail" : shown;
      return { ...result, verdict } as const;
    });
  return { judge, list };
}
