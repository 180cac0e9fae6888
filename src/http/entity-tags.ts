import { hashString } from "../hash.ts";
import type { PageLocation } from "../records/page.ts";

/**
 * Creates a function that formats the entity-tag of a page. It contains all that can change the body at a URL: the snapshot, the number of
 * visible records, the number of the page (for `page=last`), and a hash of the version of the code and of the origin in links. The origin
 * itself cannot be part of it, because proxies such as `wrangler dev` rewrite header values that contain a host.
 */
export function createETagFormatter(codeVersion: string | undefined, origin: string) {
  const hash = hashString(`${codeVersion ?? "unknown version"} ${origin}`);
  return (snapshotId: string | null, { count, number }: PageLocation) =>
    `"${snapshotId ?? "empty"}-${count}-${number}-${hash}"`;
}

/** The `opaque-tag` of an entity-tag (RFC 9110, 8.8.3). It can contain a comma. */
const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Whether the client's copy is current: `If-None-Match` contains the tag or is `*`. The comparison is weak (RFC 9110, 13.1.2), so a `W/`
 * before a tag is skipped.
 * @param etag The current strong entity-tag, with its quotes
 */
export function matchesETag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.match(OPAQUE_TAG)?.includes(etag) ?? false;
}
