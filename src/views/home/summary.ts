import { COLLECTION_PATH } from "../../http/links.ts";
import { getLastPage } from "../../records/page.ts";
import { SEED_CSV_PATH } from "../../store/seed.ts";
import type { MaybeSnapshot } from "../../store/snapshot.ts";
import type { Day, Statistics } from "../../store/stored-statistics.ts";
import { OPENAPI_PATH, REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../site.ts";

/** The data of the home page. Clients that do not prefer HTML get it as JSON. */
export type Summary = ReturnType<typeof createSummary>;

/** Groups days of the statistics into periods. For 10,000 days, that takes 2 ms in Node, so keep the result. */
export function groupStatistics({ days, ...rest }: Statistics) {
  const camera_ok = { True: 0, False: 0, null: 0 };
  for (const [, records, failing, unknown] of days) {
    camera_ok.True += records - failing - unknown;
    camera_ok.False += failing;
    camera_ok.null += unknown;
  }
  return { ...rest, days: days.length, camera_ok, ...groupIntoPeriods(days) };
}

interface SummaryParts {
  snapshot: MaybeSnapshot;
  statistics: ReturnType<typeof groupStatistics>;
  /** Whether the default options hide the newest records for a time. */
  grows: boolean;
  /** Whether the records are those of `/seed.csv.gz`. */
  isSampleData: boolean;
  origin: string;
  settings: {
    /** The period of the rate limit in seconds; null if there is no limit. */
    rate_limit_seconds: number | null;
    faults: boolean;
    /** The default options of requests; null if there are none. */
    prefer: string | null;
  };
}

export function createSummary({ snapshot, statistics, grows, isSampleData, origin, settings }: SummaryParts) {
  return {
    name: SITE_NAME,
    description: `Road users counted by roadside cameras: a public ${SERVICE_SUMMARY}.`,
    records_url: origin + COLLECTION_PATH,
    reference_url: origin + REFERENCE_PATH,
    openapi_url: origin + OPENAPI_PATH,
    /** The URL of a file with all records; null unless they are the sample data. */
    sample_data_url: isSampleData ? origin + SEED_CSV_PATH : null,
    count: snapshot.count,
    pages: getLastPage(snapshot.count),
    loaded_at: snapshot.loaded_at,
    grows,
    ...settings,
    statistics,
  };
}

/** How many characters of a date (`YYYY-MM-DD`) name the day, the month or the year. */
const DATE_LENGTHS = { day: 10, month: 7, year: 4 };
export type Unit = keyof typeof DATE_LENGTHS;

/** A day, a month or a year in UTC that has records. */
export interface Period {
  /** The first and the last day with records. */
  first: string;
  last: string;
  records: number;
  /** The records with `camera_ok` `False`. */
  failing: number;
  /** The records with `camera_ok` null. */
  unknown: number;
  road_users: number;
  /** The mean per record, ignoring records with `camera_ok` `False`; null if all records are ignored. */
  mean_road_users: number | null;
}

export interface Periods {
  unit: Unit;
  periods: Period[];
}

/** Slightly more than the months of ten years. */
const MAX_PERIODS = 124;

/**
 * Combines days into at most 124 days or months, or any number of years.
 * @param days The days of the collection, oldest first
 */
export function groupIntoPeriods(days: Day[]): Periods {
  if (days.length <= MAX_PERIODS) return { unit: "day", periods: combineDays(days, "day") };
  const months = combineDays(days, "month");
  if (months.length <= MAX_PERIODS) return { unit: "month", periods: months };
  return { unit: "year", periods: combineDays(days, "year") };
}

const NO_RECORDS = { records: 0, failing: 0, unknown: 0, road_users: 0, mean_road_users: null };

function combineDays(days: Day[], unit: Unit): Period[] {
  const periods: Period[] = [];
  let period: Period | undefined;
  let name = "";
  for (const [date, records, failing, unknown, roadUsers] of days) {
    if (period === undefined || !date.startsWith(name)) {
      name = date.slice(0, DATE_LENGTHS[unit]);
      period = { first: date, last: date, ...NO_RECORDS };
      periods.push(period);
    }
    period.last = date;
    period.records += records;
    period.failing += failing;
    period.unknown += unknown;
    period.road_users += roadUsers;
  }
  for (const period of periods) {
    const working = period.records - period.failing;
    if (working > 0) period.mean_road_users = Number((period.road_users / working).toFixed(3));
  }
  return periods.reverse();
}
