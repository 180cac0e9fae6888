import { Hono } from "hono";
import type { AppContext, AppEnv } from "../bindings.ts";
import { requireFaultOptions } from "../faults/fault-options.ts";
import type { Faults } from "../faults/faults.ts";
import { rejectOtherMethods } from "../http/errors.ts";
import { HTML_HEADERS, NO_STORE, PAGE_CACHE_CONTROL } from "../http/headers.ts";
import { COLLECTION_PATH, createPageUrlBuilder } from "../http/links.ts";
import { prefersHtml, requireAcceptable } from "../http/negotiation.ts";
import { getOrigin } from "../http/origin.ts";
import { logFailure } from "../log.ts";
import { createPage } from "../records/envelope.ts";
import { describeSettings } from "../settings.ts";
import type { Collection } from "../store/cached-store.ts";
import { renderHome, type SamplePage } from "../views/home/home-page.tsx";
import { createSummary, describeRecords, type Summary } from "../views/home/summary.ts";

/** Creates the route of the home page, a description of the service and of its records in HTML or JSON. */
export function createHome({ getCollection }: Faults): Hono<AppEnv> {
  const home = new Hono<AppEnv>();
  const describeOnce = createDescriber();

  home.get("/", async (c) => {
    c.header("Vary", "Accept");
    const url = new URL(c.req.url);
    requireAcceptable(c, url.searchParams);
    const settings = describeSettings(c.env);
    const rules = requireFaultOptions("PREFER", settings.prefer ?? "");
    const collection = getCollection(c, rules);
    const statistics = await collection.getStatistics();
    const summary = createSummary({
      records: describeOnce(statistics),
      loaded_at: statistics.snapshot.loaded_at,
      rules,
      origin: getOrigin(url, c.env.PUBLIC_ORIGIN),
      settings,
    });
    if (!prefersHtml(c)) return c.json(summary, 200, { "Cache-Control": PAGE_CACHE_CONTROL });
    const isEmpty = summary.count === 0;
    const sample = isEmpty ? undefined : await getSamplePage(c, collection, summary, statistics.snapshot.id);
    // The next request may be able to read the sample page.
    const caching = isEmpty || sample !== undefined ? PAGE_CACHE_CONTROL : NO_STORE;
    return c.html(renderHome(summary, sample), 200, { ...HTML_HEADERS, "Cache-Control": caching });
  });

  home.all("/", rejectOtherMethods("GET, HEAD"));

  return home;
}

/** Creates a function that describes records for the home page, but only once for a snapshot and its number of visible records. */
function createDescriber() {
  let latest: { id: string | null; described: ReturnType<typeof describeRecords> } | undefined;
  return (statistics: Parameters<typeof describeRecords>[0]) => {
    const { id, count } = statistics.snapshot;
    if (latest?.id !== id || latest.described.count !== count)
      latest = { id, described: describeRecords(statistics) };
    return latest.described;
  };
}

/**
 * Gets page 2, whose response usually has both links, or the only page.
 * @param id The snapshot of the home page
 * @returns undefined if the page cannot be read, or if a load has replaced that snapshot
 */
async function getSamplePage(
  c: AppContext,
  collection: Collection,
  { pages, records_url_without_faults }: Summary,
  id: string | null,
): Promise<SamplePage | undefined> {
  const number = Math.min(2, pages);
  const { origin, searchParams } = new URL(records_url_without_faults);
  const getPageUrl = createPageUrlBuilder(origin, searchParams);
  try {
    const found = await collection.findPage(number);
    if (found?.kind !== "page" || found.snapshot.id !== id) return undefined;
    return { number, page: createPage(found.location, JSON.parse(found.records), getPageUrl) };
  } catch (error) {
    // Logged like a failed request for that page.
    const request = { store: c.env.STORE, method: "GET", path: COLLECTION_PATH };
    logFailure({ event: "request_failed", ...request, status: 503 }, error);
    return undefined;
  }
}
