import { getMimeType } from "hono/utils/mime";
import { ASSETS_PATH } from "#assets-path";
import { hashString } from "../../src/hash.ts";
import { matchesETag } from "../../src/http/entity-tags.ts";
import { MethodNotAllowedError } from "../../src/http/errors.ts";
import { HTML_HEADERS, SERVICE_HEADERS } from "../../src/http/headers.ts";
import { getHeader } from "../../src/http/request.ts";
import { SEED_CSV_PATH } from "../../src/store/seed.ts";
import { REFERENCE_PATH } from "../../src/views/site.ts";
import { createErrorResponse } from "./respond.ts";
import { readPackageFile } from "./sample-data.ts";

/** The contents of the static files, by path. The build replaces the name `FILES` with these contents. */
declare const FILES: Record<string, string>;

const SEED_CSV = new URL("./seed.csv.gz", import.meta.url);

/** The static files that clients have read. */
const files = new Map<string, { bytes: Buffer<ArrayBuffer>; etag: string }>();

/** `Cache-Control` of files whose path changes with their contents. */
const FOR_EVER = "public, max-age=31536000, immutable";

/** The redirects of the platform: those of the build's file `_redirects`, and those to pages. */
const REDIRECTS = new Map([
  ["/favicon.ico", { status: 302, path: `${ASSETS_PATH}/icon.svg` }],
  [`${REFERENCE_PATH}/`, { status: 307, path: REFERENCE_PATH }],
]);

/**
 * Responds with a static file, uncompressed, and with the headers that a deployment gets from public/_headers.
 * @returns undefined if the path has no static file
 */
export function respondWithFile({ method, url, headers }: Request): Response | undefined {
  // Parsing the URL takes longer, and the service parses it, too.
  const target = url.slice(url.indexOf("/", "https://".length));
  const [pathname = ""] = target.split("?", 1);
  const redirect = REDIRECTS.get(pathname);
  if (redirect !== undefined) {
    const Location = redirect.path + target.slice(pathname.length);
    return new Response(null, { status: redirect.status, headers: { ...SERVICE_HEADERS, Location } });
  }
  const file = findFile(pathname);
  if (file === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD")
    return createErrorResponse(new MethodNotAllowedError(method, "GET, HEAD"), SERVICE_HEADERS);
  const lifetime = pathname.startsWith(`${ASSETS_PATH}/`) ? FOR_EVER : "public, max-age=0, must-revalidate";
  const shared = { ...SERVICE_HEADERS, "Cache-Control": lifetime, ETag: file.etag };
  const copy = getHeader(headers, "If-None-Match");
  if (copy !== undefined && matchesETag(copy, file.etag))
    return new Response(null, { status: 304, headers: shared });
  const plain = { "Content-Type": getMimeType(pathname) ?? "text/plain; charset=utf-8" };
  const type = pathname === REFERENCE_PATH ? HTML_HEADERS : plain;
  return new Response(file.bytes, { headers: { ...shared, ...type } });
}

function findFile(path: string) {
  const known = files.get(path);
  if (known !== undefined) return known;
  const contents = path === SEED_CSV_PATH ? readPackageFile(SEED_CSV) : FILES[path];
  if (contents === undefined) return undefined;
  const bytes = Buffer.from(contents);
  const file = { bytes, etag: `"${hashString(bytes.toString("latin1")).toString(16)}"` };
  files.set(path, file);
  return file;
}
