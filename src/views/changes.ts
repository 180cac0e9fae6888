import type { AppliedOptions } from "../faults/applied-options.ts";
import { changesBody } from "../faults/body-faults.ts";
import type { OptionValues } from "../faults/option-table.ts";
import type { PageChange } from "../faults/page-faults.ts";

/** How faults change the text of a body. */
const BODY_CHANGES = {
  cut: "cut off, because the connection closed",
  garbage: "replaced by invalid JSON",
  empty: "removed",
  html: "replaced by HTML",
};

/** Says how the text of a body has changed; undefined if it has not. */
export function describeBodyChange({ body }: OptionValues): string | undefined {
  return changesBody(body) ? BODY_CHANGES[body] : undefined;
}

/** Lists what faults have changed, and the id of the element that shows it. In a body that is cut or replaced, only that is certain. */
export function listChanges({ options, changes }: AppliedOptions) {
  const ofBody = describeBodyChange(options);
  if (ofBody !== undefined) return [{ option: "body", id: "body", text: `body: ${ofBody}` }];
  return changes.map((change) => ({ option: change.option, id: getId(change), text: nameChange(change) }));
}

/** Whether a change is that a record is missing. */
export function isMissingRecord({ field, to }: PageChange): boolean {
  return field === undefined && to === undefined;
}

/** Returns the names and the index that lead to what has changed in a page, as in the lines of its JSON. */
export function getPath({ record, field }: PageChange): string[] {
  const row = record === undefined ? [] : ["results", String(record - 1)];
  return field === undefined ? row : [...row, field];
}

/** Returns the id of the element that shows a change: `results-10-bicycles`. */
export function getId(change: PageChange): string {
  return getPath(change).join("-");
}

/** Says where a page has changed, and how: `record 11, bicycles: missing, was 1`. */
export function nameChange(change: PageChange): string {
  const { option, record, field, to } = change;
  const place = record === undefined ? [] : [`record ${record}`];
  if (field !== undefined) place.push(field);
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
