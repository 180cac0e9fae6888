import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { type ErrorReason, HttpError, methodNotAllowed } from "../http/errors.ts";
import { isCurrent, PAGE_CACHING, respondHtml } from "../http/headers.ts";
import { findOrigin, lastValue, negotiate, readQuery } from "../http/request.ts";
import { cachedStore } from "../store/open.ts";
import type { WaitUntil } from "../store/retry.ts";
import type { State, StoredPage } from "../store/store.ts";
import {
  type Absence,
  COLLECTION_PATH,
  lastPage,
  type PageLocation,
  type PageRequest,
  pageUrls,
  pinQuery,
  readPageRequest,
  resolvePage,
  writeEnvelope,
} from "./page.ts";

const PATH_WITHOUT_SLASH = COLLECTION_PATH.slice(0, -1);

/** The paths of the collection; the one without the slash redirects. */
export const COLLECTION_PATHS = [COLLECTION_PATH, PATH_WITHOUT_SLASH];

/** The methods of the collection, as `Allow` lists them (specification, "List records"). */
export const METHODS = "GET, OPTIONS";

/** The specification does not show the response to OPTIONS; a Django REST Framework list view responds like this. */
export const DESCRIPTION = {
  name: "Traffic Count Records",
  description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
  renders: ["application/json", "text/html"],
  parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
};

/** Changes a page before it is sent, or shown on a web page. */
export interface PageOverride {
  changeEnvelope(envelope: string): Promise<string>;
  changeHeaders(headers: Headers, hasBody: boolean): void;
}

/** With what earlier middleware may set: changes, and how many of the loaded records are shown if not all of them. */
type CollectionEnv = {
  Bindings: Env;
  Variables: { override?: PageOverride; shownCount?: (total: number) => number };
};
type CollectionContext = Context<CollectionEnv>;

/** A page of the collection, for the web page that shows it. */
export interface PageView {
  number: number;
  /** The number of records and the load of its state. */
  count: number;
  load: string;
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
  const records = new Hono<CollectionEnv>();

  records.all(PATH_WITHOUT_SLASH, (c) => c.redirect(COLLECTION_PATH + new URL(c.req.url).search, 301));

  records.all(COLLECTION_PATH, async (c) => {
    const query = readQuery(c.req.url);
    const representation = negotiate(lastValue(query, "format"), c.req.header("Accept"));
    if (c.req.method === "OPTIONS") return c.json(DESCRIPTION);
    if (!["GET", "HEAD"].includes(c.req.method)) throw methodNotAllowed(c.req.method, METHODS);
    const request = readPageRequest(query);
    if (typeof request === "string") throw invalidPage({ code: request });
    return representation === "json"
      ? respondJson(c, query, request)
      : respondWebPage(c, query, request, render);
  });

  return records;
}

async function respondJson(c: CollectionContext, query: URLSearchParams, request: PageRequest) {
  const ifNoneMatch = c.req.header("If-None-Match");
  const current = ifNoneMatch === undefined ? undefined : await findCurrent(c, request, ifNoneMatch);
  if (current) return c.body(null, 304, current);
  const { envelope, headers } = await buildPage(c, query, request);
  return c.body(envelope, 200, headers);
}

/** A web page also changes when the site changes, so it has no entity-tag. */
async function respondWebPage(
  c: CollectionContext,
  query: URLSearchParams,
  request: PageRequest,
  render: RenderPage,
) {
  const page = await buildPage(c, query, request);
  const headers = new Headers(c.res.headers);
  for (const [name, value] of Object.entries(page.headers)) headers.set(name, value);
  c.get("override")?.changeHeaders(headers, true);
  return respondHtml(c, render({ ...page, headers }, c), 200, { "Cache-Control": PAGE_CACHING });
}

/** The headers of the page if the client's copy has the same entity-tag; no record is read then. */
async function findCurrent(c: CollectionContext, request: PageRequest, ifNoneMatch: string) {
  const state = await readShownState(c);
  const location = resolvePage(request, state);
  // The copy of the state may be some seconds old, so reading the page decides whether it exists.
  if (typeof location === "string") return undefined;
  const headers = cacheHeaders(c, { ...location, state });
  return isCurrent(ifNoneMatch, headers.ETag) ? headers : undefined;
}

async function buildPage(c: CollectionContext, requested: URLSearchParams, request: PageRequest) {
  const page = c.get("shownCount")
    ? await findShownPage(c, request)
    : await cachedStore(c.env).page(request, waitWith(c));
  if (typeof page === "string") throw explainAbsence(page, request, await readShownState(c));
  const { count, number, state, results } = page;
  const query = request.asOf ? pinQuery(requested, { count, load: state.load }) : requested;
  const url = pageUrls(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + COLLECTION_PATH, query);
  const intact = writeEnvelope(page, results, url);
  const envelope = (await c.get("override")?.changeEnvelope(intact)) ?? intact;
  const headers = { ...cacheHeaders(c, page), "Content-Type": "application/json" };
  return { count, number, load: state.load, url, query, envelope, headers };
}

/** Where the requested page lies; undefined if the request is not for a page of the collection. */
export async function findLocation(c: CollectionContext): Promise<PageLocation | undefined> {
  const request = c.req.path === COLLECTION_PATH ? readPageRequest(readQuery(c.req.url)) : "other";
  const location = typeof request === "string" ? request : resolvePage(request, await readShownState(c));
  return typeof location === "string" ? undefined : location;
}

/** A page of the state that the collection shows, which is the current one or an earlier one. */
async function findShownPage(c: CollectionContext, request: PageRequest): Promise<StoredPage | Absence> {
  const { load, count } = await readShownState(c);
  const location = resolvePage(request, { load, count });
  if (typeof location === "string") return location;
  const shown = { page: location.number, asOf: { count: location.count, load } };
  return cachedStore(c.env).page(shown, waitWith(c));
}

/** The current state, or an earlier one if middleware limits what the collection shows. */
async function readShownState(c: CollectionContext): Promise<State> {
  const state = await cachedStore(c.env).state(waitWith(c));
  const shownCount = c.get("shownCount");
  return shownCount === undefined ? state : { ...state, count: shownCount(state.count) };
}

const waitWith =
  (c: CollectionContext): WaitUntil =>
  (work) =>
    c.executionCtx.waitUntil(work);

/** The error for a page that a state does not have: it is past the end, or the collection is smaller than `as_of`. */
function explainAbsence(absence: Absence, { asOf }: PageRequest, state: State): HttpError {
  if (absence === "replaced") {
    const detail = "The collection was replaced, so the state that as_of names is gone.";
    return new HttpError(404, { detail, reason: { code: "replaced" } });
  }
  const { count } = asOf === undefined || asOf === "latest" ? state : asOf;
  return count > state.count
    ? invalidPage({ code: "not_reached", count: state.count })
    : invalidPage({ code: "past_the_end", last: lastPage(count) });
}

/** The body is the same for every reason, as in Django REST Framework. */
function invalidPage(reason: ErrorReason): HttpError {
  return new HttpError(404, { detail: "Invalid page.", reason });
}

/**
 * The headers with which caches keep and validate a page. The entity-tag is a strong one (RFC 9110, 8.8.3): the revision
 * identifies the records, the origin is in the links, and another version of the code may write an envelope in another way.
 */
function cacheHeaders(c: CollectionContext, page: Pick<StoredPage, "state" | "count" | "number">) {
  const code = c.env.CF_VERSION_METADATA?.id.slice(0, 8) ?? "";
  const origin = findOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
  const etag = `"${page.state.revision}-${page.count}-${page.number}-${code}-${origin}"`;
  return { ETag: etag, "Cache-Control": PAGE_CACHING };
}
