import { parseAccept } from "hono/utils/accept";
import type { CollectionMiddleware } from "../bindings.ts";

/**
 * `Cache-Control` of a page. A cache revalidates it after a few seconds, because the collection may have changed; if it
 * has not, that costs only a 304. If the service fails, an hour-old copy is better than none (RFC 9111, 5.2.2;
 * RFC 5861, 4).
 */
export const PAGE_CACHE_CONTROL = "public, max-age=5, stale-if-error=3600";

/** `Cache-Control` of an error, which says nothing about the next request (RFC 9111, 5.2.2.5). */
export const ERROR_CACHE_CONTROL = "no-store";

/** An entity-tag in a header (RFC 9110, 8.8.3). It may contain commas. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether the client's copy is current: `If-None-Match` contains the tag or is `*` (RFC 9110, 13.1.2). The comparison is
 * weak, so a `W/` before a tag is ignored.
 * @param ifNoneMatch the header; undefined if the client has no copy
 * @param etag the current strong entity-tag, with its quotes
 */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, tag]) => tag === etag);
}

export type Representation = "json" | "html";

/**
 * The representation that a client prefers: by weight (RFC 9110, 12.5.1), then by the range that names more, and otherwise JSON.
 * @param accept the header; absent, empty or without any media range means that every type is accepted
 * @returns undefined if it allows neither
 */
export function getPreferredRepresentation(accept: string | undefined): Representation | undefined {
  // Most clients are programs, which send one of these. Parsing it would take a tenth of the time of a page from memory.
  if (accept === undefined || accept === "*/*") return "json";
  const ranges = parseAccept(accept);
  if (ranges.length === 0) return "json";
  const json = matchRange("application/json", ranges);
  const html = matchRange("text/html", ranges);
  if (json.weight === 0 && html.weight === 0) return undefined;
  return (html.weight - json.weight || html.specificity - json.specificity) > 0 ? "html" : "json";
}

/** The most specific range that matches a media type: its weight, 0 if none does, and how many names it has besides `*`. */
function matchRange(mediaType: string, ranges: ReturnType<typeof parseAccept>) {
  const [kind] = mediaType.split("/");
  for (const [index, range] of [mediaType, `${kind}/*`, "*/*"].entries()) {
    const weights = ranges.filter(({ type }) => type.toLowerCase() === range).map(({ q }) => q);
    if (weights.length > 0) return { weight: Math.max(...weights), specificity: 2 - index };
  }
  return { weight: 0, specificity: 0 };
}

/**
 * Sets the headers of every response: scripts of any origin may read it (Fetch standard, "CORS protocol"), and browsers
 * must not guess another content type.
 */
export const serviceHeaders: CollectionMiddleware = (c, next) => {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "*");
  c.header("X-Content-Type-Options", "nosniff");
  return next();
};

/**
 * Responds to CORS preflights (Fetch standard, "CORS-preflight request"). Only the methods of the specification are allowed.
 * A browser does not send `PUT`, `PATCH` or `DELETE` then, so a script sees a failed `fetch` and never their 405. Hono's middleware
 * takes every OPTIONS for a preflight, but the collection responds to OPTIONS itself.
 */
export const respondToPreflight: CollectionMiddleware = async (c, next) => {
  if (c.req.method !== "OPTIONS" || c.req.header("Access-Control-Request-Method") === undefined)
    return next();
  return c.body(null, 204, {
    "Access-Control-Allow-Methods": "GET, OPTIONS",
    "Access-Control-Allow-Headers": "*",
    // One day: the response never depends on the request, so browsers may keep it for long.
    "Access-Control-Max-Age": "86400",
  });
};
