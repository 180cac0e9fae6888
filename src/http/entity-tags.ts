/** An `entity-tag` (RFC 9110, 8.8.3), whose characters can be commas and `obs-text`. The group is its `opaque-tag`. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether the client's copy is current: `If-None-Match` contains the tag or is `*`. The comparison is weak (RFC 9110, 13.1.2), so a `W/`
 * before a tag is ignored.
 * @param etag The current strong entity-tag, with its quotes
 */
export function matchesETag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, tag]) => tag === etag);
}
