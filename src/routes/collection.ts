import { Hono } from "hono";
import type { AppEnv } from "../bindings.ts";
import { getFaultOptions } from "../faults/fault-options.ts";
import type { Faults } from "../faults/faults.ts";
import { createETagFormatter, matchesETag } from "../http/entity-tags.ts";
import { InvalidPageError, MethodNotAllowedError, rejectOtherMethods } from "../http/errors.ts";
import {
  COLLECTION_HEADERS,
  COLLECTION_METHODS,
  createCompleteResponse,
  PAGE_CACHE_CONTROL,
} from "../http/headers.ts";
import { COLLECTION_PATH, createPageUrlBuilder, formatEnvelope, PATH_WITHOUT_SLASH } from "../http/links.ts";
import { prefersHtml, requireAcceptable } from "../http/negotiation.ts";
import { getOrigin } from "../http/origin.ts";
import { type PageRequest, parsePageRequest } from "../http/request.ts";
import { PAGE_SIZE } from "../records/page.ts";
import type { Page } from "../records/schema.ts";
import type { Collection, LocatedPage } from "../store/cached-store.ts";
import { getCachedStore } from "../store/create-store.ts";
import { SITE_NAME } from "../views/site.ts";

/** The headers of a 304: none describes the body, which a 304 lacks (RFC 9110, 15.4.5). */
const CACHE_HEADERS = { ...COLLECTION_HEADERS, "Cache-Control": PAGE_CACHE_CONTROL };
const PAGE_HEADERS = { ...CACHE_HEADERS, "Content-Type": "application/json" };

/**
 * The response to OPTIONS. The specification does not show it, so it is that of a Django REST Framework list view. `parses` has DRF's
 * defaults, although this service reads no bodies.
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
    if (faults === undefined) return serve(request, getCachedStore(c.env));
    return respondWithFaults(request, faults, serve);
  });

  collection.on(["GET", "OPTIONS"], PATH_WITHOUT_SLASH, (c) =>
    c.redirect(COLLECTION_PATH + new URL(c.req.url).search, 301),
  );
  // Other methods are not redirected: after a 301, most clients send a POST again as GET, and would get a page instead of the 405.
  collection.all(PATH_WITHOUT_SLASH, rejectOtherMethods(COLLECTION_METHODS));

  return collection;
}

declare module "hono" {
  interface ContextVariableMap {
    /** The page without faults, and how many newer records `grow` hides. Read by the HTML view. */
    served?: { page: Page; hidden: number };
  }
}

/** Responds to a request, without faults. */
async function serve(request: PageRequest, collection: Collection): Promise<Response> {
  const { c, method, query } = request;
  requireAcceptable(c, query);
  if (method === "OPTIONS") return c.json(OPTIONS_BODY);
  if (method !== "GET" && method !== "HEAD") throw new MethodNotAllowedError(method, COLLECTION_METHODS);
  if (request.page === undefined) throw new InvalidPageError();

  const origin = getOrigin(request.url, c.env.PUBLIC_ORIGIN);
  const formatETag = createETagFormatter(c.env.CF_VERSION_METADATA?.id, origin);
  const getETag = ({ snapshot, location }: LocatedPage) => formatETag(snapshot.id, location);
  const page = await collection.findPage(request.page, { matchesCopy: createCopyTest(request, getETag) });
  if (page === undefined) throw new InvalidPageError();

  const ETag = getETag(page);
  if (page.kind === "not modified")
    return createCompleteResponse(c, null, { status: 304, headers: { ...CACHE_HEADERS, ETag } });
  const { snapshot, location, hidden, records } = page;
  const getPageUrl = createPageUrlBuilder(origin, query);
  const body = formatEnvelope(location, records, getPageUrl);
  if (prefersHtml(c)) c.set("served", { page: JSON.parse(body), hidden });
  const hasRecords = location.count > 0;
  // The home page describes the records. Its link is relative, so that it is right behind a proxy that changes the host, too.
  const aboutRecords = hasRecords ? { "Data-Source": snapshot.source, Link: '</>; rel="describedby"' } : {};
  return createCompleteResponse(c, body, {
    status: 200,
    headers: { ...PAGE_HEADERS, ETag, ...aboutRecords },
  });
}

/** Creates the test whether the client has a current copy of a page; undefined if it names no copy, or asks for HTML, which has no ETag. */
function createCopyTest({ c, ifNoneMatch }: PageRequest, getETag: (page: LocatedPage) => string) {
  if (ifNoneMatch === undefined || prefersHtml(c)) return undefined;
  return (page: LocatedPage) => matchesETag(ifNoneMatch, getETag(page));
}
