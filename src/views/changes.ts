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

/** Says where a page has changed, and how: `record 11, bicycles: missing, was 1`. */
export function nameChange(change: PageChange): string {
  const [name, index, ...member] = change.place.split(".");
  const place = index === undefined ? name : [`record ${Number(index) + 1}`, ...member].join(", ");
  const hasNewValue = change.option !== "rows" && change.after !== undefined;
  const value = hasNewValue ? `${formatValue(change.after, change)}, ` : "";
  return `${place}: ${value}${describeChange(change)}`;
}

/** Says how a value has changed: `was 40614`. */
export function describeChange(change: PageChange): string {
  const { before, after } = change;
  if (change.option === "rows") {
    if (change.value === "swap") return "swapped with the next record";
    const id = change.before?.id;
    return change.after === undefined
      ? `${id} is missing`
      : `a copy of ${change.after.id}, in place of ${id}`;
  }
  if (before === undefined) return "added";
  const was = `was ${formatValue(before, change)}`;
  return after === undefined ? `missing, ${was}` : was;
}

function formatValue(value: unknown, { option }: PageChange): string {
  if (option !== "next" || value === null) return String(value);
  return `page ${new URL(String(value)).searchParams.get("page")}`;
}
