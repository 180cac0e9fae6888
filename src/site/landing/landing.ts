import { Hono } from "hono";
import type { CollectionContext, CollectionEnv } from "../../bindings.ts";
import { refuseMethod } from "../../http/errors.ts";
import { ERROR_CACHING, PAGE_CACHING } from "../../http/headers.ts";
import { findOrigin, lastValue, negotiate } from "../../http/request.ts";
import { logFailure } from "../../log.ts";
import { COLLECTION_PATH, createPageUrls, formatEnvelope, getLastPage } from "../../records/page.ts";
import { getCachedStore } from "../../store/create-store.ts";
import type { WaitUntil } from "../../store/retry.ts";
import type { State } from "../../store/state.ts";
import { HTML_HEADERS } from "../web-layer.ts";
import { renderLanding, type Sample } from "./landing-page.tsx";
import { createSummary, summarizeStatistics } from "./summary.ts";

/** The landing page: what the service is and which records it has, as a web page or as JSON. */
export function createLanding(): Hono<CollectionEnv> {
  const landing = new Hono<CollectionEnv>();
  const getSummarized = createStatisticsCache();
  /** The latest web page, and what it depends on. Most requests see the same state, origin and settings. */
  let latest: { key: string; html: string } | undefined;

  landing.get("/", async (c) => {
    c.header("Vary", "Accept");
    const format = lastValue(new URL(c.req.url).searchParams, "format");
    const representation = negotiate(format, c.req.header("Accept"));
    const summarized = await getSummarized(c);
    const { state } = summarized;
    const origin = findOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
    const headers = { "Cache-Control": PAGE_CACHING };
    const summary = createSummary(summarized, origin, c.env);
    if (representation === "json") return c.json(summary, 200, headers);
    const { STORE, RATE_LIMIT, PREFER, FAULTS } = c.env;
    const key = [state.load, origin, STORE, RATE_LIMIT, PREFER, FAULTS].join(" ");
    let html = latest?.key === key ? latest.html : undefined;
    if (html === undefined) {
      const sample = summary.count > 0 ? await readSample(c, origin, state) : undefined;
      html = `<!doctype html>${renderLanding(summary, sample)}`;
      // The sample may be readable the next time.
      if (sample || summary.count === 0) latest = { key, html };
      else headers["Cache-Control"] = ERROR_CACHING;
    }
    return c.body(html, 200, { ...HTML_HEADERS, ...headers });
  });

  landing.all("/", refuseMethod);

  return landing;
}

/** Caches the summarized statistics of the latest load. */
function createStatisticsCache() {
  let latest: ReturnType<typeof summarizeStatistics> | undefined;
  return async (c: CollectionContext) => {
    const store = getCachedStore(c.env);
    const waitUntil: WaitUntil = (work) => c.executionCtx.waitUntil(work);
    const { load } = await store.state(waitUntil);
    if (latest?.state.load !== load) latest = summarizeStatistics(await store.statistics(waitUntil));
    return latest;
  };
}

/**
 * Reads the second page of the collection, because it has both links, or the first one if there is no other.
 * @returns undefined if the page cannot be read, or if it is of another load than the rest of the landing page
 */
async function readSample(c: CollectionContext, origin: string, state: State): Promise<Sample | undefined> {
  const number = Math.min(2, getLastPage(state.count));
  try {
    const page = await getCachedStore(c.env).page(number, undefined, (work) =>
      c.executionCtx.waitUntil(work),
    );
    if (!page.found || page.state.load !== state.load) return undefined;
    const { location, results } = page.found;
    const url = createPageUrls(origin + COLLECTION_PATH, new URLSearchParams());
    const envelope = JSON.parse(formatEnvelope(location, results, url));
    return { number, envelope: { ...envelope, results: envelope.results.slice(0, 1) } };
  } catch (error) {
    // As a request for the page would be logged.
    const where = { store: c.env.STORE, method: "GET", path: COLLECTION_PATH, status: 503 };
    logFailure({ event: "request_failed", ...where }, error);
    return undefined;
  }
}
