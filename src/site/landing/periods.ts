import { type Counts, ROAD_USERS } from "../../records/road-users.ts";
import type { Day } from "../../records/statistics.ts";
import type { Health } from "../health.ts";

/** What the records of some days on end come to. Both days are included, `YYYY-MM-DD` in UTC. */
export interface Period {
  first: string;
  last: string;
  /** How many of its days have records. */
  days: number;
  records: number;
  camera_ok: Record<Health, number>;
  totals: Counts;
}

/** The whole time in periods. */
export interface Periods {
  /** Of how many days they are, those without records included. */
  period_days: number;
  /** Oldest first. */
  periods: Period[];
}

/** Days without records, both included. */
export type Gap = Pick<Period, "first" | "last">;

/** More than these no chart can show, and no page should carry. */
const MOST_PERIODS = 60;

/** Days that a period may be made of: a day, a week, four weeks, and so on, up to more than there are dates for 60. */
const LENGTHS = [1, 7, 28, 91, 364, 1_820, 9_100, 91_000];
const LONGEST = 91_000;

const DAY_MS = 86_400_000;

/**
 * Cuts days into at most 60 periods of the same length, the shortest that will do. Days without records, years of them
 * maybe, have no period.
 * @param days oldest first
 */
export function cutPeriods(days: Day[]): Periods {
  const period_days =
    LENGTHS.find((length) => new Set(days.map(([day]) => placeOf(day, length))).size <= MOST_PERIODS) ??
    LONGEST;
  const groups = Map.groupBy(days, ([day]) => placeOf(day, period_days));
  return { period_days, periods: [...groups.values()].map(add) };
}

/**
 * The days without records before a period that would hold at least one period more.
 * @param index of the period
 */
export function findGap({ period_days, periods }: Periods, index: number): Gap | undefined {
  const [before, after] = [periods[index - 1], periods[index]];
  if (!before || !after) return undefined;
  const [first, last] = [toDay(before.last) + 1, toDay(after.first) - 1];
  return last - first + 1 >= period_days ? { first: fromDay(first), last: fromDay(last) } : undefined;
}

/** All of them, oldest first. */
export function findGaps(cut: Periods): Gap[] {
  return cut.periods.flatMap((_, index) => findGap(cut, index) ?? []);
}

/** A day as its number, counted from 1970. */
function toDay(date: string): number {
  return Date.parse(date) / DAY_MS;
}

function fromDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Which period a day is in, counted from 1970: a day more at the end leaves those before as they are. */
function placeOf(date: string, length: number): number {
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
