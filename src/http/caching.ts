/**
 * What clients and caches may do with a page. They ask again after a few seconds, since the collection may have
 * changed; that costs a 304 if it has not. If the service fails, an hour-old copy is better than none
 * (RFC 9111, 5.2.2; RFC 5861, 4).
 */
export const PAGE_CACHING = "public, max-age=5, stale-if-error=3600";

/** An error says nothing of the next request (RFC 9111, 5.2.2.5). */
export const ERROR_CACHING = "no-store";

/** An entity-tag as it stands in a header (RFC 9110, 8.8.3); a comma may be part of it. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether the client's copy is current (RFC 9110, 13.1.2): If-None-Match names the tag, in a list or alone, or is `*`.
 * The comparison is the weak one, so `W/` before a tag does not matter.
 * @param ifNoneMatch the header; absent is no copy
 * @param etag the current strong entity-tag, with its quotes
 */
export function isCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, tag]) => tag === etag);
}
