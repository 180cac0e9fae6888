import { Hono } from "hono";
import type { AppContext, AppEnv } from "../bindings.ts";
import { getFaultOptions } from "../faults/fault-options.ts";
import type { ServeOptions } from "../faults/fault-response.ts";
import type { Faults } from "../faults/faults.ts";
import { hashString } from "../hash.ts";
import { HttpError, MethodNotAllowedError, rejectOtherMethods } from "../http/errors.ts";
import {
  COLLECTION_HEADERS,
  COLLECTION_METHODS,
  createCompleteResponse,
  PAGE_CACHE_CONTROL,
} from "../http/headers.ts";
import { COLLECTION_PATH, createPageUrlBuilder, PATH_WITHOUT_SLASH } from "../http/links.ts";
import { prefersHtml, requireAcceptable } from "../http/negotiation.ts";
import { getHeader, getOrigin, matchesETag, type PageRequest, parsePageRequest } from "../http/request.ts";
import { formatEnvelope, PAGE_SIZE } from "../records/page.ts";
import type { LocatedPage } from "../store/cached-store.ts";
import { getCachedStore } from "../store/create-store.ts";
import { SITE_NAME } from "../views/site.ts";

/** The headers of a page and of its 304, which has none about the body (RFC 9110, 15.4.5). */
const CACHE_HEADERS = { ...COLLECTION_HEADERS, "Cache-Control": PAGE_CACHE_CONTROL };
const PAGE_HEADERS = { ...CACHE_HEADERS, "Content-Type": "application/json" };

/**
 * The response to OPTIONS, which the specification does not show: that of a Django REST Framework list view. `parses` has DRF's defaults,
 * although this service reads no bodies.
 */
export const OPTIONS_BODY = {
  name: SITE_NAME,
  description: `Counts of road users by roadside cameras, newest first, ${PAGE_SIZE} records a page.`,
  renders: ["application/json", "text/html"],
  parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
};

/** Creates the routes of the collection (specification, "Endpoints"). They respond with JSON, which `renderHtml` shows to browsers. */
export function createCollection({ respondWithFaults }: Faults): Hono<AppEnv> {
  const collection = new Hono<AppEnv>();

  collection.all(COLLECTION_PATH, (c) => {
    const request = parsePageRequest(c);
    const faults = getFaultOptions(c, request.query);
    if (faults === undefined) return serve(request);
    return respondWithFaults(request, faults, { serve, findLastPage });
  });

  collection.on(["GET", "OPTIONS"], PATH_WITHOUT_SLASH, (c) =>
    c.redirect(COLLECTION_PATH + new URL(c.req.url).search, 301),
  );
  // No redirect: after a 301, most clients send a POST again as GET, and would get a page instead of the 405.
  collection.all(PATH_WITHOUT_SLASH, rejectOtherMethods(COLLECTION_METHODS));

  return collection;
}

async function serve(request: PageRequest, options: ServeOptions = {}): Promise<Response> {
  const { c, method, query } = request;
  requireAcceptable(c, query);
  if (method === "OPTIONS") return c.json(OPTIONS_BODY);
  if (method !== "GET" && method !== "HEAD") throw new MethodNotAllowedError(method, COLLECTION_METHODS);
  const response = await servePage(request, options);
  // As in Django REST Framework, whether the page is past the end or not a page at all, such as `page=0`.
  if (response === undefined) throw new HttpError(404, { detail: "Invalid page." });
  return response;
}

/** @returns undefined if the collection does not have the page */
async function servePage(request: PageRequest, options: ServeOptions): Promise<Response | undefined> {
  const { c, url, query } = request;
  if (request.page === undefined) return undefined;
  const origin = getOrigin(url, c.env.PUBLIC_ORIGIN);
  const formatETag = createETagFormatter(c, origin);
  const page = await getCachedStore(c.env).findPage(request.page, {
    countHidden: options.countHidden,
    isLocationEnough: createCopyCheck(request, options, formatETag),
  });
  if (page === undefined) return undefined;
  const { snapshot, location, results } = page;
  const ETag = formatETag(page);
  const hasCurrentCopy = results === undefined;
  if (hasCurrentCopy)
    return createCompleteResponse(c, null, { status: 304, headers: { ...CACHE_HEADERS, ETag } });
  const body = formatEnvelope(location, results, createPageUrlBuilder(origin, query));
  const isEmpty = location.count === 0;
  // The home page describes the records. A relative URL works behind every proxy.
  const described = isEmpty ? {} : { "Data-Source": snapshot.source, Link: '</>; rel="describedby"' };
  return createCompleteResponse(c, body, { status: 200, headers: { ...PAGE_HEADERS, ETag, ...described } });
}

/** Creates the function that checks whether the client's copy of a page is current. Returns undefined if the client has no copy. */
function createCopyCheck({ c }: PageRequest, { ignoresCopy = false }: ServeOptions, formatETag: FormatETag) {
  const copies = getHeader(c.req.raw.headers, "If-None-Match");
  if (ignoresCopy || copies === undefined) return undefined;
  // The HTML view has no entity-tag, so no copy of it is current.
  if (prefersHtml(c)) return undefined;
  return (page: LocatedPage) => matchesETag(copies, formatETag(page));
}

async function findLastPage({ c }: PageRequest, { countHidden }: ServeOptions): Promise<number> {
  const page = await getCachedStore(c.env).findPage("last", { countHidden, isLocationEnough: () => true });
  // Every collection has a last page.
  return page?.location.number ?? 1;
}

type FormatETag = (page: LocatedPage) => string;

/**
 * Creates the function that formats the entity-tag of a page. It contains what can change the body at a URL: the snapshot for the records,
 * the number of visible records, the number of the page for `page=last`, and a hash of the version of the code and of the origin in links.
 * The origin itself cannot be part of it, because proxies such as `wrangler dev` rewrite header values that contain a host.
 */
function createETagFormatter(c: AppContext, origin: string): FormatETag {
  const { id = "unknown version" } = c.env.CF_VERSION_METADATA ?? {};
  const hash = hashString(`${id} ${origin}`);
  return ({ snapshot, location }) =>
    `"${snapshot.id ?? "empty"}-${location.count}-${location.number}-${hash}"`;
}
