import { Hono } from "hono";
import { SAMPLE_DATA_HASH } from "#sample-data-hash";
import type { AppContext, AppEnv } from "../bindings.ts";
import { requireFaultOptions } from "../faults/fault-options.ts";
import type { Faults } from "../faults/faults.ts";
import { getSharedOptions } from "../faults/rules.ts";
import { rejectOtherMethods } from "../http/errors.ts";
import { NO_STORE, PAGE_CACHE_CONTROL } from "../http/headers.ts";
import { COLLECTION_PATH, createPageUrlBuilder } from "../http/links.ts";
import { prefersHtml, requireAcceptable } from "../http/negotiation.ts";
import { getOrigin } from "../http/request.ts";
import { logFailure } from "../log.ts";
import { formatEnvelope, getLastPage } from "../records/page.ts";
import { describeSettings } from "../settings.ts";
import { getCachedStore } from "../store/create-store.ts";
import type { MaybeSnapshot } from "../store/snapshot.ts";
import type { Statistics } from "../store/stored-statistics.ts";
import { renderHome, type SamplePage } from "../views/home/home-page.tsx";
import { createSummary, groupStatistics, type Summary } from "../views/home/summary.ts";
import { HTML_HEADERS } from "../views/html-middleware.ts";

/** Creates the route of the home page, a description of the service and of its records in HTML or JSON. */
export function createHome({ getCollection }: Faults): Hono<AppEnv> {
  const home = new Hono<AppEnv>();
  const groupOnce = createStatisticsGrouper();

  home.get("/", async (c) => {
    c.header("Vary", "Accept");
    const url = new URL(c.req.url);
    requireAcceptable(c, url.searchParams);
    const origin = getOrigin(url, c.env.PUBLIC_ORIGIN);
    const settings = describeSettings(c.env);
    const { rules } = requireFaultOptions("PREFER", settings.prefer ?? "");
    const { snapshot, statistics } = await getCollection(c, rules).getStatistics();
    const summary = createSummary({
      snapshot,
      statistics: groupOnce(snapshot, statistics),
      grows: getSharedOptions(rules).grow !== undefined,
      isSampleData: statistics.records_hash === SAMPLE_DATA_HASH,
      origin,
      settings,
    });
    if (!prefersHtml(c)) return c.json(summary, 200, { "Cache-Control": PAGE_CACHE_CONTROL });
    return respondWithHtml(c, summary, snapshot);
  });

  home.all("/", rejectOtherMethods("GET, HEAD"));

  return home;
}

/** Creates a function that groups statistics for the home page, but only once for a snapshot and its number of days. */
function createStatisticsGrouper() {
  let latest: { id: string | null; days: number; grouped: ReturnType<typeof groupStatistics> } | undefined;
  return ({ id }: MaybeSnapshot, statistics: Statistics) => {
    const days = statistics.days.length;
    if (latest?.id !== id || latest.days !== days)
      latest = { id, days, grouped: groupStatistics(statistics) };
    return latest.grouped;
  };
}

async function respondWithHtml(c: AppContext, summary: Summary, snapshot: MaybeSnapshot): Promise<Response> {
  const isEmpty = summary.count === 0;
  const sample = isEmpty ? undefined : await getSamplePage(c, summary, snapshot);
  // The next request may be able to read the sample page.
  const caching = isEmpty || sample !== undefined ? PAGE_CACHE_CONTROL : NO_STORE;
  return c.html(renderHome(summary, sample), 200, { ...HTML_HEADERS, "Cache-Control": caching });
}

/**
 * Gets page 2, whose response usually has both links, or the only page.
 * @returns undefined if the page cannot be read, or if a load has replaced the snapshot of the home page
 */
async function getSamplePage(
  c: AppContext,
  { prefer, records_url }: Summary,
  snapshot: MaybeSnapshot,
): Promise<SamplePage | undefined> {
  const number = Math.min(2, getLastPage(snapshot.count));
  // The example has no default faults.
  const query = new URLSearchParams(prefer === null ? "" : "prefer=none");
  const getPageUrl = createPageUrlBuilder(new URL(records_url).origin, query);
  try {
    const found = await getCachedStore(c.env).findPage(number);
    if (found?.kind !== "page" || found.snapshot.id !== snapshot.id) return undefined;
    return { number, page: JSON.parse(formatEnvelope(found.location, found.records, getPageUrl)) };
  } catch (error) {
    // Logged like a failed request for that page.
    const request = { store: c.env.STORE, method: "GET", path: COLLECTION_PATH };
    logFailure({ event: "request_failed", ...request, status: 503 }, error);
    return undefined;
  }
}
