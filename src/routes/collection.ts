import { Hono } from "hono";
import type { AppContext, AppEnv, AppMiddleware } from "../bindings.ts";
import { getFaultOptions } from "../faults/fault-options.ts";
import type { Faults, ServedRequest, ServedResponse } from "../faults/faults.ts";
import { hashString } from "../hash.ts";
import { matchesETag } from "../http/entity-tags.ts";
import { HttpError, MethodNotAllowedError } from "../http/errors.ts";
import { PAGE_CACHE_CONTROL } from "../http/headers.ts";
import { COLLECTION_METHODS } from "../http/methods.ts";
import { requireAcceptable } from "../http/negotiation.ts";
import { getLastValue, getOrigin } from "../http/request.ts";
import { formatEnvelope } from "../records/envelope.ts";
import { COLLECTION_PATH, createPageUrlBuilder } from "../records/links.ts";
import { type GetHiddenCount, type PageLocation, parsePageNumber } from "../records/page.ts";
import { getCachedStore } from "../store/create-store.ts";
import type { MaybeSnapshot } from "../store/snapshot.ts";
import { SITE_NAME } from "../views/site.ts";

/** The error for a page that no collection has and for a page past the end, as in Django REST Framework. */
const INVALID_PAGE = { detail: "Invalid page." };

export const PATH_WITHOUT_SLASH = COLLECTION_PATH.slice(0, -1);

/** The paths of the collection. The path without the slash redirects. */
export const COLLECTION_PATHS = [COLLECTION_PATH, PATH_WITHOUT_SLASH];

/** The response to OPTIONS, which the specification does not show: the fields of a Django REST Framework list view. */
export const OPTIONS_BODY = {
  name: SITE_NAME,
  description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
  renders: ["application/json", "text/html"],
  parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
};

/** A link to the home page, which describes the records. The URL is relative, so that it works behind any proxy. */
const DESCRIBED_BY = '</>; rel="describedby"';

/** Sets the headers of every response of the collection (specification, "List records"). */
export const setCollectionHeaders: AppMiddleware = (c, next) => {
  c.header("Allow", COLLECTION_METHODS);
  c.header("Vary", "Accept");
  return next();
};

/** Creates the routes of the collection (specification, "Endpoints"). They respond with JSON, which `renderHtml` shows to browsers. */
export function createCollection({ createGetHiddenCount, applyFaults }: Faults): Hono<AppEnv> {
  const records = new Hono<AppEnv>();

  // After a 301, most clients send a POST again as GET, and would get a page instead of the 405.
  records.on(["GET", "OPTIONS"], PATH_WITHOUT_SLASH, (c) =>
    c.redirect(COLLECTION_PATH + new URL(c.req.url).search, 301),
  );
  records.all(PATH_WITHOUT_SLASH, (c) => {
    throw new MethodNotAllowedError(c.req.method, COLLECTION_METHODS);
  });

  records.all(COLLECTION_PATH, async (c) => {
    const query = new URL(c.req.url).searchParams;
    const options = getFaultOptions(c, query);
    if (!options) return (await serve(c, query)).response;
    const getHiddenCount = createGetHiddenCount(options);
    const request: ServedRequest = {
      c,
      query,
      locatePage: () => locateRequestedPage(c, query, getHiddenCount),
      serve: (conditions) => serve(c, query, { ...conditions, getHiddenCount }),
    };
    const { response, applied } = await applyFaults(request, options);
    c.set("applied", applied);
    return response;
  });

  return records;
}

interface ServeOptions {
  getHiddenCount?: GetHiddenCount | undefined;
  /** Whether the response is a 304 if the client's copy is current. */
  canBeNotModified?: boolean;
}

/** Serves a request without faults. */
async function serve(
  c: AppContext,
  query: URLSearchParams,
  options: ServeOptions = {},
): Promise<ServedResponse> {
  requireAcceptable(getLastValue(query, "format"), c.req.header("Accept"));
  if (c.req.method === "OPTIONS") return { response: c.json(OPTIONS_BODY), isPage: false };
  if (!["GET", "HEAD"].includes(c.req.method))
    throw new MethodNotAllowedError(c.req.method, COLLECTION_METHODS);
  return { response: await servePage(c, query, options), isPage: true };
}

/** Serves a page, or a 304 if the client's copy is current. */
async function servePage(
  c: AppContext,
  query: URLSearchParams,
  { getHiddenCount, canBeNotModified = true }: ServeOptions,
): Promise<Response> {
  const number = parsePageNumber(getLastValue(query, "page"));
  if (number === undefined) throw new HttpError(404, INVALID_PAGE);
  const origin = getOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
  const hash = getVersionHash(c, origin);
  const ifNoneMatch = c.req.header("If-None-Match");
  const isNotModified = (snapshot: MaybeSnapshot, location: PageLocation) =>
    matchesETag(ifNoneMatch, formatETag(snapshot, location, hash));
  // The HTML view has no entity-tag.
  const isConditional = ifNoneMatch !== undefined && canBeNotModified && !c.var.prefersHtml;
  const page = await getCachedStore(c.env).getPage(number, {
    getHiddenCount,
    isNotModified: isConditional ? isNotModified : undefined,
  });
  if (!page) throw new HttpError(404, INVALID_PAGE);
  const { snapshot, location } = page;
  const caching = { ETag: formatETag(snapshot, location, hash), "Cache-Control": PAGE_CACHE_CONTROL };
  if (page.isNotModified) return c.body(null, 304, caching);
  const getPageUrl = createPageUrlBuilder(origin + COLLECTION_PATH, query);
  const body = formatEnvelope(location, page.results, getPageUrl);
  const description = location.count > 0 ? { "Data-Source": snapshot.source, Link: DESCRIBED_BY } : {};
  return createPageResponse(c, body, { ...caching, ...description });
}

/**
 * Sets headers on the response. Headers passed to `c.body` cost more time, and Hono merges them into later responses: a 503 would inherit
 * this ETag.
 */
function createPageResponse(c: AppContext, body: string, headers: Record<string, string>): Response {
  const response = c.body(body);
  response.headers.set("Content-Type", "application/json");
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** Locates the requested page in the current snapshot. Returns undefined if the snapshot does not have the page. */
async function locateRequestedPage(
  c: AppContext,
  query: URLSearchParams,
  getHiddenCount: GetHiddenCount | undefined,
): Promise<PageLocation | undefined> {
  const number = parsePageNumber(getLastValue(query, "page"));
  if (number === undefined) return undefined;
  return getCachedStore(c.env).findLocation(number, { getHiddenCount });
}

/**
 * Formats the entity-tag of a page. It contains everything that can change the body: the snapshot for the records, and a hash of the
 * origin for the links and of the version of the code for the format.
 */
function formatETag({ id }: MaybeSnapshot, { count, number }: PageLocation, hash: string): string {
  return `"${id ?? "empty"}-${count}-${number}-${hash}"`;
}

/** Hashes the origin, because proxies such as `wrangler dev` rewrite header values that contain a host. */
function getVersionHash(c: AppContext, origin: string): string {
  return hashString(`${c.env.CF_VERSION_METADATA?.id} ${origin}`).toString(16);
}
