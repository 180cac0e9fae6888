import { type Counts, ROAD_USERS } from "../../records/road-users.ts";
import type { Day } from "../../records/statistics.ts";

/** The values of `camera_ok`, as names. */
export const HEALTH = ["True", "False", "null"] as const;
export type Health = (typeof HEALTH)[number];

/** The statistics of consecutive days. The first and the last day are included; both are `YYYY-MM-DD` in UTC. */
export interface Period {
  first: string;
  last: string;
  /** The number of its days that have records. */
  days: number;
  records: number;
  camera_ok: Record<Health, number>;
  totals: Counts;
}

/** The whole time of the collection in periods. */
export interface Periods {
  /** The length of a period in days, including days without records. */
  period_days: number;
  /** Oldest first. */
  periods: Period[];
}

/** Consecutive days without records. The first and the last day are included. */
export type Gap = Pick<Period, "first" | "last">;

/** A chart cannot show more periods, and a page should not contain more. */
const MOST_PERIODS = 60;

/** The possible lengths of a period in days: a day, a week, four weeks, and so on. With the longest, 60 periods always suffice. */
const LENGTHS = [1, 7, 28, 91, 364, 1_820, 9_100, 91_000];
const LONGEST = 91_000;

const DAY_MS = 86_400_000;

/**
 * Combines days into at most 60 periods of the same length, which is the shortest possible one. Periods without records
 * are left out.
 * @param days oldest first
 */
export function groupIntoPeriods(days: Day[]): Periods {
  const period_days =
    LENGTHS.find((length) => new Set(days.map(([day]) => periodOf(day, length))).size <= MOST_PERIODS) ??
    LONGEST;
  const groups = Map.groupBy(days, ([day]) => periodOf(day, period_days));
  return { period_days, periods: [...groups.values()].map(add) };
}

/**
 * Finds the gap before a period: days without records, at least as many as a period has.
 * @param index the index of the period
 */
export function findGap({ period_days, periods }: Periods, index: number): Gap | undefined {
  const [before, after] = [periods[index - 1], periods[index]];
  if (!before || !after) return undefined;
  const [first, last] = [toDay(before.last) + 1, toDay(after.first) - 1];
  return last - first + 1 >= period_days ? { first: fromDay(first), last: fromDay(last) } : undefined;
}

/** All gaps, oldest first. */
export function findGaps(grouped: Periods): Gap[] {
  return grouped.periods.flatMap((_, index) => findGap(grouped, index) ?? []);
}

/** The number of a day, counted from 1970. */
function toDay(date: string): number {
  return Date.parse(date) / DAY_MS;
}

function fromDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The number of the period of a day, counted from 1970, so that new days do not change earlier periods. */
function periodOf(date: string, length: number): number {
  return Math.floor(toDay(date) / length);
}

function add(days: Day[]): Period {
  const sum = (column: number) => days.reduce((total, day) => total + Number(day[column]), 0);
  const [records, failing, unknown] = [sum(1), sum(2), sum(3)];
  return {
    first: String(days.at(0)?.[0]),
    last: String(days.at(-1)?.[0]),
    days: days.length,
    records,
    camera_ok: { True: records - failing - unknown, False: failing, null: unknown },
    totals: Object.fromEntries(ROAD_USERS.map((name, index) => [name, sum(4 + index)])) as Counts,
  };
}
