import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { methodNotAllowed } from "../http/errors.ts";
import { isCurrent, PAGE_CACHING } from "../http/headers.ts";
import { respondHtml } from "../http/html.ts";
import { findOrigin, lastValue, negotiate, type Representation, readQuery } from "../http/request.ts";
import { cachedStore } from "../store/open.ts";
import type { WaitUntil } from "../store/retry.ts";
import type { StoredPage } from "../store/store.ts";
import { DESCRIPTION, METHODS } from "./description.ts";
import { COLLECTION_PATH, writeEnvelope } from "./envelope.ts";
import { explainEnd, invalidPage, replaced } from "./missing-page.ts";
import { formatAsOf, type PageRequest, pageUrls, parseAsOf, parsePageNumber, resolvePage } from "./page.ts";

const PATH = COLLECTION_PATH;
const PATH_WITHOUT_SLASH = PATH.slice(0, -1);

/** The query parameter that keeps a walk to one state. New records renumber nothing, so earlier states stay readable. */
const AS_OF = "as_of";

/** The paths of the collection; the one without the slash redirects. */
export const COLLECTION_PATHS = [PATH, PATH_WITHOUT_SLASH];

/** The paths above the collection. They lead to it, temporarily, because there may be an index one day. */
const PARENTS = ["/api", "/api/", "/api/tf1", "/api/tf1/"];

/** What earlier middleware may set for the collection. */
interface Variables {
  /** How many of the loaded records the collection shows, if not all of them. */
  shownCount?: (total: number) => number;
}

type CollectionContext = Context<{ Bindings: Env; Variables: Variables }>;

/** A page of the collection, for the web page that shows it. */
export interface PageView {
  count: number;
  /** Its number. */
  number: number;
  /** The body and the headers of the response that a client gets. */
  envelope: string;
  headers: Headers;
  /** The absolute URL of each page, with the other parameters of the request. */
  url: (page: number) => string;
  /** The query of the request; if the links keep to a state, it names that state. */
  query: URLSearchParams;
}

/** Writes the web page of a page of the collection. */
export type RenderPage = (view: PageView, c: Context) => string;

/** Sets the headers of every response of the collection (specification, "List records"). */
export const collectionHeaders: MiddlewareHandler = (c, next) => {
  c.header("Allow", METHODS);
  c.header("Vary", "Accept");
  return next();
};

/**
 * The collection (specification, "Endpoints").
 * @param render renders the web page of a page, for browsers
 */
export function collection(render: RenderPage) {
  const records = new Hono<{ Bindings: Env; Variables: Variables }>();

  for (const parent of PARENTS) records.get(parent, (c) => c.redirect(PATH, 302));

  records.all(PATH_WITHOUT_SLASH, (c) => c.redirect(PATH + new URL(c.req.url).search, 301));

  records.get(PATH, (c) => {
    const query = readQuery(c.req.url);
    return negotiateFor(c, query) === "json" ? respondJson(c, query) : respondWebPage(c, query, render);
  });

  records.options(PATH, (c) => {
    negotiateFor(c, readQuery(c.req.url));
    return c.json(DESCRIPTION);
  });

  records.all(PATH, (c) => {
    negotiateFor(c, readQuery(c.req.url));
    throw methodNotAllowed(c.req.method, METHODS);
  });

  return records;
}

/** Every handler calls this first. As a middleware it would cost every page some time. */
function negotiateFor(c: CollectionContext, query: URLSearchParams): Representation {
  return negotiate(lastValue(query, "format"), c.req.header("Accept"));
}

async function respondJson(c: CollectionContext, query: URLSearchParams): Promise<Response> {
  const request = parseQuery(query);
  const unchanged = await findUnchanged(c, request);
  if (unchanged) return c.body(null, 304, cacheHeaders(unchanged));
  const { envelope, headers } = await readPage(c, query, request);
  return c.body(envelope, 200, headers);
}

/** A web page also changes when the site changes, so it has no entity-tag. */
async function respondWebPage(
  c: CollectionContext,
  query: URLSearchParams,
  render: RenderPage,
): Promise<Response> {
  const { headers, ...read } = await readPage(c, query, parseQuery(query));
  const all = new Headers(c.res.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return respondHtml(c, render({ ...read, headers: all }, c), 200, { "Cache-Control": PAGE_CACHING });
}

/** The entity-tag of the page if the client's copy has the same one; no record is read then. */
async function findUnchanged(c: CollectionContext, request: PageRequest): Promise<string | undefined> {
  const ifNoneMatch = c.req.header("If-None-Match");
  if (ifNoneMatch === undefined) return undefined;
  const state = await cachedStore(c.env).state(waitWith(c));
  const location = resolvePage(request, state);
  // The copy of the state may be some seconds old, so reading the page decides whether it exists.
  if (typeof location === "string") return undefined;
  const etag = writeEtag(c, { ...location, state });
  return isCurrent(ifNoneMatch, etag) ? etag : undefined;
}

async function readPage(c: CollectionContext, requested: URLSearchParams, request: PageRequest) {
  const shownCount = c.get("shownCount");
  const shown = shownCount === undefined ? request : await limitToShown(c, request, shownCount);
  const page = await cachedStore(c.env).page(shown, waitWith(c));
  if (page === "replaced") throw replaced();
  if (page === "past the end") throw explainEnd(shown, await cachedStore(c.env).state(waitWith(c)));
  const { count, number, results, state } = page;
  const query = request.asOf === undefined ? requested : pin(requested, { ...state, count });
  const url = pageUrls(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + PATH, query);
  const headers = { ...cacheHeaders(writeEtag(c, page)), "Content-Type": "application/json" };
  return { count, number, url, query, envelope: writeEnvelope({ count, number, results }, url), headers };
}

/**
 * Turns a request for the current state into one for the state that the collection shows.
 * @throws 404 if it asks for a later state
 */
async function limitToShown(
  c: CollectionContext,
  request: PageRequest,
  shownCount: (total: number) => number,
): Promise<PageRequest> {
  const { count: total, load } = await cachedStore(c.env).state(waitWith(c));
  const count = shownCount(total);
  const { asOf } = request;
  if (asOf === undefined || asOf === "latest") return { ...request, asOf: { count, load } };
  if (asOf.count > count) throw invalidPage({ code: "not_reached", count });
  return request;
}

function waitWith(c: CollectionContext): WaitUntil {
  return (work) => c.executionCtx.waitUntil(work);
}

/** @throws 404 if it is not a page of any state */
function parseQuery(query: URLSearchParams): PageRequest {
  const page = parsePageNumber(lastValue(query, "page"));
  const text = lastValue(query, AS_OF);
  const asOf = text === null ? undefined : parseAsOf(text);
  if (page === undefined) throw invalidPage({ code: "invalid_page" });
  if (text !== null && asOf === undefined) throw invalidPage({ code: "invalid_as_of" });
  return { page, asOf };
}

/** The query with the state, so that all links lead to pages of the same one. */
function pin(query: URLSearchParams, state: { count: number; load: string }): URLSearchParams {
  const pinned = new URLSearchParams(query);
  pinned.set(AS_OF, formatAsOf(state));
  return pinned;
}

/**
 * The entity-tag of a page, a strong one (RFC 9110, 8.8.3). The revision identifies the content; the version of the code
 * is part of it since an envelope may be written in another way, or with another origin, after a deployment.
 */
function writeEtag(c: CollectionContext, { state, count, number }: Omit<StoredPage, "results">): string {
  const code = c.env.CF_VERSION_METADATA?.id ?? "";
  return `"${state.revision}-${count}-${number}-${code.slice(0, 8)}"`;
}

/** The headers with which caches keep and validate a page. */
function cacheHeaders(etag: string): Record<string, string> {
  return { ETag: etag, "Cache-Control": PAGE_CACHING };
}
