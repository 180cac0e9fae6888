import type { AppContext, AppMiddleware } from "../bindings.ts";
import { COLLECTION_PATH, PATH_WITHOUT_SLASH } from "./links.ts";

/** The methods that the collection advertises (specification, "List records"). It also responds to HEAD. */
export const COLLECTION_METHODS = "GET, OPTIONS";

/**
 * `Cache-Control` of a page. Caches revalidate a page after a few seconds, because the collection can change. If the service fails, an
 * hour-old copy is better than none (RFC 5861).
 */
export const PAGE_CACHE_CONTROL = "public, max-age=5, stale-if-error=3600";

/** `Cache-Control` of a response that caches must not store, such as an error: the next request can succeed. */
export const NO_STORE = "no-store";

/** No inline script and no inline style is allowed, so that injected markup cannot run a script. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The headers of every HTML page. */
export const HTML_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Referrer-Policy": "same-origin",
};

/** The headers of every response. */
export const SERVICE_HEADERS = {
  // Scripts from any origin can read the response, including its headers.
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
  // Browsers do not guess the content type.
  "X-Content-Type-Options": "nosniff",
};

/** The headers of every response of the collection (specification, "List records"). */
export const COLLECTION_HEADERS = { ...SERVICE_HEADERS, Allow: COLLECTION_METHODS, Vary: "Accept" };

/** Returns the headers that every response to this request has. */
export function getCommonHeaders({ req }: AppContext) {
  const isOfCollection = req.path === COLLECTION_PATH || req.path === PATH_WITHOUT_SLASH;
  return isOfCollection ? COLLECTION_HEADERS : SERVICE_HEADERS;
}

declare module "hono" {
  interface ContextVariableMap {
    /** The latest response of `createCompleteResponse`. It is not always sent: a fault or a middleware can replace it. */
    completeResponse?: Response;
  }
}

/**
 * Creates a response that `addHeaders` sends as it is: the caller passes the common headers, too. As long as nothing touches the headers of
 * a response, Hono's server for Node builds no `Headers` object, which would cost the package's command a sixth of its pages per second.
 */
export function createCompleteResponse(
  c: AppContext,
  body: string | null,
  init: { status: number; headers: typeof SERVICE_HEADERS & Record<string, string> },
): Response {
  const response = new Response(body, init);
  c.set("completeResponse", response);
  return response;
}

/** Sets the common headers of every response but those of `createCompleteResponse`, which have them. */
export const addHeaders: AppMiddleware = async (c, next) => {
  await next();
  if (c.res === c.get("completeResponse")) return;
  for (const [name, value] of Object.entries(getCommonHeaders(c))) c.res.headers.set(name, value);
};

/**
 * Responds to CORS preflights. Hono's own middleware would also respond to other OPTIONS requests, which are for the collection. After this
 * response, browsers send no `PUT`, `PATCH` or `DELETE`, so a script sees a network error instead of a 405.
 */
export const respondToPreflight: AppMiddleware = async (c, next) => {
  if (c.req.header("Access-Control-Request-Method") === undefined) return next();
  return c.body(null, 204, {
    "Access-Control-Allow-Methods": COLLECTION_METHODS,
    "Access-Control-Allow-Headers": "*",
    // Browsers may cache the response for a day, because it is always the same.
    "Access-Control-Max-Age": "86400",
  });
};
