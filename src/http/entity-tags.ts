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
