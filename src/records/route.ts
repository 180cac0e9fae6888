import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { isCurrent, PAGE_CACHING } from "../http/caching.ts";
import { httpError, methodNotAllowed } from "../http/errors.ts";
import { negotiate } from "../http/negotiation.ts";
import { findOrigin } from "../http/origin.ts";
import { lastValue } from "../http/query.ts";
import { lastPage, neighbours, type PageNumber, pageUrls, parsePageNumber } from "./page.ts";
import { openStore } from "./store/open.ts";
import type { WaitUntil } from "./store/shared-reads.ts";
import type { State, StoredPage } from "./store/store.ts";

const PATH = "/api/tf1/records/";
const PATH_WITHOUT_SLASH = "/api/tf1/records";

/** The paths at which the collection answers, be it by a redirect. */
export const COLLECTION_PATHS = [PATH, PATH_WITHOUT_SLASH];

/** What OPTIONS answers; the specification does not show it, so it is what a Django REST Framework list view says. */
const DESCRIPTION = {
  name: "Traffic Count Records",
  description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
  renders: ["application/json"],
  parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
};

type CollectionEnv = { Bindings: Env; Variables: { url: URL } };

/** Puts on every answer of the collection what the specification shows on each (specification, "List records"). */
export const collectionHeaders: MiddlewareHandler = (c, next) => {
  c.header("Allow", "GET, OPTIONS");
  c.header("Vary", "Accept");
  return next();
};

/** The collection (specification, "Endpoints"). */
export const records = new Hono<CollectionEnv>();

records.all(PATH_WITHOUT_SLASH, (c) => c.redirect(PATH + new URL(c.req.url).search, 301));

records.use(PATH, (c, next) => {
  const url = new URL(c.req.url);
  negotiate(lastValue(url.searchParams, "format"), c.req.header("Accept"));
  c.set("url", url);
  return next();
});

records.get(PATH, async (c) => {
  const page = requirePage(parsePageNumber(lastValue(c.get("url").searchParams, "page")));
  const store = openStore(c.env);
  const waitUntil: WaitUntil = (work) => c.executionCtx.waitUntil(work);
  const ifNoneMatch = c.req.header("If-None-Match");
  if (ifNoneMatch !== undefined) {
    const state = await store.state(waitUntil);
    if (isCurrent(ifNoneMatch, validate(c, state, requireInside(page, state)))) return c.body(null, 304);
  }
  const stored = await store.page(page, waitUntil);
  const number = requireInside(stored.number, stored.state);
  const envelope = writeEnvelope(stored, c);
  validate(c, stored.state, number);
  return c.body(envelope, 200, { "Content-Type": "application/json" });
});

records.options(PATH, (c) => c.json(DESCRIPTION));

records.all(PATH, (c) => {
  throw methodNotAllowed(c.req.method);
});

function requirePage(page: PageNumber | undefined): PageNumber {
  if (page === undefined) throw invalidPage();
  return page;
}

function requireInside(page: PageNumber, { count }: State): number {
  const last = lastPage(count);
  const number = page === "last" ? last : page;
  if (number > last) throw invalidPage();
  return number;
}

function invalidPage() {
  return httpError(404, "Invalid page.");
}

/**
 * Sets the headers by which a copy of the page is kept and validated.
 * @returns the entity-tag: strong, since a version's pages never change (RFC 9110, 8.8.3)
 */
function validate(c: Context, { version, count }: State, number: number): string {
  const etag = `"${version}-${count}-${number}-json"`;
  c.header("ETag", etag);
  c.header("Cache-Control", PAGE_CACHING);
  return etag;
}

/** The page envelope (specification), around records that are JSON already. */
function writeEnvelope({ state, number, results }: StoredPage, c: Context<CollectionEnv>): string {
  const requested = c.get("url");
  const url = pageUrls(findOrigin(requested, c.env.PUBLIC_ORIGIN) + PATH, requested.searchParams);
  const { next, previous } = neighbours(state.count, number);
  const link = (page: number | null) => (page === null ? null : JSON.stringify(url(page)));
  return `{"count":${state.count},"next":${link(next)},"previous":${link(previous)},"results":${results}}`;
}
