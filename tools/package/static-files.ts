import { getMimeType } from "hono/utils/mime";
import { SEED_CSV_PATH } from "../../src/store/seed.ts";
import { HTML_HEADERS } from "../../src/views/html-middleware.ts";
import { REFERENCE_PATH } from "../../src/views/site.ts";
import { readPackageFile, SAMPLE_CSV_FILE } from "./sample-data.ts";

/** The contents of the static files, by path. The build replaces the name `FILES` with these contents. */
declare const FILES: Record<string, string>;

// A deployment gets these headers from the platform and from public/_headers. The HTTP suite checks the headers of both.
const HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
  "X-Content-Type-Options": "nosniff",
};

/** Responds with a static file, as the platform does. Returns undefined if the path has no static file. */
export function respondWithFile({ method, url }: Request): Response | undefined {
  const { pathname, search } = new URL(url);
  if (pathname === "/favicon.ico")
    return new Response(null, {
      status: 302,
      headers: { ...HEADERS, Location: `/assets/icon.svg${search}` },
    });
  const contents = pathname === SEED_CSV_PATH ? readPackageFile(SAMPLE_CSV_FILE) : FILES[pathname];
  if (contents === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405, headers: HEADERS });
  const plain = { "Content-Type": getMimeType(pathname) ?? "text/plain; charset=utf-8" };
  const caching = { "Cache-Control": "public, max-age=0, must-revalidate" };
  const type = pathname === REFERENCE_PATH ? HTML_HEADERS : plain;
  return new Response(contents, { headers: { ...HEADERS, ...type, ...caching } });
}
