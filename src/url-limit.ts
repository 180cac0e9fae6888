import type { CollectionMiddleware } from "./bindings.ts";
import { GO_PATH } from "./constants.ts";
import { HttpError } from "./http/errors.ts";
import { getOrigin } from "./http/request.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER, MAX_PAGE } from "./records/page.ts";

/** The HTML view repeats the URL of its request in each of its links. */
const MAX_URL_LENGTH = 2_048;
/** The HTML view has a hidden input for each parameter in each of its forms. */
const MAX_PARAMETERS = 50;

/**
 * Rejects URLs that are too long, or that have too many parameters (RFC 9110, 15.5.15), as sent or as the service repeats them. So it
 * accepts each of its links.
 * @throws 414
 */
export const limitUrl: CollectionMiddleware = ({ req: { url }, env }, next) => {
  // Encoding turns a character into three at most, so the links of a short URL are within the limits.
  const isShort = url.length < MAX_URL_LENGTH / 5 && isWithinLimits(url, MAX_PARAMETERS - 5);
  if (isShort || listRepeatedUrls(url, env.PUBLIC_ORIGIN).every((one) => isWithinLimits(one))) return next();
  const detail = `A URL has at most ${MAX_URL_LENGTH} characters and ${MAX_PARAMETERS} parameters.`;
  throw new HttpError(414, { detail });
};

function isWithinLimits(url: string, maxParameters = MAX_PARAMETERS): boolean {
  return url.length <= MAX_URL_LENGTH && url.split("&").length <= maxParameters;
}

/** The URL as sent, as a redirect to the slash or a retry repeats it, and as the longest link does. */
function listRepeatedUrls(url: string, publicOrigin: string | undefined): string[] {
  const { pathname, search, searchParams: query } = new URL(url);
  const origin = getOrigin(url, publicOrigin);
  if (pathname === GO_PATH) query.delete("date");
  query.set("page", String(MAX_PAGE));
  query.set(JUMP_DATE_PARAMETER, "2000-01-01");
  for (const [name, value] of Object.entries({ format: "json", prefer: "none" }))
    if (query.getAll(name).join("").length < value.length) query.set(name, value);
  return [url, `${origin}${pathname}/${search}`, `${origin}${COLLECTION_PATH}?${query}`];
}
