import { escapeUnit } from "../escape.ts";
import { type Counts, NO_COUNTS } from "../records/road-users.ts";
import type { Block } from "./block.ts";
import type { MaybeSnapshot } from "./snapshot.ts";
import { requireBlock, requireBlocks, type Store } from "./store.ts";

/**
 * A day in UTC (`YYYY-MM-DD`): how many records it has, how many of them have `camera_ok` `False` and how many null, and how many road
 * users they counted. A tuple keeps the JSON of thousands of days short.
 */
export type Day = [date: string, records: number, failing: number, unknown: number, roadUsers: number];

/** A day of which only the oldest records count. Nothing else is known of them without reading them. */
export type PartialDay = [date: string, records: number, failing: null, unknown: null, roadUsers: null];

/** An hour of the day in UTC: how many records and counted road users, without records with `camera_ok` `False`. */
export type Hour = [records: number, roadUsers: number];

/** A summary of records, stored with them, so that no request has to read all of them. */
export interface RecordStatistics {
  /** Timestamps of the oldest and of the newest record; null in an empty collection. */
  first: string | null;
  last: string | null;
  cameras: number;
  /** Sums of the counts; no longer exact above 2^53. */
  totals: Counts;
  /** The days that have records, oldest first. */
  days: Day[];
  /** The 24 hours from 0 to 23 of Monday to Friday, and of Saturday and Sunday. */
  hours: { weekdays: Hour[]; weekends: Hour[] };
}

/** The statistics of a snapshot: a summary of its records, and what they are. */
export interface Statistics extends RecordStatistics {
  /** A hash of the records. Two snapshots with the same hash have the same records. Null if nothing was ever loaded. */
  records_hash: string | null;
  /** The sources of the records: names of files, or the source that a user stated. At most twenty. */
  sources: string[];
  /** How many sources there are, including those that are not listed. */
  source_count: number;
}

/** The statistics if nothing was ever loaded. */
export const NO_STATISTICS: Statistics = {
  first: null,
  last: null,
  cameras: 0,
  totals: NO_COUNTS,
  days: [],
  hours: { weekdays: [], weekends: [] },
  records_hash: null,
  sources: [],
  source_count: 0,
};

/** Selects the days of the oldest records. Both lists have the oldest day first, and the newest day can be partial. */
export function selectOldestDays(days: Day[], count: number): (Day | PartialDay)[] {
  let left = count;
  for (const [index, [date, records]] of days.entries()) {
    if (left === 0) return days.slice(0, index);
    if (left < records) return [...days.slice(0, index), [date, left, null, null, null]];
    left -= records;
  }
  return days;
}

/** The maximum length of a block of statistics, because D1 rejects statements of more than 100 KB. */
const MAX_BLOCK_BYTES = 80_000;

/**
 * Encodes the statistics of a snapshot as the blocks 0, -1, -2, ... Block 0 begins with a line that says how many there are. The JSON is
 * ASCII without apostrophes, so that each character is one byte even in an SQL statement.
 */
export function encodeStatistics(statistics: Statistics): Block[] {
  const json = JSON.stringify(statistics).replaceAll(/['\u0080-\uffff]/g, escapeUnit);
  const count = Math.ceil(json.length / MAX_BLOCK_BYTES);
  return listBlockNumbers(count).map((number, index) => {
    const part = json.slice(MAX_BLOCK_BYTES * index, MAX_BLOCK_BYTES * (index + 1));
    return { number, text: index === 0 ? `${count}\n${part}` : part };
  });
}

/**
 * Reads the statistics of a snapshot in at most two steps.
 * @throws MissingBlockError if a block of them is missing
 * @throws Error if block 0 does not say how many blocks there are
 */
export async function readStatistics(store: Store, snapshot: MaybeSnapshot): Promise<Statistics> {
  if (snapshot.id === null) return NO_STATISTICS;
  const [, count, first] = /^(\d+)\n(.*)$/.exec(await requireBlock(store, snapshot, 0)) ?? [];
  if (first === undefined)
    throw new Error(`The statistics of snapshot ${snapshot.id} are damaged. Load the records again.`);
  const [, ...numbers] = listBlockNumbers(Number(count));
  const others = numbers.length > 0 ? await requireBlocks(store, snapshot, numbers) : [];
  return JSON.parse(first + others.map(({ text }) => text).join(""));
}

/** Lists the numbers of the blocks of statistics: 0, -1, ... */
function listBlockNumbers(count: number): number[] {
  // Not `-index`, which is -0 for the first.
  return Array.from({ length: count }, (_, index) => 0 - index);
}
