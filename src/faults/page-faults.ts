import { ROAD_USERS } from "../records/road-users.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";

/** A page that faults can change. What they remove stays as undefined, so that its place is known. */
export interface MutablePage {
  count: number;
  next: string | null;
  previous: string | null;
  results: Row[];
}

type Row = Record<string, unknown> | undefined;

/**
 * What an option has changed in a page. The place is the names and the index that lead to the value: `count`, `results.10` or
 * `results.10.bicycles`. A value that was added has no value before, and one that was removed has none after.
 */
export type PageChange = { place: string } & (
  | { option: "count" | "next" | "record"; before: unknown; after: unknown }
  | { option: "rows"; value: OptionValue<"rows">; before: Row; after: Row }
);

export function changesPage({ rows, count, next, record }: OptionValues): boolean {
  return [rows, count, next, record].some((value) => value !== undefined);
}

/** Changes a page. Returns what has changed: a page without a next page, for example, has no link to change. */
export function changePage(
  page: MutablePage,
  { rows, count, next, record }: OptionValues,
  draw: (purpose: string) => number,
): PageChange[] {
  const changes: (PageChange | undefined)[] = [];
  if (rows !== undefined) changes.push(changeRows(page, rows, draw("rows")));
  if (count !== undefined) changes.push(changeCount(page, count));
  if (next !== undefined) changes.push(changeNext(page, next));
  if (record !== undefined) changes.push(changeRecord(page, record, draw("record")));
  return changes.filter((change) => change !== undefined);
}

/** Formats a page as JSON, without what was removed. */
export function formatPage(page: MutablePage): string {
  return JSON.stringify({ ...page, results: page.results.filter((record) => record !== undefined) });
}

function changeCount(page: MutablePage, difference: number): PageChange {
  const before = page.count;
  page.count += difference;
  return { option: "count", place: "count", before, after: page.count };
}

/** @returns undefined if the records cannot change */
function changeRows(
  { results }: MutablePage,
  fault: OptionValue<"rows">,
  random: number,
): PageChange | undefined {
  if (results.length < 2) return undefined;
  if (fault === "swap") return swapRecords(results, random);
  const index = Math.floor(random * results.length);
  const before = results[index];
  const after = fault === "repeat" ? { ...results.at(index - 1) } : undefined;
  results[index] = after;
  return { option: "rows", value: fault, place: `results.${index}`, before, after };
}

/** Swaps two neighbors. Returns undefined if all records have the same timestamp. */
function swapRecords(records: Row[], random: number): PageChange | undefined {
  const isSwappable = (index: number) =>
    index + 1 < records.length && records[index]?.timestamp !== records[index + 1]?.timestamp;
  const choices = Array.from(records.keys()).filter(isSwappable);
  const index = choices[Math.floor(random * choices.length)];
  if (index === undefined) return undefined;
  const before = records[index];
  const after = records[index + 1];
  records[index] = after;
  records[index + 1] = before;
  return { option: "rows", value: "swap", place: `results.${index}`, before, after };
}

const PAGE_NUMBER = /(?<=[?&]page=)\d+/;

/** @returns undefined if there is no link */
function changeNext(page: MutablePage, fault: OptionValue<"next">): PageChange | undefined {
  const { next: before } = page;
  if (before === null) return undefined;
  // Replace only the page number, so that the encoding of the other parameters does not change.
  const move = (step: number) => before.replace(PAGE_NUMBER, (number) => String(Number(number) + step));
  const changes: Record<typeof fault, string | null> = { loop: move(-1), null: null, skip: move(1) };
  page.next = changes[fault];
  return { option: "next", place: "next", before, after: page.next };
}

/** @returns undefined if there is no record */
function changeRecord(
  { results }: MutablePage,
  fault: OptionValue<"record">,
  random: number,
): PageChange | undefined {
  const choices = results.flatMap((record, index) =>
    record === undefined ? [] : ROAD_USERS.map((field) => ({ record, index, field })),
  );
  const choice = choices[Math.floor(random * choices.length)];
  if (choice === undefined) return undefined;
  const { record, index, field } = choice;
  const changes: Record<typeof fault, [member: string, after: unknown]> = {
    float: [field, Number(record[field]) + 0.5],
    null: [field, null],
    missing: [field, undefined],
    extra: ["vans", 0],
    offset: ["timestamp", String(record.timestamp).replace("Z", "+00:00")],
  };
  const [member, after] = changes[fault];
  const before = record[member];
  record[member] = after;
  return { option: "record", place: `results.${index}.${member}`, before, after };
}
