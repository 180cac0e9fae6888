import { type Context, Hono } from "hono";
import type { Env } from "../../env.ts";
import { refuseMethod } from "../../http/errors.ts";
import { PAGE_CACHING } from "../../http/headers.ts";
import { findOrigin, lastValue, negotiate, readQuery } from "../../http/request.ts";
import { COLLECTION_PATH, lastPage, pageUrls, writeEnvelope } from "../../records/page.ts";
import { cachedStore } from "../../store/open.ts";
import type { WaitUntil } from "../../store/retry.ts";
import { HTML_HEADERS } from "../web-layer.ts";
import { renderLanding, type Sample } from "./landing-page.tsx";
import { createSummary, type Summary } from "./summary.ts";

interface Landing {
  key: string;
  summary: Summary;
  /** Undefined until a client prefers it. */
  html?: string;
}

type LandingContext = Context<{ Bindings: Env }>;

/** The landing page: what the service is and which records it has, as a web page or as JSON. */
export function createLanding(): Hono<{ Bindings: Env }> {
  const landing = new Hono<{ Bindings: Env }>();
  /** The latest summary and page, and what they depend on. Most requests see the same state, origin and settings. */
  let latest: Landing | undefined;

  landing.get("/", async (c) => {
    c.header("Vary", "Accept");
    const representation = negotiate(lastValue(readQuery(c.req.url), "format"), c.req.header("Accept"));
    const stored = await cachedStore(c.env).statistics((work) => c.executionCtx.waitUntil(work));
    const headers = { "Cache-Control": PAGE_CACHING };
    const origin = findOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
    const { STORE, RATE_LIMIT, PREFER, FAULTS } = c.env;
    const key = [stored.state.load, origin, STORE, RATE_LIMIT, PREFER, FAULTS].join(" ");
    if (latest?.key !== key) latest = { key, summary: createSummary(stored, origin, c.env) };
    // Another request may replace the latest one while this one reads the example.
    const current = latest;
    if (representation === "json") return c.json(current.summary, 200, headers);
    current.html ??= renderLanding(current.summary, await readSample(c, origin, current.summary.count));
    return c.body(`<!doctype html>${current.html}`, 200, { ...HTML_HEADERS, ...headers });
  });

  landing.all("/", refuseMethod);

  return landing;
}

/** Reads the second page of the collection, because it has both links, or the first one if there is no other. */
async function readSample(c: LandingContext, origin: string, count: number): Promise<Sample | undefined> {
  const number = Math.min(2, lastPage(count));
  const waitUntil: WaitUntil = (work) => c.executionCtx.waitUntil(work);
  const { found: page } = await cachedStore(c.env).page(number, undefined, waitUntil);
  if (!page || page.location.count === 0) return undefined;
  const url = pageUrls(origin + COLLECTION_PATH, new URLSearchParams());
  const envelope = JSON.parse(writeEnvelope(page.location, page.results, url));
  const results = envelope.results.slice(0, 1);
  return { number, envelope: { ...envelope, results }, more: envelope.results.length - 1 };
}
