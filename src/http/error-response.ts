import { matchedRoutes } from "hono/route";
import type { AppContext } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { HttpError, UnavailableError } from "./errors.ts";
import { NO_STORE } from "./headers.ts";

/** Responds to an error. All errors but `HttpError` are failures of the service, whose reason is only in the log. */
export function respondWithError(error: unknown, c: AppContext): Response {
  const sent = error instanceof HttpError ? error : logFailedRequest(error, c);
  const headers = { "Cache-Control": NO_STORE, Vary: "Accept", ...sent.headers };
  return c.json({ detail: sent.message }, sent.status, headers);
}

/** Logs the failure of a request. Returns the error for its client. */
export function logFailedRequest(error: unknown, c: AppContext): HttpError {
  const sent = new UnavailableError();
  const { method } = c.req;
  const { status } = sent;
  logFailure({ event: "request_failed", store: c.env.STORE, method, path: getRoutePath(c), status }, error);
  return sent;
}

/** Returns the path of the route, such as `/go`. The paths of middleware also match, and end with `*`. */
function getRoutePath(c: AppContext): string {
  return matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path ?? "*";
}
