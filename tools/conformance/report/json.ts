import type { Examination } from "../examine.ts";
import { countVerdicts } from "./summary.ts";

/** The examination as JSON; docs/testing.md says what is in it. */
export function formatJson(examination: Examination): string {
  const { url, count, pages, records, growths, retries, stopped, rules } = examination;
  const verdicts = countVerdicts(examination);
  const told = {
    url,
    count: count ?? null,
    pages,
    records,
    growths,
    retries,
    stopped: stopped ?? null,
    verdicts,
    rules,
  };
  return JSON.stringify(told, null, 2);
}
