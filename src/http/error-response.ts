import { matchedRoutes } from "hono/route";
import type { AppContext } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { HttpError, UnavailableError } from "./errors.ts";
import { getCommonHeaders, NO_STORE } from "./headers.ts";

/**
 * Responds to an error. All errors but `HttpError` are failures of the service, whose reason is only in the log. The response is complete,
 * because an error of `limitUrlLength` never gets to `addHeaders`.
 */
export function respondWithError(error: unknown, c: AppContext): Response {
  const { message, status, headers } = error instanceof HttpError ? error : logFailedRequest(error, c);
  const common = { "Cache-Control": NO_STORE, Vary: "Accept", ...getCommonHeaders(c) };
  return c.json({ detail: message }, status, { ...common, ...headers });
}

/** Logs the failure of a request. Returns the error for its client. */
export function logFailedRequest(error: unknown, c: AppContext): HttpError {
  const unavailable = new UnavailableError();
  const { method } = c.req;
  const { status } = unavailable;
  logFailure({ event: "request_failed", store: c.env.STORE, method, path: getRoutePath(c), status }, error);
  return unavailable;
}

/** Returns the path of the route, such as `/go`. The paths of middleware also match, and end with `*`. */
function getRoutePath(c: AppContext): string {
  return matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path ?? "*";
}
