import { matchedRoutes } from "hono/route";
import type { AppContext } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { HttpError, UnavailableError } from "./errors.ts";
import { createCompleteResponse, getCommonHeaders, NO_STORE } from "./headers.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** The error that the client gets. Read by the HTML view. */
    error?: HttpError;
  }
}

/** Responds to an error. Any error but an `HttpError` is a failure of the service: the log has the reason, and the client gets a 503. */
export function respondWithError(error: unknown, c: AppContext): Response {
  if (!(error instanceof HttpError)) {
    logFailedRequest(error, c);
    return respondWithError(new UnavailableError(), c);
  }
  c.set("error", error);
  const { body, status, headers } = error;
  const errorHeaders = { "Content-Type": "application/json", "Cache-Control": NO_STORE, Vary: "Accept" };
  // The common headers are here, too, because an error of `limitUrlLength` never gets to `addHeaders`.
  return createCompleteResponse(c, JSON.stringify(body), {
    status,
    headers: { ...errorHeaders, ...headers, ...getCommonHeaders(c) },
  });
}

/** Logs why a request gets a 503. */
export function logFailedRequest(error: unknown, c: AppContext): void {
  const request = { store: c.env.STORE, method: c.req.method, path: getRoutePath(c) };
  logFailure({ event: "request_failed", ...request, status: 503 }, error);
}

/** Returns the path of the route, such as `/go`; `*` if only middleware matches. A client can choose the path of its request. */
function getRoutePath(c: AppContext): string {
  const isRoute = ({ path }: { path: string }) => !path.endsWith("*");
  return matchedRoutes(c).find(isRoute)?.path ?? "*";
}
