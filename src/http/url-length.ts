import type { AppMiddleware } from "../bindings.ts";
import { MAX_PAGE } from "../records/page.ts";
import { HttpError } from "./errors.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER, PATH_WITHOUT_SLASH } from "./links.ts";
import { getLastValue, getOrigin } from "./request.ts";

/**
 * The maximum length of a URL, with the scheme and the host that links have (RFC 9110, 4.1 recommends 8,000 or more). No link is longer,
 * so every link of a response works.
 */
const MAX_URL_LENGTH = 8_192;

export const URL_TOO_LONG = `The URL, or a link that repeats its parameters, would be longer than ${MAX_URL_LENGTH} characters.`;

const DAY = "2025-10-29";

/** The longest values that links give to parameters of which one value counts. */
const LONGEST_VALUES = { format: "json", page: String(MAX_PAGE) };

/** The parameters that some links and forms add. */
const ADDED_VALUES = { prefer: "none", date: DAY };

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
  const url = new URL(requestUrl);
  const { pathname, search, searchParams } = url;
  const origin = getOrigin(url, publicOrigin);
  const path = pathname === PATH_WITHOUT_SLASH ? COLLECTION_PATH : pathname;
  const longestPath = path.length > COLLECTION_PATH.length ? path : COLLECTION_PATH;
  const urls = [origin + path + search, `${origin}${longestPath}?${getLongestQuery(searchParams)}`];
  if (urls.some(({ length }) => length > MAX_URL_LENGTH)) throw new HttpError(414, { detail: URL_TOO_LONG });
}

/** Returns the longest query that links of the response can have. The responses to these links have the same one, or a shorter one. */
function getLongestQuery(query: URLSearchParams): URLSearchParams {
  const longest = new URLSearchParams(query.toString());
  longest.set(JUMP_DATE_PARAMETER, DAY);
  for (const [name, value] of Object.entries(LONGEST_VALUES)) {
    const requested = getLastValue(query, name) ?? "";
    const isLonger = encodeURIComponent(requested).length > value.length;
    longest.set(name, isLonger ? requested : value);
  }
  for (const [name, value] of Object.entries(ADDED_VALUES)) {
    if (!longest.has(name)) longest.set(name, value);
  }
  return longest;
}
