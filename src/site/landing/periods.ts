import { type Counts, ROAD_USERS } from "../../records/road-users.ts";
import type { Interval } from "../../records/statistics.ts";

/** The values of `camera_ok`, as names. */
export const HEALTH = ["True", "False", "null"] as const;
export type Health = (typeof HEALTH)[number];

/** The statistics of consecutive days or hours. The first and the last are included: `YYYY-MM-DD` or `YYYY-MM-DDThh` in UTC. */
export interface Period {
  first: string;
  last: string;
  /** The number of its days or hours that have records. */
  units: number;
  records: number;
  camera_ok: Record<Health, number>;
  totals: Counts;
}

/** The whole time of the collection in periods. */
export interface Periods {
  unit: "day" | "hour";
  /** The length of a period in units, including those without records. */
  period_units: number;
  /** Oldest first. */
  periods: Period[];
}

/** Periods, and the gap before each of them, if there is one. */
export interface PeriodsWithGaps extends Periods {
  gaps: (Gap | undefined)[];
}

/** Consecutive days or hours without records. The first and the last are included. */
export type Gap = Pick<Period, "first" | "last">;

/** A chart cannot show more periods, and a page should not contain more. */
const MOST_PERIODS = 60;

/** The possible lengths of a period in days: a day, a week, four weeks, and so on. With the longest, 60 periods always suffice. */
const LENGTHS = [1, 7, 28, 91, 364, 1_820, 9_100, 91_000];
const LONGEST = 91_000;

const UNIT_MS = { day: 86_400_000, hour: 3_600_000 };

/** The length of the name of a unit. */
const NAME_LENGTH = { day: 10, hour: 13 };

/** Combines the days of a collection into periods; or its hours, if it has only one or two days. */
export function describeTime({ days, hours }: { days: Interval[]; hours?: Interval[] | undefined }): Periods {
  if (hours === undefined || hours.length === 0) return groupIntoPeriods(days);
  return { unit: "hour", period_units: 1, periods: hours.map((hour) => add([hour])) };
}

/**
 * Combines days into at most 60 periods of the same length, which is the shortest possible one. Periods without records
 * are left out.
 * @param days oldest first
 */
export function groupIntoPeriods(days: Interval[]): Periods {
  const period_units =
    LENGTHS.find((length) => new Set(days.map(([day]) => periodOf(day, length))).size <= MOST_PERIODS) ??
    LONGEST;
  const groups = Map.groupBy(days, ([day]) => periodOf(day, period_units));
  return { unit: "day", period_units, periods: [...groups.values()].map(add) };
}

/**
 * Finds the gaps: units without records, at least as many as a period has.
 * @returns for each period the gap before it, if there is one
 */
export function findGaps({ unit, period_units, periods }: Periods): (Gap | undefined)[] {
  return periods.map((after, index) => {
    const before = periods[index - 1];
    if (!before) return undefined;
    const [first, last] = [toNumber(before.last, unit) + 1, toNumber(after.first, unit) - 1];
    return last - first + 1 >= period_units
      ? { first: toName(first, unit), last: toName(last, unit) }
      : undefined;
  });
}

/** The number of a day or an hour, counted from 1970. */
function toNumber(name: string, unit: Periods["unit"]): number {
  return Date.parse(unit === "hour" ? `${name}:00Z` : name) / UNIT_MS[unit];
}

function toName(number: number, unit: Periods["unit"]): string {
  return new Date(number * UNIT_MS[unit]).toISOString().slice(0, NAME_LENGTH[unit]);
}

/** The number of the period of a day, counted from 1970, so that new days do not change earlier periods. */
function periodOf(date: string, length: number): number {
  return Math.floor(toNumber(date, "day") / length);
}

function add(intervals: Interval[]): Period {
  const sum = (column: number) => intervals.reduce((total, interval) => total + Number(interval[column]), 0);
  const [records, failing, unknown] = [sum(1), sum(2), sum(3)];
  return {
    first: String(intervals.at(0)?.[0]),
    last: String(intervals.at(-1)?.[0]),
    units: intervals.length,
    records,
    camera_ok: { True: records - failing - unknown, False: failing, null: unknown },
    totals: Object.fromEntries(ROAD_USERS.map((name, index) => [name, sum(4 + index)])) as Counts,
  };
}
