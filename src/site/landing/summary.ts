import type { Env } from "../../env.ts";
import { findLimitPeriod } from "../../http/rate-limit.ts";
import { MOCK_OPTIONS } from "../../mock/options.ts";
import { COLLECTION_PATH, lastPage } from "../../records/page.ts";
import type { Statistics } from "../../records/statistics.ts";
import type { StateStatistics } from "../../store/store.ts";
import { DOCUMENT_PATH, REFERENCE_PATH, SITE_NAME, STAND_IN } from "../about.ts";
import { groupIntoPeriods, type Periods } from "./periods.ts";

/** The content of the landing page, which is also its representation in JSON. */
export interface Summary {
  name: string;
  description: string;
  /** Absolute URLs. */
  records_url: string;
  reference_url: string;
  openapi_url: string;
  /** The options of the mock, for the header `Prefer`. */
  preferences: readonly { name: string; value: string; description: string; example: string }[];
  /** The number of records and of pages in the collection. */
  count: number;
  pages: number;
  loaded_at: string | null;
  /** Whether the cron trigger adds an observation of each camera every half hour. */
  grows: boolean;
  /** The period of the rate limit in seconds; null if there is no limit. */
  rate_limit_seconds: number | null;
  statistics: StatisticsSummary;
}

/** Statistics, with the days combined into periods. */
type StatisticsSummary = Pick<Statistics, "first" | "last" | "camera_ok" | "totals" | "sources"> & {
  cameras: number;
} & Periods;

/**
 * Summarises the collection. This reads no records, because a load stores the statistics.
 * @param origin the origin of absolute links
 * @param settings the settings of this deployment
 */
export function summarise(
  { state, statistics }: StateStatistics,
  origin: string,
  settings: Pick<Env, "GROW" | "RATE_LIMIT">,
): Summary {
  const period = findLimitPeriod(settings);
  return {
    name: SITE_NAME,
    description: `Road users counted by roadside cameras: a public ${STAND_IN}.`,
    records_url: origin + COLLECTION_PATH,
    reference_url: origin + REFERENCE_PATH,
    openapi_url: origin + DOCUMENT_PATH,
    preferences: Object.entries(MOCK_OPTIONS).map(([name, { value, description, example }]) => ({
      name,
      value,
      description,
      example,
    })),
    count: state.count,
    pages: lastPage(state.count),
    loaded_at: state.switchedAt ?? null,
    grows: settings.GROW === "on",
    rate_limit_seconds: period === undefined ? null : Number(period),
    statistics: summariseStatistics(statistics),
  };
}

function summariseStatistics(statistics: Statistics): StatisticsSummary {
  const { first, last, cameras, camera_ok, totals, sources } = statistics;
  return {
    first,
    last,
    cameras: cameras.length,
    camera_ok,
    totals,
    sources,
    ...groupIntoPeriods(statistics.days),
  };
}
