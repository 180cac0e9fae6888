import type { Env } from "../../env.ts";
import { findLimitPeriod } from "../../http/rate-limit.ts";
import { COLLECTION_PATH, lastPage } from "../../records/page.ts";
import type { Statistics } from "../../records/statistics.ts";
import type { State } from "../../store/state.ts";
import { DOCUMENT_PATH, REFERENCE_PATH, SEED_PATH, SITE_NAME, STAND_IN } from "../about.ts";
import { groupIntoPeriods } from "./periods.ts";

/** The content of the landing page, which is also its representation in JSON. */
export type Summary = ReturnType<typeof summarise>;

/**
 * Summarises the collection. This reads no records, because a load stores the statistics.
 * @param origin the origin of absolute links
 * @param settings the settings of this deployment
 */
export function summarise(
  { state, statistics }: { state: State; statistics: Statistics },
  origin: string,
  settings: Pick<Env, "STORE" | "RATE_LIMIT" | "PREFER" | "FAULTS">,
) {
  const { cameras, days, ...others } = statistics;
  const periods = groupIntoPeriods(days);
  const sum = (name: "failing" | "unknown") =>
    periods.periods.reduce((total, period) => total + period[name], 0);
  const [failing, unknown] = [sum("failing"), sum("unknown")];
  const period = findLimitPeriod(settings);
  return {
    name: SITE_NAME,
    description: `Road users counted by roadside cameras: a public ${STAND_IN}.`,
    records_url: origin + COLLECTION_PATH,
    reference_url: origin + REFERENCE_PATH,
    openapi_url: origin + DOCUMENT_PATH,
    /** All records as one file; null if they are not the seed, or if a process serves them, which does not have the file. */
    seed_url: state.source === "generated" && settings.STORE !== "memory" ? origin + SEED_PATH : null,
    count: state.count,
    pages: lastPage(state.count),
    loaded_at: state.loaded_at,
    /** The period of the rate limit in seconds; null if there is no limit. */
    rate_limit_seconds: period === undefined ? null : Number(period),
    /** Whether requests can ask for faults. */
    faults: settings.FAULTS !== "off",
    /** The preferences of requests that name none; null if there are none. */
    prefer: settings.FAULTS === "off" ? null : settings.PREFER || null,
    statistics: {
      ...others,
      cameras: cameras.length,
      days: days.length,
      camera_ok: { True: state.count - failing - unknown, False: failing, null: unknown },
      ...periods,
    },
  };
}
