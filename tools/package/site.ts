/** The static files of the site. The build replaces this name (site-files.ts). */
declare const SITE: Site;

export interface Site {
  /** By path. */
  files: Record<string, { headers: Record<string, string>; text: string }>;
  redirects: Record<string, { status: number; location: string }>;
  /** The headers of responses without a file. */
  headers: Record<string, string>;
  /** Only the service reads the files whose paths begin so. */
  hidden: string[];
}

const files = new Map(Object.entries(SITE.files));
const redirects = new Map(Object.entries(SITE.redirects));

/** Responds with a static file or a redirect, as the platform does. Returns undefined for the paths of the service. */
export function respondWithFile({ method, url, headers }: Request): Response | undefined {
  const { pathname, search } = new URL(url);
  const redirect = redirects.get(pathname);
  if (redirect) {
    const Location = redirect.location + search;
    return new Response(null, { status: redirect.status, headers: { ...SITE.headers, Location } });
  }
  const file = files.get(pathname);
  if (!file || SITE.hidden.some((path) => pathname.startsWith(path))) return undefined;
  if (method !== "GET" && method !== "HEAD")
    return new Response(null, { status: 405, headers: SITE.headers });
  const isUnchanged = headers.get("If-None-Match")?.replace(/^W\//, "") === file.headers.ETag;
  const body = method === "HEAD" || isUnchanged ? null : file.text;
  return new Response(body, { status: isUnchanged ? 304 : 200, headers: file.headers });
}

/** The binding with which the service reads its templates. */
export const ASSETS = {
  fetch: async (url: string) => {
    const file = files.get(new URL(url).pathname);
    return new Response(file?.text ?? null, { status: file ? 200 : 404 });
  },
};
