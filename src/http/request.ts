import { SettingError } from "../setting-error.ts";

/** Returns the last value of a query parameter, or null if the parameter is absent. */
export function getLastValue(query: URLSearchParams, name: string): string | null {
  return query.getAll(name).at(-1) ?? null;
}

/** Removes the values of `page` and `format` that do not count, because links repeat only the last ones. */
export function keepLastValues(query: URLSearchParams): void {
  for (const name of ["format", "page"]) {
    const [, ...others] = query.getAll(name);
    const last = others.at(-1);
    // A change encodes the whole query anew.
    if (last !== undefined) query.set(name, last);
  }
}

/**
 * Returns the origin of links: scheme, host and port, without a slash at the end.
 * @param publicOrigin The setting PUBLIC_ORIGIN, which replaces the origin of the request. An invalid value is ignored, so that the
 *   error response has links
 */
export function getOrigin(url: URL, publicOrigin = ""): string {
  // In workerd, parsing an empty URL costs as much as serving a page.
  if (publicOrigin === "") return url.origin;
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
