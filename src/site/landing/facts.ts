import type { Env } from "../../env.ts";
import { PREFERENCES } from "../../mock/preferences.ts";
import { COLLECTION_PATH } from "../../records/envelope.ts";
import { lastPage } from "../../records/page.ts";
import { DESCRIPTION as COLLECTION } from "../../records/route.ts";
import type { Statistics } from "../../records/statistics.ts";
import type { StoredStatistics } from "../../store/reads.ts";
import { STAND_IN } from "../about.ts";
import { DOCUMENT_PATH } from "../openapi/route.ts";
import { REFERENCE_PATH } from "../reference/route.ts";
import { cutPeriods, type Periods } from "./periods.ts";

/** What the landing page tells, in its own words and as JSON. */
export interface Facts {
  name: string;
  description: string;
  /** Absolute URLs. */
  records_url: string;
  reference_url: string;
  openapi_url: string;
  /** What a request may ask for with `Prefer`, to test a client with. */
  preferences: readonly { name: string; value: string; description: string; example: string }[];
  /** Records and pages in the collection. */
  count: number;
  pages: number;
  loaded_at: string | null;
  /** Whether it grows by itself, an observation a camera each half hour. */
  grows: boolean;
  /** In how many seconds the requests of a client are counted, of which it may send so many; null without such a limit. */
  rate_limit_seconds: number | null;
  /** What the records come to; null if nothing was ever loaded. */
  statistics: Summary | null;
}

/** With the whole time, cut into at most 60 periods; those without records are left out. */
type Summary = Pick<Statistics, "first" | "last" | "camera_ok" | "totals"> & { cameras: number } & Periods;

export const DESCRIPTION = `Road users counted by roadside cameras: a public ${STAND_IN}.`;

/**
 * Gathers the facts. No record is read for them: the load stored what it takes.
 * @param origin of absolute links
 * @param settings of this deployment
 */
export function gatherFacts(
  { state, statistics }: StoredStatistics,
  origin: string,
  { GROW, RATE_LIMIT = "off" }: Pick<Env, "GROW" | "RATE_LIMIT">,
): Facts {
  return {
    name: COLLECTION.name,
    description: DESCRIPTION,
    records_url: origin + COLLECTION_PATH,
    reference_url: origin + REFERENCE_PATH,
    openapi_url: origin + DOCUMENT_PATH,
    preferences: PREFERENCES,
    count: state.count,
    pages: lastPage(state.count),
    loaded_at: state.switchedAt ?? null,
    grows: GROW === "on",
    rate_limit_seconds: RATE_LIMIT === "off" ? null : Number(RATE_LIMIT),
    statistics: statistics ? summarise(statistics) : null,
  };
}

function summarise({ first, last, cameras, camera_ok, totals, days }: Statistics): Summary {
  return { first, last, cameras: cameras.length, camera_ok, totals, ...cutPeriods(days) };
}
