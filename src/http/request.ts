import { type AppContext, SettingError } from "../bindings.ts";
import { HttpError } from "./errors.ts";
import { getPreferredRepresentation, type Representation } from "./headers.ts";

/** Returns the last value of a query parameter, or null if the parameter is absent. */
export function getLastValue(query: URLSearchParams, name: string): string | null {
  return query.getAll(name).at(-1) ?? null;
}

/** Whether a client gets the HTML view. */
export function prefersHtml({ req }: AppContext): boolean {
  if (getPreferredRepresentation(req.header("Accept")) !== "html") return false;
  return getLastValue(new URL(req.url).searchParams, "format") !== "json";
}

/**
 * Returns the origin of links: scheme, host and port, without a slash at the end.
 * @param requestUrl The URL of the request
 * @param publicOrigin The setting PUBLIC_ORIGIN, which replaces the origin of the request. An invalid value is ignored, so that the
 *   error response has links
 */
export function getOrigin(requestUrl: string, publicOrigin: string | undefined): string {
  return (publicOrigin && parseOrigin(publicOrigin)) || new URL(requestUrl).origin;
}

/** @returns undefined if the string is not an http or https URL without a path */
function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href ? url.origin : undefined;
}

/**
 * Checks that the value of a setting can be the origin of links.
 * @param setting The name of the setting, for the message
 * @throws SettingError
 */
export function requireOrigin(setting: string, text: string): void {
  if (parseOrigin(text) !== undefined) return;
  const problem = '; it must be an http or https URL without a path, such as "https://counts.example"';
  throw new SettingError(setting, text, problem);
}

/**
 * Chooses the representation of a response.
 * @param format The query parameter. With `json`, the result is JSON. With `api`, an empty value or null, `Accept` selects the result
 * @throws 404 for a different format, 406 if `Accept` allows neither representation
 */
export function negotiate(format: string | null, accept: string | undefined): Representation {
  if (format === "json") return "json";
  if (format !== null && format !== "" && format !== "api") throw new HttpError(404);
  const preferred = getPreferredRepresentation(accept);
  if (preferred === undefined) throw new HttpError(406);
  return preferred;
}
