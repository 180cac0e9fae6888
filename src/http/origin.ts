/**
 * The scheme, host and port under which clients reach the service, for absolute links.
 * @param requested the absolute URL of the request, as the client used it
 * @param publicOrigin replaces it when set: an http or https URL without path, such as `https://counts.example`
 * @returns an origin without a trailing slash
 * @throws if publicOrigin is anything else, since every link would be broken
 */
export function findOrigin(requested: string, publicOrigin: string | undefined): string {
  if (!publicOrigin) return originOf(requested);
  const url = URL.canParse(publicOrigin) ? new URL(publicOrigin) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href) {
    throw new Error(
      `PUBLIC_ORIGIN is ${JSON.stringify(publicOrigin)}; it must be an http or https URL without path, such as "https://counts.example"`,
    );
  }
  return url.origin;
}

/** Scheme and authority of an absolute URL (RFC 3986, 3). */
const AUTHORITY = /^[^/?]*\/\/[^/?]*/;

/** The origin that was asked for last: an instance is hardly ever asked for two, and parsing one takes time. */
let latest = { text: "", origin: "" };

function originOf(requested: string): string {
  const [text] = AUTHORITY.exec(requested) ?? [requested];
  if (latest.text !== text) latest = { text, origin: new URL(text).origin };
  return latest.origin;
}
