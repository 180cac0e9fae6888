import { type CollectionContext, SettingError } from "../bindings.ts";
import { HttpError } from "./errors.ts";
import { getPreferredRepresentation, type Representation } from "./headers.ts";

/** The value of a query parameter, or null if it is absent. If it is repeated, the last value counts. */
export function getLastValue(query: URLSearchParams, name: string): string | null {
  return query.getAll(name).at(-1) ?? null;
}

/** Whether a client gets the HTML view. */
export function prefersHtml({ req }: CollectionContext): boolean {
  if (getPreferredRepresentation(req.header("Accept")) !== "html") return false;
  return getLastValue(new URL(req.url).searchParams, "format") !== "json";
}

/**
 * The scheme, host and port under which clients reach the service, for absolute links, without a slash at the end.
 * @param requestUrl the absolute URL of the request, as the client used it
 * @param publicOrigin replaces the origin of the request. A wrong one does not, so that a page can show the error
 */
export function getOrigin(requestUrl: string, publicOrigin: string | undefined): string {
  return (publicOrigin && parseOrigin(publicOrigin)) || new URL(requestUrl).origin;
}

/** @returns undefined if the text is not an http or https URL without a path */
function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href ? url.origin : undefined;
}

/**
 * Checks the origin of links.
 * @param setting its name, for the message
 * @throws SettingError if every link would be broken
 */
export function requireOrigin(setting: string, text: string): void {
  if (parseOrigin(text) !== undefined) return;
  const problem = '; it must be an http or https URL without a path, such as "https://counts.example"';
  throw new SettingError(setting, text, problem);
}

/**
 * Chooses the representation of a response.
 * @param format the query parameter: `json` decides; absent, empty or `api` leaves the choice to Accept
 * @param accept the Accept header
 * @throws 404 for any other format, 406 if Accept allows neither
 */
export function negotiate(format: string | null, accept: string | undefined): Representation {
  if (format === "json") return "json";
  if (format !== null && format !== "" && format !== "api") throw new HttpError(404);
  const preferred = getPreferredRepresentation(accept);
  if (preferred === undefined) throw new HttpError(406);
  return preferred;
}
