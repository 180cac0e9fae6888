import { CLASSES, type Counts } from "../../records/classes.ts";
import type { Day } from "../../records/statistics.ts";

/** What the records of some days on end come to. Both days are included, `YYYY-MM-DD` in UTC. */
export interface Period {
  first: string;
  last: string;
  records: number;
  camera_ok: { True: number; False: number; null: number };
  totals: Counts;
}

/** More than these no chart can show, and no page should carry. */
const MOST_PERIODS = 60;

/** Days that a period may be made of: a day, a week, four weeks, and so on. */
const LENGTHS = [1, 7, 28, 91, 364, 1_820, 9_100, 91_000];

const DAY_MS = 86_400_000;

/**
 * Cuts days into at most 60 periods of the same length, the shortest that will do. Days without records, years of them
 * maybe, have no period.
 * @param days oldest first
 */
export function cutPeriods(days: Day[]): Period[] {
  for (const length of LENGTHS) {
    const periods = cut(days, length);
    if (periods.length <= MOST_PERIODS) return periods;
  }
  return cut(days, Number.POSITIVE_INFINITY);
}

/**
 * The days without records between two periods that would hold at least one period more.
 * @param periods as `cutPeriods` gives them
 * @param index of the later period
 */
export function findGap(periods: Period[], index: number): { first: string; last: string } | undefined {
  const [before, after] = [periods[index - 1], periods[index]];
  if (!before || !after) return undefined;
  const longest = Math.max(...periods.map(({ first, last }) => toDay(last) - toDay(first) + 1));
  const [first, last] = [toDay(before.last) + 1, toDay(after.first) - 1];
  return last - first + 1 >= longest ? { first: fromDay(first), last: fromDay(last) } : undefined;
}

/** A day as its number, counted from 1970. */
function toDay(date: string): number {
  return Date.parse(date) / DAY_MS;
}

function fromDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Periods of whole days, counted from 1970: a day more at the end leaves those before as they are. */
function cut(days: Day[], length: number): Period[] {
  const groups = Map.groupBy(days, ([day]) => Math.floor(toDay(day) / length));
  return [...groups.values()].map(add);
}

function add(days: Day[]): Period {
  const sum = (column: number) => days.reduce((total, day) => total + Number(day[column]), 0);
  const [records, failing, unknown] = [sum(1), sum(2), sum(3)];
  return {
    first: String(days.at(0)?.[0]),
    last: String(days.at(-1)?.[0]),
    records,
    camera_ok: { True: records - failing - unknown, False: failing, null: unknown },
    totals: Object.fromEntries(CLASSES.map((name, index) => [name, sum(4 + index)])) as Counts,
  };
}
