import { type AppContext, SettingError } from "../bindings.ts";
import { HttpError } from "./errors.ts";
import { getPreferredRepresentation } from "./headers.ts";

/** Returns the last value of a query parameter, or null if the parameter is absent. */
export function getLastValue(query: URLSearchParams, name: string): string | null {
  return query.getAll(name).at(-1) ?? null;
}

/** Whether a client prefers HTML. The HTML view decides once for each request, and stores the decision in the variable `prefersHtml`. */
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
 * Checks that the client accepts JSON or HTML.
 * @param format The query parameter. With `json`, `Accept` does not matter
 * @throws 404 for an unknown format, 406 if `Accept` allows neither representation
 */
export function requireAcceptable(format: string | null, accept: string | undefined): void {
  if (format === "json") return;
  if (format !== null && format !== "" && format !== "api") throw new HttpError(404);
  if (getPreferredRepresentation(accept) === undefined) throw new HttpError(406);
}
