import { type AppContext, SettingError } from "../bindings.ts";
import { type PageNumber, parsePageNumber } from "../records/page.ts";

/** A request for a page of the collection. */
export interface PageRequest {
  c: AppContext;
  method: string;
  url: URL;
  query: URLSearchParams;
  /** Undefined if the parameter is invalid, such as 0 or x. */
  page: PageNumber | undefined;
  /** The entity-tags of the client's copies: the header `If-None-Match`. */
  copies: string | undefined;
}

export function parsePageRequest(c: AppContext): PageRequest {
  const url = new URL(c.req.url);
  const query = url.searchParams;
  const page = parsePageNumber(getLastValue(query, "page"));
  const copies = getHeader(c.req.raw.headers, "If-None-Match");
  return { c, method: c.req.method, url, query, page, copies };
}

/** The maximum length of a header that is parsed: the same as of a URL. */
export const MAX_HEADER_LENGTH = 8_192;

/** Returns a header of a request. An empty one counts as absent, and so does a long one, which could take longer to parse than a page. */
export function getHeader(headers: Pick<Headers, "get">, name: string): string | undefined {
  const value = headers.get(name) ?? "";
  return value === "" || value.length > MAX_HEADER_LENGTH ? undefined : value;
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

/** Returns the last value of a query parameter, or null if the parameter is absent. */
export function getLastValue(query: URLSearchParams, name: string): string | null {
  return query.getAll(name).at(-1) ?? null;
}

/**
 * Returns the origin of links: scheme, host and port, without a slash at the end.
 * @param publicOrigin The setting PUBLIC_ORIGIN replaces the origin of the request, unless it is absent or empty. An invalid value is
 *   ignored, so that the page of the error has links
 */
export function getOrigin(url: URL, publicOrigin: string | undefined): string {
  // Not left to `parseOrigin`: in workerd, parsing an empty URL costs as much as serving a page.
  if (!publicOrigin) return url.origin;
  return parseOrigin(publicOrigin) ?? url.origin;
}

/**
 * Checks that the value of a setting can be the origin of links.
 * @throws SettingError
 */
export function requireOrigin(setting: string, text: string): void {
  if (parseOrigin(text) !== undefined) return;
  const problem = '; it must be an http or https URL without a path, such as "https://counts.example"';
  throw new SettingError(setting, text, problem);
}

/** @returns undefined if the string is not an http or https URL without a path */
function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const isHttp = url.protocol === "http:" || url.protocol === "https:";
  const isOnlyOrigin = url.href === `${url.origin}/`;
  return isHttp && isOnlyOrigin ? url.origin : undefined;
}
