import { parseAccept } from "hono/utils/accept";
import type { AppMiddleware } from "../bindings.ts";

// Headers of requests and responses (RFC 9110, RFC 9111).

/**
 * `Cache-Control` of a page. Caches revalidate a page after a few seconds, because the collection can change. A 304 costs little. If the
 * service fails, an hour-old copy is better than none (RFC 5861).
 */
export const PAGE_CACHE_CONTROL = "public, max-age=5, stale-if-error=3600";

/** `Cache-Control` of an error. Caches do not store the error, because the next request can succeed. */
export const ERROR_CACHE_CONTROL = "no-store";

/** An entity-tag in a header. The tag can contain commas. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether the client's copy is current: `If-None-Match` contains the tag or is `*`. The comparison is weak (RFC 9110, 13.1.2), so a `W/`
 * before a tag is ignored.
 * @param etag The current strong entity-tag, with its quotes
 */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, tag]) => tag === etag);
}

/** Creates a hash for an entity-tag: 32 hexadecimal digits. */
export async function createDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns the representation with the higher weight in `Accept`. With equal weights, the more specific media range wins, or JSON.
 * @param accept The header. A header without a media range allows every type
 * @returns undefined if `Accept` allows neither JSON nor HTML
 */
export function getPreferredRepresentation(accept: string | undefined): "json" | "html" | undefined {
  // Skips parsing for the two values that most clients send.
  if (accept === undefined || accept === "*/*") return "json";
  const ranges = parseAccept(accept);
  if (ranges.length === 0) return "json";
  const json = matchRange("application/json", ranges);
  const html = matchRange("text/html", ranges);
  if (json.weight === 0 && html.weight === 0) return undefined;
  return (html.weight - json.weight || html.specificity - json.specificity) > 0 ? "html" : "json";
}

/** Finds the most specific range that matches a media type. If no range matches, the weight is 0. */
function matchRange(mediaType: string, ranges: ReturnType<typeof parseAccept>) {
  const [kind] = mediaType.split("/");
  for (const [index, range] of [mediaType, `${kind}/*`, "*/*"].entries()) {
    const weights = ranges.filter(({ type }) => type.toLowerCase() === range).map(({ q }) => q);
    if (weights.length > 0) return { weight: Math.max(...weights), specificity: 2 - index };
  }
  return { weight: 0, specificity: 0 };
}

/** Sets the headers of every response. Scripts from any origin can read the response, and browsers do not guess the content type. */
export const serviceHeaders: AppMiddleware = (c, next) => {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "*");
  c.header("X-Content-Type-Options", "nosniff");
  return next();
};

/**
 * Responds to CORS preflights. Hono's own middleware treats every OPTIONS request as a preflight, but the collection responds to OPTIONS.
 * Browsers do not send `PUT`, `PATCH` or `DELETE` after this response, so in a script these methods fail without a status.
 */
export const respondToPreflight: AppMiddleware = async (c, next) => {
  if (c.req.method !== "OPTIONS" || c.req.header("Access-Control-Request-Method") === undefined)
    return next();
  return c.body(null, 204, {
    "Access-Control-Allow-Methods": "GET, OPTIONS",
    "Access-Control-Allow-Headers": "*",
    // Browsers may cache the response for a day, because it is always the same.
    "Access-Control-Max-Age": "86400",
  });
};
