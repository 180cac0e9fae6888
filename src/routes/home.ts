import { Hono } from "hono";
import type { AppContext, AppEnv } from "../bindings.ts";
import { rejectMethod } from "../http/errors.ts";
import { NO_STORE, PAGE_CACHE_CONTROL } from "../http/headers.ts";
import { requireAcceptable } from "../http/negotiation.ts";
import { getLastValue, getOrigin } from "../http/request.ts";
import { logFailure } from "../log.ts";
import { formatEnvelope } from "../records/envelope.ts";
import { COLLECTION_PATH, createPageUrlBuilder } from "../records/links.ts";
import { getLastPage } from "../records/page.ts";
import { getCachedStore } from "../store/create-store.ts";
import type { MaybeSnapshot } from "../store/snapshot.ts";
import { renderHome, type SamplePage } from "../views/home/home-page.tsx";
import { createSummary, groupStatistics } from "../views/home/summary.ts";
import { HTML_HEADERS } from "../views/html-middleware.ts";

/** Creates the route of the home page, a description of the service and of its records in HTML or JSON. */
export function createHome(): Hono<AppEnv> {
  const home = new Hono<AppEnv>();
  const getStatistics = createStatisticsCache();
  /** The latest HTML, cached because most requests have the same snapshot, origin and settings. */
  let latest: { key: string; html: string } | undefined;

  home.get("/", async (c) => {
    c.header("Vary", "Accept");
    const format = getLastValue(new URL(c.req.url).searchParams, "format");
    requireAcceptable(format, c.req.header("Accept"));
    const statistics = await getStatistics(c);
    const { snapshot } = statistics;
    const origin = getOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
    const summary = createSummary(statistics, origin, c.env);
    const caching = { "Cache-Control": PAGE_CACHE_CONTROL };
    if (!c.var.prefersHtml) return c.json(summary, 200, caching);
    const { STORE, RATE_LIMIT, PREFER, FAULTS } = c.env;
    const key = [snapshot.id, origin, STORE, RATE_LIMIT, PREFER, FAULTS].join(" ");
    if (latest?.key !== key) {
      const sample = summary.count === 0 ? undefined : await getSamplePage(c, origin, snapshot);
      const html = renderHome(summary, sample);
      const isComplete = sample !== undefined || summary.count === 0;
      // The next request may be able to read the sample page.
      if (!isComplete) return c.html(html, 200, { ...HTML_HEADERS, "Cache-Control": NO_STORE });
      latest = { key, html };
    }
    return c.html(latest.html, 200, { ...HTML_HEADERS, ...caching });
  });

  home.all("/", rejectMethod);

  return home;
}

/** Caches the grouped statistics of the latest snapshot. */
function createStatisticsCache() {
  let latest: ReturnType<typeof groupStatistics> | undefined;
  return async (c: AppContext) => {
    const statistics = await getCachedStore(c.env).getStatistics();
    if (latest?.snapshot.id !== statistics.snapshot.id) latest = groupStatistics(statistics);
    return latest;
  };
}

/**
 * Gets page 2, because its response has both links. If the collection has only one page, gets page 1.
 * @returns undefined if the page cannot be read, or belongs to a different snapshot than the statistics
 */
async function getSamplePage(
  c: AppContext,
  origin: string,
  snapshot: MaybeSnapshot,
): Promise<SamplePage | undefined> {
  const number = Math.min(2, getLastPage(snapshot.count));
  try {
    const page = await getCachedStore(c.env).getPage(number);
    if (!page || page.isNotModified || page.snapshot.id !== snapshot.id) return undefined;
    const { location, results } = page;
    const url = createPageUrlBuilder(origin + COLLECTION_PATH, new URLSearchParams());
    const envelope = JSON.parse(formatEnvelope(location, results, url));
    return { number, envelope: { ...envelope, results: envelope.results.slice(0, 1) } };
  } catch (error) {
    // Logged like a failed request for the page.
    const request = { store: c.env.STORE, method: "GET", path: COLLECTION_PATH, status: 503 };
    logFailure({ event: "request_failed", ...request }, error);
    return undefined;
  }
}
