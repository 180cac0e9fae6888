import { ROAD_USERS } from "../records/road-users.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";
import type { RandomSource } from "./random.ts";

interface MutablePage {
  count: number;
  next: string | null;
  results: MutableRecord[];
}

type MutableRecord = Record<string, unknown>;

export function changesPage({ rows, count, next, record }: OptionValues): boolean {
  return [rows, count, next, record].some((value) => value !== undefined);
}

/** Changes a page. Returns the options that have changed it: a page without a next page, for example, has no link to change. */
export function changePage(
  page: MutablePage,
  { rows, count, next, record }: OptionValues,
  random: RandomSource,
): OptionValues {
  const applied: OptionValues = {};
  if (rows !== undefined && changeRows(page, rows, random("rows"))) applied.rows = rows;
  if (count !== undefined) {
    page.count += count;
    applied.count = count;
  }
  if (next !== undefined && changeNext(page, next)) applied.next = next;
  if (record !== undefined && changeRecord(page, record, random("record"))) applied.record = record;
  return applied;
}

/** @returns whether the records have changed */
function changeRows({ results }: MutablePage, fault: OptionValue<"rows">, random: number): boolean {
  if (results.length < 2) return false;
  if (fault === "swap") return swapRecords(results, random);
  const index = Math.floor(random * results.length);
  const copies = fault === "repeat" ? [{ ...results.at(index - 1) }] : [];
  results.splice(index, 1, ...copies);
  return true;
}

function swapRecords(records: MutableRecord[], random: number): boolean {
  const positions = records.flatMap(({ timestamp }, index) =>
    index > 0 && timestamp !== records[index - 1]?.timestamp ? [index] : [],
  );
  const position = positions[Math.floor(random * positions.length)];
  if (position === undefined) return false;
  const moved = records.splice(position, 1);
  records.splice(position - 1, 0, ...moved);
  return true;
}

/** @returns whether the link has changed */
function changeNext(page: MutablePage, fault: OptionValue<"next">): boolean {
  const { next } = page;
  if (next === null) return false;
  // Replace only the page number, so that the encoding of the other parameters does not change.
  const move = (step: number) => next.replace(/(?<=[?&]page=)\d+/, (number) => String(Number(number) + step));
  const changes: Record<typeof fault, string | null> = { loop: move(-1), null: null, skip: move(1) };
  page.next = changes[fault];
  return true;
}

/** @returns whether a record has changed */
function changeRecord({ results }: MutablePage, fault: OptionValue<"record">, random: number): boolean {
  const choices = results.flatMap((record) => ROAD_USERS.map((field) => ({ record, field })));
  const choice = choices[Math.floor(random * choices.length)];
  if (choice === undefined) return false;
  const { record, field } = choice;
  const changes: Record<typeof fault, MutableRecord> = {
    float: { [field]: Number(record[field]) + 0.5 },
    null: { [field]: null },
    missing: { [field]: undefined },
    extra: { vans: 0 },
    offset: { timestamp: String(record.timestamp).replace("Z", "+00:00") },
  };
  Object.assign(record, changes[fault]);
  return true;
}
