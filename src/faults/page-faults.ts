import { ROAD_USERS } from "../records/road-users.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";

interface MutablePage {
  count: number;
  next: string | null;
  results: MutableRecord[];
}

type MutableRecord = Record<string, unknown>;

export function changesPage({ rows, count, next, record }: OptionValues): boolean {
  return [rows, count, next, record].some((value) => value !== undefined);
}

/** What an option has changed in the body of a response. */
export interface BodyChange {
  option: "rows" | "count" | "next" | "record" | "body";
  /** The index of the changed record, or of the one beside the change; undefined for a member of the page. */
  record?: number;
  /** The name of the changed member. */
  member?: string;
  /** A note for readers of the body, such as `was 40614`. */
  note: string;
}

/** Changes a page. Returns what has changed: a page without a next page, for example, has no link to change. */
export function changePage(
  page: MutablePage,
  { rows, count, next, record }: OptionValues,
  random: (purpose: string) => number,
): BodyChange[] {
  const changes: (BodyChange | undefined)[] = [];
  if (rows !== undefined) changes.push(changeRows(page, rows, random("rows")));
  if (count !== undefined) changes.push(changeCount(page, count));
  if (next !== undefined) changes.push(changeNext(page, next));
  if (record !== undefined) changes.push(changeRecord(page, record, random("record")));
  return changes.filter((change) => change !== undefined);
}

function changeCount(page: MutablePage, difference: number): BodyChange {
  const note = `was ${page.count}`;
  page.count += difference;
  return { option: "count", member: "count", note };
}

/** @returns undefined if the records cannot change */
function changeRows(
  { results }: MutablePage,
  fault: OptionValue<"rows">,
  random: number,
): BodyChange | undefined {
  if (results.length < 2) return undefined;
  if (fault === "swap") return swapRecords(results, random);
  const index = Math.floor(random * results.length);
  const { id } = results[index] ?? {};
  if (fault === "repeat") {
    const original = results.at(index - 1);
    results[index] = { ...original };
    return { option: "rows", record: index, note: `a copy of ${original?.id}, in place of ${id}` };
  }
  results.splice(index, 1);
  const isLast = index === results.length;
  if (isLast) return { option: "rows", record: index - 1, note: `${id} is missing after this record` };
  return { option: "rows", record: index, note: `${id} is missing before this record` };
}

/** @returns undefined if all records have the same timestamp */
function swapRecords(records: MutableRecord[], random: number): BodyChange | undefined {
  const positions = records.flatMap(({ timestamp }, index) =>
    index > 0 && timestamp !== records[index - 1]?.timestamp ? [index] : [],
  );
  const position = positions[Math.floor(random * positions.length)];
  if (position === undefined) return undefined;
  const moved = records.splice(position, 1);
  records.splice(position - 1, 0, ...moved);
  return { option: "rows", record: position - 1, note: "swapped with the next record" };
}

const PAGE_NUMBER = /(?<=[?&]page=)\d+/;

/** @returns undefined if there is no link */
function changeNext(page: MutablePage, fault: OptionValue<"next">): BodyChange | undefined {
  const { next } = page;
  if (next === null) return undefined;
  const [number] = PAGE_NUMBER.exec(next) ?? [];
  // Replace only the page number, so that the encoding of the other parameters does not change.
  const move = (step: number) => next.replace(PAGE_NUMBER, String(Number(number) + step));
  const changes: Record<typeof fault, string | null> = { loop: move(-1), null: null, skip: move(1) };
  page.next = changes[fault];
  return { option: "next", member: "next", note: `was page=${number}` };
}

/** @returns undefined if there is no record */
function changeRecord(
  { results }: MutablePage,
  fault: OptionValue<"record">,
  random: number,
): BodyChange | undefined {
  const choices = results.flatMap((record, index) => ROAD_USERS.map((field) => ({ record, index, field })));
  const choice = choices[Math.floor(random * choices.length)];
  if (choice === undefined) return undefined;
  const { record, index, field } = choice;
  const { timestamp, [field]: count } = record;
  const time = String(timestamp).replace("Z", "+00:00");
  const changes: Record<typeof fault, { fields: MutableRecord; member?: string; note: string }> = {
    float: { fields: { [field]: Number(count) + 0.5 }, member: field, note: `was ${count}` },
    null: { fields: { [field]: null }, member: field, note: `was ${count}` },
    missing: { fields: { [field]: undefined }, note: `${field} is missing, was ${count}` },
    extra: { fields: { vans: 0 }, member: "vans", note: "added" },
    offset: { fields: { timestamp: time }, member: "timestamp", note: `was ${timestamp}` },
  };
  const { fields, ...change } = changes[fault];
  Object.assign(record, fields);
  return { option: "record", record: index, ...change };
}
