import { getMimeType } from "hono/utils/mime";
import { SERVICE_HEADERS } from "../../src/http/headers.ts";
import { SEED_CSV_PATH } from "../../src/store/seed.ts";
import { HTML_HEADERS } from "../../src/views/html-middleware.ts";
import { REFERENCE_PATH } from "../../src/views/site.ts";
import { readPackageFile, SAMPLE_CSV_FILE } from "./sample-data.ts";

/** The contents of the static files, by path. The build replaces the name `FILES` with these contents. */
declare const FILES: Record<string, string>;

/**
 * Responds with a static file, as the platform does: a deployment gets the same headers from public/_headers.
 * @returns undefined if the path has no static file
 */
export function respondWithFile({ method, url }: Request): Response | undefined {
  const { pathname, search } = new URL(url);
  if (pathname === "/favicon.ico")
    return new Response(null, {
      status: 302,
      headers: { ...SERVICE_HEADERS, Location: `/assets/icon.svg${search}` },
    });
  const contents = pathname === SEED_CSV_PATH ? readPackageFile(SAMPLE_CSV_FILE) : FILES[pathname];
  if (contents === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD")
    return new Response(null, { status: 405, headers: SERVICE_HEADERS });
  const plain = { "Content-Type": getMimeType(pathname) ?? "text/plain; charset=utf-8" };
  const caching = { "Cache-Control": "public, max-age=0, must-revalidate" };
  const type = pathname === REFERENCE_PATH ? HTML_HEADERS : plain;
  return new Response(contents, { headers: { ...SERVICE_HEADERS, ...type, ...caching } });
}
