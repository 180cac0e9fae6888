import type { Day } from "../../records/statistics.ts";

type Unit = "day" | "month" | "year";

/** A day, a month or a year in UTC that has records. */
export interface Period {
  /** The first and the last day of it that has records. */
  first: string;
  last: string;
  records: number;
  /** Those with `camera_ok` `False` and null. */
  failing: number;
  unknown: number;
  road_users: number;
}

/** The whole time of a collection in periods, newest first. */
export interface Periods {
  unit: Unit;
  periods: Period[];
}

/** A page should not contain more periods. This is a bit more than the months of ten years. */
const MOST_PERIODS = 124;

/** The length of the name of a unit in a date. */
const NAME_LENGTH: Record<Unit, number> = { day: 10, month: 7, year: 4 };

/**
 * Combines days into at most 124 periods: days, otherwise months, otherwise years, however many those are.
 * @param days oldest first
 */
export function groupIntoPeriods(days: Day[]): Periods {
  const unit = chooseUnit(days);
  const groups = Map.groupBy(days, (day) => day[0].slice(0, NAME_LENGTH[unit]));
  return { unit, periods: Array.from(groups.values(), sumDays).reverse() };
}

function chooseUnit(days: Day[]): Unit {
  if (days.length <= MOST_PERIODS) return "day";
  const months = new Set(days.map((day) => day[0].slice(0, NAME_LENGTH.month)));
  return months.size <= MOST_PERIODS ? "month" : "year";
}

function sumDays(days: Day[]): Period {
  const period = { first: "", last: "", records: 0, failing: 0, unknown: 0, road_users: 0 };
  // Reading by index is several times faster than destructuring thousands of days in a new instance.
  for (const day of days) {
    period.first ||= day[0];
    period.last = day[0];
    period.records += day[1];
    period.failing += day[2];
    period.unknown += day[3];
    period.road_users += day[4];
  }
  return period;
}

const DAY_MS = 86_400_000;

/** The name of a period: `2019`, or `17 May – 31 Dec 2019` if the collection covers only a part of it. */
export function namePeriod({ first, last }: Period, unit: Unit): string {
  const length = NAME_LENGTH[unit];
  const isOutside = (date: string, days: number) =>
    !new Date(Date.parse(date) + days * DAY_MS).toISOString().startsWith(date.slice(0, length));
  const isWhole = isOutside(first, -1) && isOutside(last, 1);
  return formatDates(first, last, isWhole ? unit : "day");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Days, months or years from the first to the last one: `17–19 May 2019`, `27 Oct – 2 Nov 2025`, `Jan 2024`, `2019`. */
export function formatDates(first: string, last: string, unit: Unit): string {
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
