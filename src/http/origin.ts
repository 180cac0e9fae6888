/**
 * The scheme, host and port under which clients reach the service, for absolute links.
 * @param requested the URL of the request, as the client used it
 * @param publicOrigin replaces it when set: an http or https URL without path, such as `https://counts.example`
 * @returns an origin without a trailing slash
 * @throws if publicOrigin is anything else, since every link would be broken
 */
export function findOrigin(requested: URL, publicOrigin: string | undefined): string {
  if (!publicOrigin) return requested.origin;
  const url = URL.canParse(publicOrigin) ? new URL(publicOrigin) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href) {
    throw new Error(
      `PUBLIC_ORIGIN is ${JSON.stringify(publicOrigin)}; it must be an http or https URL without path, such as "https://counts.example"`,
    );
  }
  return url.origin;
}
