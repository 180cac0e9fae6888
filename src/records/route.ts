import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { type ErrorReason, HttpError, methodNotAllowed } from "../http/errors.ts";
import { isCurrent, PAGE_CACHING, respondHtml } from "../http/headers.ts";
import { findOrigin, lastValue, negotiate, readQuery } from "../http/request.ts";
import { lastBlock } from "../store/block.ts";
import { cachedStore } from "../store/open.ts";
import type { WaitUntil } from "../store/retry.ts";
import type { State } from "../store/state.ts";
import {
  COLLECTION_PATH,
  type Hide,
  lastPage,
  locatePage,
  PAGE_SIZE,
  type PageLocation,
  type PageNumber,
  pageUrls,
  parsePageNumber,
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

/** With what earlier middleware may set: changes, and how many records are hidden. */
type CollectionEnv = { Bindings: Env; Variables: { override?: PageOverride; hide?: Hide } };
type CollectionContext = Context<CollectionEnv>;

/** A page of the collection, for the web page that shows it. */
export interface PageView {
  number: number;
  /** The body and the headers of the response that a client gets. */
  envelope: string;
  headers: Headers;
  /** The absolute URL of each page, with the other parameters of the request. */
  url: (page: number) => string;
  /** The query of the request. */
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
    const page = parsePageNumber(lastValue(query, "page"));
    if (page === undefined) throw invalidPage({ code: "invalid_page" });
    return representation === "json" ? respondJson(c, query, page) : respondWebPage(c, query, page, render);
  });

  return records;
}

async function respondJson(c: CollectionContext, query: URLSearchParams, page: PageNumber) {
  const ifNoneMatch = c.req.header("If-None-Match");
  const current = ifNoneMatch === undefined ? undefined : await findCurrent(c, page, ifNoneMatch);
  if (current) return c.body(null, 304, current);
  const { envelope, headers } = await buildPage(c, query, page);
  return c.body(envelope, 200, headers);
}

/** A web page also changes when the site changes, so it has no entity-tag. */
async function respondWebPage(
  c: CollectionContext,
  query: URLSearchParams,
  page: PageNumber,
  render: RenderPage,
) {
  const built = await buildPage(c, query, page);
  const headers = new Headers(c.res.headers);
  for (const [name, value] of Object.entries(built.headers)) headers.set(name, value);
  c.get("override")?.changeHeaders(headers, true);
  return respondHtml(c, render({ ...built, query, headers }, c), 200, { "Cache-Control": PAGE_CACHING });
}

/** The headers of the page if the client's copy has the same entity-tag; no record is read then. */
async function findCurrent(c: CollectionContext, page: PageNumber, ifNoneMatch: string) {
  const state = await cachedStore(c.env).state(waitWith(c));
  const location = requestFor(c, page).locate(state.count);
  // The copy of the state may be some seconds old, so reading the page decides whether it exists.
  if (!location) return undefined;
  const headers = cacheHeaders(c, state, location);
  return isCurrent(ifNoneMatch, headers.ETag) ? headers : undefined;
}

async function buildPage(c: CollectionContext, query: URLSearchParams, page: PageNumber) {
  const { state, page: found } = await cachedStore(c.env).page(requestFor(c, page), waitWith(c));
  if (!found) throw invalidPage({ code: "past_the_end", last: lastPage(countShown(c, state)) });
  const { place, results } = found;
  const url = pageUrls(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + COLLECTION_PATH, query);
  const intact = writeEnvelope(place, results, url);
  const envelope = (await c.get("override")?.changeEnvelope(intact)) ?? intact;
  const headers = { ...cacheHeaders(c, state, place), "Content-Type": "application/json" };
  return { number: place.number, url, envelope, headers };
}

/** Where the requested page lies; undefined if the request is not for a page of the collection. */
export async function findLocation(c: CollectionContext): Promise<PageLocation | undefined> {
  if (c.req.path !== COLLECTION_PATH) return undefined;
  const page = parsePageNumber(lastValue(readQuery(c.req.url), "page"));
  if (page === undefined) return undefined;
  return requestFor(c, page).locate((await cachedStore(c.env).state(waitWith(c))).count);
}

/** A page lies in one block, whose number follows from the page, unless records are hidden. */
function requestFor(c: CollectionContext, page: PageNumber) {
  const hide = c.get("hide");
  const block = page === "last" ? page : lastBlock(PAGE_SIZE * page);
  return {
    block: hide ? undefined : block,
    locate: (count: number) => locatePage(page, count, hide?.(count)),
  };
}

function countShown(c: CollectionContext, { count }: State): number {
  return count - (c.get("hide")?.(count) ?? 0);
}

const waitWith =
  (c: CollectionContext): WaitUntil =>
  (work) =>
    c.executionCtx.waitUntil(work);

/** The body is the same for every reason, as in Django REST Framework. */
function invalidPage(reason: ErrorReason): HttpError {
  return new HttpError(404, { detail: "Invalid page.", reason });
}

/**
 * The headers with which caches keep and validate a page. The entity-tag is a strong one (RFC 9110, 8.8.3): the load
 * identifies the records, the origin is in the links, and another version of the code may write an envelope in another way.
 */
function cacheHeaders(c: CollectionContext, { load }: State, { count, number }: PageLocation) {
  const code = c.env.CF_VERSION_METADATA?.id.slice(0, 8) ?? "";
  const origin = findOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
  const etag = `"${load}-${count}-${number}-${code}-${origin}"`;
  return { ETag: etag, "Cache-Control": PAGE_CACHING };
}
