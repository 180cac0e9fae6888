import type { AppContext, AppMiddleware } from "../bindings.ts";
import { COLLECTION_PATHS } from "./links.ts";
import { COLLECTION_METHODS } from "./methods.ts";

/**
 * `Cache-Control` of a page. Caches revalidate a page after a few seconds, because the collection can change. A 304 reads no record. If the
 * service fails, an hour-old copy is better than none (RFC 5861).
 */
export const PAGE_CACHE_CONTROL = "public, max-age=5, stale-if-error=3600";

/** `Cache-Control` of a response that caches must not store, such as an error: the next request can succeed. */
export const NO_STORE = "no-store";

/** The headers of every response. */
export const SERVICE_HEADERS = {
  // Scripts from any origin can read the response, including its headers.
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
  // Browsers do not guess the content type.
  "X-Content-Type-Options": "nosniff",
};

/** The headers of every response of the collection: those of every response, and two of the specification ("List records"). */
export const COLLECTION_HEADERS = { ...SERVICE_HEADERS, Allow: COLLECTION_METHODS, Vary: "Accept" };

/**
 * Creates a response that already has what `addHeaders` adds. Hono's server sends it as it is: as long as nothing reads its headers, no
 * `Headers` object is built, which takes microseconds of a page that takes twenty.
 */
export function createCompleteResponse(
  c: AppContext,
  body: string | null,
  init: { status: number; headers: typeof COLLECTION_HEADERS & Record<string, string> },
): Response {
  const response = new Response(body, init);
  c.set("completeResponse", response);
  return response;
}

/** Returns the headers of every response to a request: of the collection, or of another path. */
export function getCommonHeaders({ req }: AppContext): typeof SERVICE_HEADERS {
  return COLLECTION_PATHS.includes(req.path) ? COLLECTION_HEADERS : SERVICE_HEADERS;
}

/** Adds the headers of every response. */
export const addHeaders: AppMiddleware = async (c, next) => {
  await next();
  if (c.res === c.get("completeResponse")) return;
  for (const [name, value] of Object.entries(getCommonHeaders(c))) c.res.headers.set(name, value);
};
