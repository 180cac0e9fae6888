import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../env.ts";
import { HttpError, methodNotAllowed } from "../http/errors.ts";
import { isCurrent, PAGE_CACHING } from "../http/headers.ts";
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

/** The same for every reason, as in Django REST Framework. */
const INVALID_PAGE = "Invalid page.";

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

/** Changes a page before it is sent. */
export interface PageOverride {
  changeEnvelope(envelope: string): Promise<string>;
  changeHeaders(headers: Headers, hasBody: boolean): void;
}

/** Where the requested page is among the pages of the collection. It is past the end if its number is greater. */
export interface Place {
  number: number;
  pages: number;
}

export interface CollectionEnv {
  Bindings: Env;
  Variables: {
    /** The mock may set it: how many records are hidden. */
    hide?: Hide;
    /** The mock may set it: changes a page. */
    override?: PageOverride;
    /** The mock sets it if it responds with an error. */
    fault?: true;
    /** The route sets it if the request is for a page, for those around it. */
    place?: Place;
  };
}
type CollectionContext = Context<CollectionEnv>;

/** Sets the headers of every response of the collection (specification, "List records"). */
export const collectionHeaders: MiddlewareHandler = (c, next) => {
  c.header("Allow", METHODS);
  c.header("Vary", "Accept");
  return next();
};

/** The collection (specification, "Endpoints"). It responds with JSON to every client; the web layer shows that as a page. */
export function createCollection(): Hono<CollectionEnv> {
  const records = new Hono<CollectionEnv>();

  records.all(PATH_WITHOUT_SLASH, (c) => c.redirect(COLLECTION_PATH + new URL(c.req.url).search, 301));

  records.all(COLLECTION_PATH, async (c) => {
    const query = readQuery(c.req.url);
    negotiate(lastValue(query, "format"), c.req.header("Accept"));
    if (c.req.method === "OPTIONS") return c.json(DESCRIPTION);
    if (!["GET", "HEAD"].includes(c.req.method)) throw methodNotAllowed(c.req.method, METHODS);
    const page = parsePageNumber(lastValue(query, "page"));
    if (page === undefined) throw new HttpError(404, { detail: INVALID_PAGE });
    return respondPage(c, query, page);
  });

  return records;
}

async function respondPage(c: CollectionContext, query: URLSearchParams, page: PageNumber) {
  const ifNoneMatch = c.req.header("If-None-Match");
  const current = ifNoneMatch === undefined ? undefined : await findCurrent(c, page, ifNoneMatch);
  if (current) return c.body(null, 304, current);
  const { envelope, headers } = await buildPage(c, query, page);
  return c.body(envelope, 200, headers);
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
  if (!found) {
    c.set("place", { number: Number(page), pages: lastPage(countShown(c, state)) });
    throw new HttpError(404, { detail: INVALID_PAGE });
  }
  const { place, results } = found;
  c.set("place", place);
  const url = pageUrls(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + COLLECTION_PATH, query);
  const intact = writeEnvelope(place, results, url);
  const envelope = (await c.get("override")?.changeEnvelope(intact)) ?? intact;
  const headers = { ...cacheHeaders(c, state, place), "Content-Type": "application/json" };
  return { envelope, headers };
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
