import type { OptionValues } from "../faults/option-table.ts";
import type { PageChange } from "../faults/page-faults.ts";

/** How faults change the text of a body. A slow body is not changed. */
export const BODY_CHANGES = {
  cut: "cut off, because the connection closed",
  garbage: "replaced by invalid JSON",
  empty: "removed",
  html: "replaced by HTML",
};

/** Says how the text of a body has changed; undefined if it has not. */
export function describeBodyChange({ body }: OptionValues): string | undefined {
  return body === undefined || body === "slow" ? undefined : BODY_CHANGES[body];
}

/** Whether the change is that a record is missing. */
export function isMissingRecord({ field, to }: PageChange): boolean {
  return field === undefined && to === undefined;
}

/** Returns the path of what has changed in a page, as an id in HTML: `count`, `results.10` or `results.10.bicycles`. */
export function getPlace(change: PageChange): string {
  const { record, field } = change;
  const row = record === undefined ? [] : ["results", record - 1];
  return [...row, isMissingRecord(change) ? "missing" : field].filter((name) => name !== undefined).join(".");
}

/** Says where a page has changed, and how: `record 11, bicycles: missing, was 1`. */
export function nameChange(change: PageChange): string {
  const { option, record, field, to } = change;
  const place = [record === undefined ? "" : `record ${record}`, field ?? ""].filter((part) => part !== "");
  const hasNewValue = option !== "rows" && to !== undefined;
  const value = hasNewValue ? `${formatValue(to, change)}, ` : "";
  return `${place.join(", ")}: ${value}${describeChange(change)}`;
}

/** Says how a value, or for `rows` the whole record, has changed: `was 40614`. */
export function describeChange(change: PageChange): string {
  const { option, from, to } = change;
  if (option === "rows") return to === undefined ? `${from} is missing` : `${to} in place of ${from}`;
  if (from === undefined) return "added";
  const was = `was ${formatValue(from, change)}`;
  return to === undefined ? `missing, ${was}` : was;
}

function formatValue(value: unknown, { option }: PageChange): string {
  if (option !== "next" || value === null) return String(value);
  return `page ${new URL(String(value)).searchParams.get("page")}`;
}
