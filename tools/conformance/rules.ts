import { COLLECTION_PATH } from "../../src/http/links.ts";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { formatValue } from "../messages.ts";

const COUNT = "an integer, 0 or greater";

/** What the rules expect, by their names in the specification. The first broken rule is usually the cause of the others. */
const EXPECTED = {
  "List records.Path": `${COLLECTION_PATH}; a redirect to it keeps the query`,
  "List records.Success status": "200",
  "List records.Content-Type": "application/json, without parameters",
  "List records.Response body": "a page envelope in JSON",
  "List records.Allow": "GET, OPTIONS; no other method in any response",
  "List records.Vary": "a list with Accept",
  Options: "a successful response with Allow",
  "Page envelope.results": "an array of records",
  "Page envelope.count": "an integer, the number of records in the collection",
  "List records.page": "the number of a page, from 1; page 1 if it is absent",
  "List records.format": "page 1 or an error, if format is absent or json",
  "List records 1": `${PAGE_SIZE} records; only the last page may have fewer`,
  "Page envelope.next": "the absolute URL of the following page",
  "Page envelope.previous": "the absolute URL of the preceding page",
  "Record 1": "all twelve fields",
  "Record.camera_pk": "an integer",
  "Record.camera_ref": "a string that is not blank",
  "Record.timestamp": "a date-time in UTC, YYYY-MM-DDThh:mm:ssZ",
  "Record.camera_ok": '"True", null, or "False" with counts of 0',
  "Record.cars": COUNT,
  "Record.persons": COUNT,
  "Record.bicycles": COUNT,
  "Record.trucks": COUNT,
  "Record.motorcycles": COUNT,
  "Record.buses": COUNT,
  "Record.model_name": '"tf1"',
  "Record 2": "one record of a camera for each timestamp",
  "Record 4": "one camera_ref for each camera_pk",
  "Record 5": "POST, PUT, PATCH and DELETE are rejected",
  States: "no field state",
  "List records 2": "the newest records first, by timestamp",
  "List records 4": "camera_ok is null only in older records",
  "List records 5": "the same count on all pages",
  "RFC 9110.If-None-Match": "304 if the ETag is the same",
  "Record.id": "an integer that no other record has",
};
export type Rule = keyof typeof EXPECTED;

export type Table = ReturnType<typeof createTable>;

interface Result {
  checked: number;
  failed: number;
  /** What was asked, expected and received, for the first deviations. */
  deviations: Record<"rule" | "asked" | "expected" | "received", string>[];
}

/** How many deviations from a rule are kept and shown. There can be millions. */
const MAX_DEVIATIONS = 3;

export function createTable() {
  const results = new Map<string, Result>();
  /**
   * Returns a function that records whether the response to a request follows a rule. What was received can be a function, because a
   * value may be long and is seldom shown.
   */
  const at = (asked: string) => {
    return (
      rule: Rule,
      isFollowed: boolean,
      received: string | (() => string),
      expected: string = EXPECTED[rule],
    ): void => {
      const result = results.get(rule) ?? { checked: 0, failed: 0, deviations: [] };
      results.set(rule, result);
      result.checked += 1;
      if (isFollowed) return;
      result.failed += 1;
      if (result.deviations.length === MAX_DEVIATIONS) return;
      const shown = typeof received === "string" ? received : received();
      result.deviations.push({ rule, asked, expected, received: shown });
    };
  };
  return { results, at };
}

export function hasDeviations({ results }: Table): boolean {
  return [...results.values()].some(({ failed }) => failed > 0);
}

/** Lists all rules, with the first deviations from each. */
export function listRules(tables: Table[]) {
  return Object.entries(EXPECTED).map(([rule, expected]) => {
    const results = tables.flatMap((table) => table.results.get(rule) ?? []);
    const sum = (name: "checked" | "failed") => results.reduce((sum, result) => sum + result[name], 0);
    const deviations = results.flatMap((result) => result.deviations).slice(0, MAX_DEVIATIONS);
    return { rule, expected, checked: sum("checked"), failed: sum("failed"), deviations };
  });
}

export const show = (value: unknown) => formatValue(value, 200);
