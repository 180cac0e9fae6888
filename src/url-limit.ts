import type { AppMiddleware } from "./bindings.ts";
import { DATE_JUMP_PATH } from "./constants.ts";
import { HttpError } from "./http/errors.ts";
import { getLastValue, getOrigin } from "./http/request.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER, MAX_PAGE } from "./records/page.ts";

/** The maximum length of a URL, because the HTML view repeats the URL of the request in each link. */
const MAX_URL_LENGTH = 2_048;
/** The maximum number of parameters, because each form of the HTML view has a hidden input for each parameter. */
const MAX_PARAMETERS = 50;

/** The parameters that links set, with the longest value of each. */
const LINK_PARAMETERS = {
  page: String(MAX_PAGE),
  format: "json",
  prefer: "none",
  [JUMP_DATE_PARAMETER]: "2000-01-01",
};

/**
 * Rejects a URL that exceeds the limits, or whose response would have a link that exceeds the limits. So the service accepts each of its
 * own links.
 * @throws 414
 */
export const limitUrl: AppMiddleware = ({ req: { url }, env }, next) => {
  // Percent-encoding triples the length at most, so the links of a short URL are within the limits.
  const isShort = url.length < MAX_URL_LENGTH / 5 && url.split("&").length <= MAX_PARAMETERS - 5;
  if (isShort || isWithinLimits(url, getOrigin(url, env.PUBLIC_ORIGIN))) return next();
  const limits = `${MAX_URL_LENGTH} characters or ${MAX_PARAMETERS} parameters`;
  throw new HttpError(414, { detail: `The URL, or a link that repeats it, exceeds ${limits}.` });
};

function isWithinLimits(url: string, origin: string): boolean {
  const { pathname, search, searchParams: query } = new URL(url);
  if (pathname === DATE_JUMP_PATH) query.delete("date");
  // Two links repeat the query exactly as sent: the redirect to the path with the slash, and the link to try again.
  const unchangedLink = origin + pathname.replace(/\/?$/, "/") + search;
  // All other links encode the query again.
  let length = `${origin}${COLLECTION_PATH}?${query}`.length;
  let parameters = query.size;
  for (const [name, value] of Object.entries(LINK_PARAMETERS)) {
    const sent = getLastValue(query, name);
    if (sent === null) parameters += 1;
    length += sent === null ? `&${name}=${value}`.length : Math.max(0, value.length - sent.length);
  }
  return Math.max(url.length, unchangedLink.length, length) <= MAX_URL_LENGTH && parameters <= MAX_PARAMETERS;
}
