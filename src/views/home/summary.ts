import { SAMPLE_DATA_HASH } from "#sample-data-hash";
import { formatOptionValue } from "../../faults/option-syntax.ts";
import { CONDITION_NAMES, FAULT_NAMES } from "../../faults/option-table.ts";
import { getSharedOptions, type Rule } from "../../faults/rules.ts";
import { COLLECTION_PATH } from "../../http/links.ts";
import { getLastPage } from "../../records/page.ts";
import type { Collection } from "../../store/cached-store.ts";
import { SEED_CSV_PATH } from "../../store/seed.ts";
import type { Day, PartialDay } from "../../store/stored-statistics.ts";
import { OPENAPI_PATH, REFERENCE_PATH, SERVICE_SUMMARY, SITE_NAME } from "../site.ts";

/** The data of the home page. Clients that do not prefer HTML get it as JSON. */
export type Summary = ReturnType<typeof createSummary>;

type Statistics = Awaited<ReturnType<Collection["getStatistics"]>>;

/** Describes what a client gets now, and what was loaded. */
function describeRecords({ snapshot, days, statistics, loaded }: Statistics) {
  const { count } = snapshot;
  const { cameras, totals, hours, records_hash, sources, source_count } = statistics;
  const [first = null] = days.at(0) ?? [];
  const [last = null] = days.at(-1) ?? [];
  return {
    count,
    pages: getLastPage(count),
    days: days.length,
    first,
    last,
    ...groupIntoPeriods(days),
    /** All loaded records. With `grow`, clients do not get the newest of them yet. */
    loaded: { count: loaded, cameras, totals, hours, records_hash, sources, source_count },
  };
}

interface SummaryParts {
  statistics: Statistics;
  /** The default options. */
  rules: Rule[];
  origin: string;
  settings: { rate_limit_seconds: number | null; faults: boolean; prefer: string | null };
}

export function createSummary({ statistics, rules, origin, settings }: SummaryParts) {
  const records = describeRecords(statistics);
  const { grow } = getSharedOptions(rules);
  const growth = grow === undefined ? null : formatOptionValue(grow);
  // A condition without a fault means a 503, and a rule with `none` has no fault.
  const causes = [...FAULT_NAMES, ...CONDITION_NAMES];
  const haveFaults = rules.some((rule) => rule.none === undefined && causes.some((name) => name in rule));
  const records_url = origin + COLLECTION_PATH;
  const query = new URLSearchParams({ prefer: growth === null ? "none" : `grow=${growth}` });
  return {
    name: SITE_NAME,
    description: `Road users counted by roadside cameras: a public ${SERVICE_SUMMARY}.`,
    records_url,
    /** The URL of the same collection without the default faults. */
    records_url_without_faults: haveFaults ? `${records_url}?${query}` : records_url,
    reference_url: origin + REFERENCE_PATH,
    openapi_url: origin + OPENAPI_PATH,
    /** The URL of a file with all loaded records; null unless they are the sample data. */
    sample_data_url: records.loaded.records_hash === SAMPLE_DATA_HASH ? origin + SEED_CSV_PATH : null,
    ...settings,
    /** How fast records appear, such as `15/m`; null without growth. */
    grow: growth,
    loaded_at: statistics.snapshot.loaded_at,
    ...records,
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
  /** The records with `camera_ok` `False`. This number and the next ones are null if clients get only a part of a day. */
  failing: number | null;
  /** The records with `camera_ok` null. */
  unknown: number | null;
  road_users: number | null;
  /** The mean per record, ignoring records with `camera_ok` `False`; null, too, if all records are ignored. */
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
export function groupIntoPeriods(days: (Day | PartialDay)[]): Periods {
  if (days.length <= MAX_PERIODS) return { unit: "day", periods: combineDays(days, "day") };
  const months = combineDays(days, "month");
  if (months.length <= MAX_PERIODS) return { unit: "month", periods: months };
  return { unit: "year", periods: combineDays(days, "year") };
}

const NO_RECORDS = { records: 0, failing: 0, unknown: 0, road_users: 0, mean_road_users: null };

function combineDays(days: (Day | PartialDay)[], unit: Unit): Period[] {
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
    period.failing = add(period.failing, failing);
    period.unknown = add(period.unknown, unknown);
    period.road_users = add(period.road_users, roadUsers);
  }
  for (const period of periods) {
    const working = period.records - (period.failing ?? period.records);
    if (working > 0) period.mean_road_users = Number((Number(period.road_users) / working).toFixed(3));
  }
  return periods.reverse();
}

/** The sum is unknown if one of the numbers is. */
function add(sum: number | null, value: number | null): number | null {
  return sum === null || value === null ? null : sum + value;
}
