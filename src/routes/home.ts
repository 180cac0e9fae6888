import { Hono } from "hono";
import type { AppEnv } from "../bindings.ts";
import { requireFaultOptions } from "../faults/fault-options.ts";
import type { Faults } from "../faults/faults.ts";
import { rejectOtherMethods } from "../http/errors.ts";
import { HTML_HEADERS, PAGE_CACHE_CONTROL } from "../http/headers.ts";
import { createPageUrlBuilder, formatEnvelope } from "../http/links.ts";
import { prefersHtml, requireAcceptable } from "../http/negotiation.ts";
import { getOrigin } from "../http/origin.ts";
import { describeSettings } from "../settings.ts";
import type { Collection } from "../store/cached-store.ts";
import { renderHome, type SamplePage } from "../views/home/home-page.tsx";
import { createSummary, type Summary } from "../views/home/summary.ts";

const CACHE_HEADERS = { "Cache-Control": PAGE_CACHE_CONTROL };

/** Creates the route of the home page, a description of the service and of its records in HTML or JSON. */
export function createHome({ getCollection }: Faults): Hono<AppEnv> {
  const home = new Hono<AppEnv>();

  home.get("/", async (c) => {
    c.header("Vary", "Accept");
    const url = new URL(c.req.url);
    requireAcceptable(c, url.searchParams);
    const settings = describeSettings(c.env);
    const rules = requireFaultOptions("PREFER", settings.prefer ?? "");
    const collection = getCollection(c, rules);
    const statistics = await collection.getStatistics();
    const origin = getOrigin(url, c.env.PUBLIC_ORIGIN);
    const summary = createSummary({ statistics, rules, origin, settings });
    if (!prefersHtml(c)) return c.json(summary, 200, CACHE_HEADERS);
    const isEmpty = summary.count === 0;
    const sample = isEmpty ? undefined : await getSamplePage(collection, summary, statistics.snapshot.id);
    return c.html(renderHome(summary, sample), 200, { ...HTML_HEADERS, ...CACHE_HEADERS });
  });

  home.all("/", rejectOtherMethods("GET, HEAD"));

  return home;
}

/**
 * Gets page 2, whose response usually has both links, or the only page.
 * @param id The snapshot of the home page
 * @returns undefined if a load has replaced that snapshot
 */
async function getSamplePage(
  collection: Collection,
  { pages, records_url_without_faults }: Summary,
  id: string | null,
): Promise<SamplePage | undefined> {
  const number = Math.min(2, pages);
  const found = await collection.findPage(number);
  if (found?.kind !== "page" || found.snapshot.id !== id) return undefined;
  const { origin, searchParams } = new URL(records_url_without_faults);
  const getPageUrl = createPageUrlBuilder(origin, searchParams);
  return { number, page: JSON.parse(formatEnvelope(found.location, found.records, getPageUrl)) };
}
