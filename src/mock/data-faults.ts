import { PAGE_SIZE } from "../records/page.ts";
import { ROAD_USERS } from "../records/record.ts";
import type { RandomSource } from "./decision.ts";
import type { MockOptions } from "./options.ts";

/** The options that change the content of a page. */
export const DATA_FAULTS = ["rows", "count", "next", "record"] as const;
export type DataFaults = { [K in (typeof DATA_FAULTS)[number]]?: MockOptions[K] };

type Fields = Record<string, unknown>;

interface Envelope extends Fields {
  count: number;
  next: string | null;
  results: Fields[];
}

/**
 * Changes the content of a page.
 * @param body the page as JSON
 * @returns the changed page, and which faults could be applied to it
 */
export async function changePage(
  body: string,
  faults: DataFaults,
  random: RandomSource,
): Promise<{ body: string; applied: string[] }> {
  const page: Envelope = JSON.parse(body);
  const { count, next, rows, record } = faults;
  const done = {
    count: count !== undefined,
    next: next !== undefined && changeNext(page, next),
    rows: rows !== undefined && changeRows(page, rows, await random("rows")),
    record: record !== undefined && changeRecord(page, record, await random("record")),
  };
  page.count += count ?? 0;
  return { body: JSON.stringify(page), applied: DATA_FAULTS.filter((name) => done[name]) };
}

function changeNext(page: Envelope, fault: NonNullable<MockOptions["next"]>): boolean {
  const { next } = page;
  if (next === null) return false;
  const url = new URL(next);
  const number = Number(url.searchParams.get("page"));
  const changes = {
    null: () => null,
    loop: () => writePage(next, number - 1),
    skip: () => writePage(next, number + 1),
    http: () => (url.protocol === "https:" ? next.replace(/^https/, "http") : next.replace(/^http/, "https")),
  };
  page.next = changes[fault]();
  return true;
}

/** Changes only the page number, so that the rest of the link stays as it was written. */
function writePage(link: string, page: number): string {
  return link.replace(/([?&]page=)\d+/, `$1${page}`);
}

function changeRows(page: Envelope, fault: NonNullable<MockOptions["rows"]>, random: number): boolean {
  const { results } = page;
  const index = Math.floor(random * results.length);
  if (results.length < 2) return false;
  if (fault === "drop") results.splice(index, 1);
  else if (fault === "repeat") results.splice(index, 1, { ...results.at(index - 1) });
  else return swapRows(results, random);
  return true;
}

/** Swaps two neighbours that have different timestamps. */
function swapRows(results: Fields[], random: number): boolean {
  const places = results.flatMap(({ timestamp }, index) =>
    index > 0 && timestamp !== results[index - 1]?.timestamp ? [index] : [],
  );
  const place = places[Math.floor(random * places.length)];
  if (place === undefined) return false;
  results.splice(place - 1, 2, ...results.slice(place - 1, place + 1).reverse());
  return true;
}

function changeRecord(page: Envelope, fault: NonNullable<MockOptions["record"]>, random: number): boolean {
  const { results } = page;
  const choice = Math.floor(random * PAGE_SIZE * ROAD_USERS.length);
  const field = ROAD_USERS[choice % ROAD_USERS.length] ?? "cars";
  const record = results[Math.floor(choice / ROAD_USERS.length) % results.length];
  if (record === undefined) return false;
  const changes = {
    float: () => Object.assign(record, { [field]: Number(record[field]) + 0.5 }),
    null: () => Object.assign(record, { [field]: null }),
    missing: () => delete record[field],
    extra: () => Object.assign(record, { vans: 0 }),
    offset: () => Object.assign(record, { timestamp: String(record.timestamp).replace("Z", "+00:00") }),
  };
  changes[fault]();
  return true;
}
