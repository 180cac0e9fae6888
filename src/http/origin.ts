import { SettingError } from "../bindings.ts";

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
