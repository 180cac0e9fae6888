import type { AppMiddleware } from "../bindings.ts";
import { HttpError } from "../http/errors.ts";
import { getOrigin } from "../http/request.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER } from "../records/links.ts";
import { MAX_PAGE } from "../records/page.ts";
import { PATH_WITHOUT_SLASH } from "./collection.ts";

/**
 * The maximum length of a URL, with the scheme and the host that links have (RFC 9110, 4.1 recommends 8,000 or more). No link is longer,
 * so every link of a response works.
 */
const MAX_URL_LENGTH = 8_192;

export const URL_TOO_LONG = `The URL, or a link that repeats its parameters, would be longer than ${MAX_URL_LENGTH} characters.`;

/** The parameters that links and forms set or add, with their longest values. */
const SET_PARAMETERS = { format: "json", page: String(MAX_PAGE), [JUMP_DATE_PARAMETER]: "2025-10-29" };
const ADDED_PARAMETERS = { prefer: "none", date: "2025-10-29" };

/** @throws 414 */
export const limitUrlLength: AppMiddleware = (c, next) => {
  if (canBeTooLong(c.req.url, c.env.PUBLIC_ORIGIN)) requireShortUrls(c.req.url, c.env.PUBLIC_ORIGIN);
  return next();
};

/** A fast check for most requests. Encoding makes a query at most three times as long, because `~` becomes `%7E`. */
function canBeTooLong(requestUrl: string, publicOrigin = ""): boolean {
  const maxAdded = 200;
  return publicOrigin.length + 3 * requestUrl.length + maxAdded > MAX_URL_LENGTH;
}

function requireShortUrls(requestUrl: string, publicOrigin: string | undefined): void {
  const { pathname, search, searchParams } = new URL(requestUrl);
  const origin = getOrigin(requestUrl, publicOrigin);
  const path = pathname === PATH_WITHOUT_SLASH ? COLLECTION_PATH : pathname;
  const urls = [origin + path + search, getLongestLink(origin, searchParams)];
  if (urls.some(({ length }) => length > MAX_URL_LENGTH)) throw new HttpError(414, { detail: URL_TOO_LONG });
}

/** Returns the longest link that a response can have. The response to each of its links has the same longest link. */
function getLongestLink(origin: string, query: URLSearchParams): string {
  const longest = new URLSearchParams(query.toString());
  for (const [name, value] of Object.entries(SET_PARAMETERS)) longest.set(name, value);
  for (const [name, value] of Object.entries(ADDED_PARAMETERS)) {
    if (!longest.has(name)) longest.set(name, value);
  }
  return `${origin}${COLLECTION_PATH}?${longest}`;
}
