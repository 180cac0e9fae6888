/**
 * `Cache-Control` of a page. Caches revalidate a page after a few seconds, because the collection can change. A 304 reads no record. If the
 * service fails, an hour-old copy is better than none (RFC 5861).
 */
export const PAGE_CACHE_CONTROL = "public, max-age=5, stale-if-error=3600";

/** `Cache-Control` of a response that caches must not store, such as an error: the next request can succeed. */
export const NO_STORE = "no-store";

/** The headers of every response. Scripts from any origin can read the response, and browsers do not guess the content type. */
export const SERVICE_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
  "X-Content-Type-Options": "nosniff",
};
