import { Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { isCurrent, PAGE_CACHING } from "../http/caching.ts";
import { httpError, methodNotAllowed } from "../http/errors.ts";
import { negotiate } from "../http/negotiation.ts";
import { findOrigin } from "../http/origin.ts";
import { lastValue } from "../http/query.ts";
import type { Description } from "./description.ts";
import { COLLECTION_PATH, writeEnvelope } from "./envelope.ts";
import { lastPage, type PageNumber, parsePageNumber } from "./page.ts";
import { openStore } from "./store/open.ts";
import type { WaitUntil } from "./store/shared-reads.ts";
import type { State } from "./store/store.ts";

const PATH = COLLECTION_PATH;
const PATH_WITHOUT_SLASH = PATH.slice(0, -1);

/** The paths at which the collection answers, be it by a redirect. */
export const COLLECTION_PATHS = [PATH, PATH_WITHOUT_SLASH];

/** What OPTIONS answers; the specification does not show it, so it is what a Django REST Framework list view says. */
export const DESCRIPTION: Description = {
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
    const known = await store.state(waitUntil);
    const etag = writeEtag(known, requireInside(page, known));
    if (isCurrent(ifNoneMatch, etag)) return c.body(null, 304, keepable(etag));
  }
  const { state, number, results } = await store.page(page, waitUntil);
  const etag = writeEtag(state, requireInside(number, state));
  const requested = c.get("url");
  const collection = findOrigin(requested, c.env.PUBLIC_ORIGIN) + PATH;
  const envelope = writeEnvelope({ count: state.count, number, results }, collection, requested.searchParams);
  return c.body(envelope, 200, { ...keepable(etag), "Content-Type": "application/json" });
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

/** The entity-tag of a page, a strong one: a state's pages never change (RFC 9110, 8.8.3). */
function writeEtag({ version, count }: State, number: number): string {
  return `"${version}-${count}-${number}-json"`;
}

/** The headers by which a copy of a page is kept and validated. */
function keepable(etag: string): Record<string, string> {
  return { ETag: etag, "Cache-Control": PAGE_CACHING };
}
