import type { Env } from "../../bindings.ts";
import { OPENAPI_PATH, REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../../constants.ts";
import { findLimitPeriod } from "../../http/rate-limit.ts";
import { COLLECTION_PATH, getLastPage } from "../../records/page.ts";
import type { Day, Statistics } from "../../records/record.ts";
import type { State } from "../../store/state.ts";

/** The content of the landing page, which is also its representation in JSON. */
export type Summary = ReturnType<typeof createSummary>;

/** Groups the days of a load into periods. With many days this takes long, so do it once for each load. */
export function summarizeStatistics({ state, statistics }: { state: State; statistics: Statistics }) {
  const { days, ...others } = statistics;
  const { unit, periods } = groupIntoPeriods(days);
  const failing = periods.reduce((sum, period) => sum + period.failing, 0);
  const unknown = periods.reduce((sum, period) => sum + period.unknown, 0);
  const camera_ok = { True: state.count - failing - unknown, False: failing, null: unknown };
  return { state, statistics: { ...others, days: days.length, camera_ok, unit, periods } };
}

/**
 * Creates the content of the landing page.
 * @param origin The origin of absolute links
 * @param settings The settings of this deployment
 */
export function createSummary(
  { state, statistics }: ReturnType<typeof summarizeStatistics>,
  origin: string,
  settings: Pick<Env, "STORE" | "RATE_LIMIT" | "PREFER" | "FAULTS">,
) {
  const limitPeriod = findLimitPeriod(settings);
  return {
    name: SITE_NAME,
    description: `Road users counted by roadside cameras: a public ${SERVICE_SUMMARY}.`,
    records_url: origin + COLLECTION_PATH,
    reference_url: origin + REFERENCE_PATH,
    openapi_url: origin + OPENAPI_PATH,
    /** All records as one file; null if they are not the seed, or if a process serves them, which does not have the file. */
    seed_url: state.source === "generated" && settings.STORE !== "memory" ? `${origin}/seed.csv.gz` : null,
    count: state.count,
    pages: getLastPage(state.count),
    loaded_at: state.loaded_at,
    /** The period of the rate limit in seconds; null if there is no limit. */
    rate_limit_seconds: limitPeriod === undefined ? null : Number(limitPeriod),
    /** Whether requests can ask for faults. */
    faults: settings.FAULTS !== "off",
    /** The preferences of requests that name none; null if there are none. */
    prefer: settings.FAULTS === "off" ? null : settings.PREFER || null,
    statistics,
  };
}

/** The length of the name of a day, a month or a year in a date. */
export const NAME_LENGTH = { day: 10, month: 7, year: 4 };
export type Unit = keyof typeof NAME_LENGTH;

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
  /** Their mean in the records of working cameras, which are those that are not `False`; null if there are none. */
  mean_road_users: number | null;
}

/** The whole time of a collection in periods, newest first. */
export interface Periods {
  unit: Unit;
  periods: Period[];
}

/** A page should not contain more periods. This is a bit more than the months of ten years. */
const MOST_PERIODS = 124;

/**
 * Combines days into at most 124 periods: days, otherwise months, otherwise years, however many those are.
 * @param days oldest first
 */
export function groupIntoPeriods(days: Day[]): Periods {
  if (days.length <= MOST_PERIODS) return { unit: "day", periods: combine(days, "day") };
  const months = combine(days, "month");
  if (months.length <= MOST_PERIODS) return { unit: "month", periods: months };
  return { unit: "year", periods: combine(days, "year") };
}

const NOTHING = { records: 0, failing: 0, unknown: 0, road_users: 0, mean_road_users: null };

/** Adds up the days of each period. */
function combine(days: Day[], unit: Unit): Period[] {
  const periods: Period[] = [];
  let period: Period | undefined;
  let name = "";
  for (const [date, records, failing, unknown, roadUsers] of days) {
    if (!period || !date.startsWith(name)) {
      name = date.slice(0, NAME_LENGTH[unit]);
      period = { first: date, last: "", ...NOTHING };
      periods.push(period);
    }
    period.last = date;
    period.records += records;
    period.failing += failing;
    period.unknown += unknown;
    period.road_users += roadUsers;
  }
  for (const one of periods) {
    const working = one.records - one.failing;
    if (working > 0) one.mean_road_users = Number((one.road_users / working).toFixed(3));
  }
  return periods.reverse();
}
