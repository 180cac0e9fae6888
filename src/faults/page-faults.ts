import { ROAD_USERS } from "../records/road-users.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";

/** A page that faults can change. A field that they remove stays as undefined, so that the HTML view can show where it was. */
export interface ChangedPage {
  count: number;
  next: string | null;
  previous: string | null;
  results: Row[];
}

type Row = { id: number; timestamp: string; [field: string]: unknown };

/** What an option changed in a page. */
export interface PageChange {
  option: "rows" | "count" | "next" | "record";
  /** The number of the record in the page that is sent, from 1. For a dropped record, its number before. */
  record?: number;
  /** The `id` of this record, if a field of it changed. */
  id?: number;
  /** The field that changed, of the record or of the page. Missing for `rows`, which changes whole records. */
  field?: string;
  /** The value before, for `rows` the `id` of a record. Missing if the field was added. */
  from?: unknown;
  /** The value that is sent, for `rows` the `id` of a record. Missing if the field or the record was removed. */
  to?: unknown;
}

export function changesPage({ rows, count, next, record }: OptionValues): boolean {
  return [rows, count, next, record].some((value) => value !== undefined);
}

/** Changes a page. Returns what has changed: a page without a next page, for example, has no link to change. */
export function changePage(
  page: ChangedPage,
  { rows, count, next, record }: OptionValues,
  draw: (purpose: string) => number,
): PageChange[] {
  const changes: PageChange[] = [];
  if (rows !== undefined) changes.push(...changeRows(page.results, rows, draw("rows")));
  if (count !== undefined) changes.push(changeCount(page, count));
  if (next !== undefined) changes.push(...changeNext(page, next));
  // After the rows, so that its record has the number that it is sent with.
  if (record !== undefined) changes.push(...changeRecord(page.results, record, draw("record")));
  return changes;
}

/** Removes a record, replaces it with a copy of another, or swaps two. */
function changeRows(records: Row[], fault: OptionValue<"rows">, random: number): PageChange[] {
  if (fault === "swap") return swapRecords(records, random);
  const index = Math.floor(random * records.length);
  const record = records[index];
  if (record === undefined) return [];
  const change: PageChange = { option: "rows", record: index + 1, from: record.id };
  if (fault === "drop") {
    records.splice(index, 1);
    return [change];
  }
  // The record before or, for the first one, the last.
  const other = records.at(index - 1);
  if (other === undefined || other === record) return [];
  records[index] = { ...other };
  return [{ ...change, to: other.id }];
}

/** Swaps two neighbors with different timestamps, if there are any. */
function swapRecords(records: Row[], random: number): PageChange[] {
  const pairs = records.flatMap((first, index) => {
    const second = records[index + 1];
    return second === undefined || first.timestamp === second.timestamp ? [] : [{ index, first, second }];
  });
  const pair = pairs[Math.floor(random * pairs.length)];
  if (pair === undefined) return [];
  const { index, first, second } = pair;
  records.splice(index, 2, second, first);
  return [
    { option: "rows", record: index + 1, from: first.id, to: second.id },
    { option: "rows", record: index + 2, from: second.id, to: first.id },
  ];
}

function changeCount(page: ChangedPage, difference: number): PageChange {
  const from = page.count;
  page.count += difference;
  return { option: "count", field: "count", from, to: page.count };
}

const PAGE_NUMBER = /(?<=[?&]page=)\d+/;

/** Changes the link to the next page, if there is one. */
function changeNext(page: ChangedPage, fault: OptionValue<"next">): PageChange[] {
  const { next: from } = page;
  if (from === null) return [];
  // Replace only the page number, so that the encoding of the other parameters does not change.
  const move = (step: number) => from.replace(PAGE_NUMBER, (number) => String(Number(number) + step));
  const links: Record<typeof fault, string | null> = { loop: move(-1), null: null, skip: move(1) };
  page.next = links[fault];
  return [{ option: "next", field: "next", from, to: page.next }];
}

/** Changes a field of a record, if there is one. */
function changeRecord(records: Row[], fault: OptionValue<"record">, random: number): PageChange[] {
  const choices = records.flatMap((row, index) => ROAD_USERS.map((counted) => ({ row, index, counted })));
  const choice = choices[Math.floor(random * choices.length)];
  if (choice === undefined) return [];
  const { row, index, counted } = choice;
  const values: Record<typeof fault, [field: string, to: unknown]> = {
    float: [counted, Number(row[counted]) + 0.5],
    null: [counted, null],
    missing: [counted, undefined],
    extra: ["vans", 0],
    offset: ["timestamp", row.timestamp.replace("Z", "+00:00")],
  };
  const [field, to] = values[fault];
  const change: PageChange = { option: "record", record: index + 1, id: row.id, field };
  if (row[field] !== undefined) change.from = row[field];
  if (to !== undefined) change.to = to;
  row[field] = to;
  return [change];
}
