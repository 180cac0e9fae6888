import type { Day } from "../../records/statistics.ts";

/** The values of `camera_ok`, as names. */
export const HEALTH = ["True", "False", "null"] as const;
export type Health = (typeof HEALTH)[number];

type Unit = "day" | "month" | "year";

/** The records of a day, a month or a year in UTC. `first` and `last` are its first and last day that has records. */
export interface Period {
  first: string;
  last: string;
  records: number;
  camera_ok: Record<Health, number>;
}

/** The whole time of a collection in periods, oldest first. Periods without records are left out. */
export interface Periods {
  unit: Unit;
  periods: Period[];
}

/** A chart cannot show more periods, and a page should not contain more. This is a bit more than the months of ten years. */
const MOST_PERIODS = 124;

/** The length of the name of a unit in a date. */
const NAME_LENGTH: Record<Unit, number> = { day: 10, month: 7, year: 4 };

/**
 * Combines days into at most 124 periods: days, otherwise months, otherwise years, however many those are.
 * @param days oldest first
 */
export function groupIntoPeriods(days: Day[]): Periods {
  const group = (unit: Unit) => Map.groupBy(days, ([date]) => date.slice(0, NAME_LENGTH[unit]));
  const unit = (["day", "month"] as const).find((unit) => group(unit).size <= MOST_PERIODS) ?? "year";
  return { unit, periods: [...group(unit).values()].map(sum) };
}

function sum(days: Day[]): Period {
  return {
    first: String(days.at(0)?.[0]),
    last: String(days.at(-1)?.[0]),
    records: days.reduce((total, [, records]) => total + records, 0),
    camera_ok: countHealth(days),
  };
}

/** The records of days by their `camera_ok`. */
export function countHealth(days: Day[]): Record<Health, number> {
  const counts = { True: 0, False: 0, null: 0 };
  for (const [, records, failing, unknown] of days) {
    counts.True += records - failing - unknown;
    counts.False += failing;
    counts.null += unknown;
  }
  return counts;
}

/** Consecutive periods. */
export interface Segment {
  first: string;
  last: string;
  periods: Period[];
}

/** Splits periods at gaps, which are days, months or years without records. */
export function splitAtGaps({ unit, periods }: Periods): Segment[] {
  const segments: Segment[] = [];
  for (const period of periods) {
    const latest = segments.at(-1);
    if (latest && numberUnit(period.first, unit) - numberUnit(latest.last, unit) === 1) {
      latest.periods.push(period);
      latest.last = period.last;
    } else segments.push({ first: period.first, last: period.last, periods: [period] });
  }
  return segments;
}

const DAY_MS = 86_400_000;

/** The number of the day, the month or the year of a date. Consecutive ones have consecutive numbers. */
function numberUnit(date: string, unit: Unit): number {
  if (unit === "day") return Date.parse(date) / DAY_MS;
  const [year = 0, month = 0] = date.split("-").map(Number);
  return unit === "month" ? 12 * year + month : year;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The name of consecutive days, months or years: `17–19 May 2019`, `27 Oct – 2 Nov 2025`, `Jan–Mar 2024`, `2019`. */
export function formatPeriod({ first, last }: Pick<Period, "first" | "last">, unit: Unit): string {
  const [start, end] = [splitDate(first, unit), splitDate(last, unit)];
  // A month or a year that both have in common is written once.
  while (start.length > 0 && start.at(-1) === end[start.length - 1]) start.pop();
  if (start.length === 0) return end.join(" ");
  return [start, end].map((parts) => parts.join(" ")).join(start.length > 1 ? " – " : "–");
}

/** The day, the month and the year of a date, as far as the unit has them. */
function splitDate(date: string, unit: Unit): string[] {
  const [year = "", month, day] = date.slice(0, NAME_LENGTH[unit]).split("-");
  const parts = [day && String(Number(day)), month && MONTHS[Number(month) - 1], year];
  return parts.filter((part) => part !== undefined);
}
