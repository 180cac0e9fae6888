import { matchedRoutes } from "hono/route";
import type { AppContext } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { HttpError, UnavailableError } from "./errors.ts";
import { NO_STORE } from "./headers.ts";

/** Responds to an error. All errors but `HttpError` are failures of the service: they are logged, and the client gets 503. */
export function respondWithError(error: unknown, c: AppContext): Response {
  if (error instanceof HttpError) return formatError(error, c);
  logFailedRequest(error, c);
  return formatError(new UnavailableError(), c);
}

function formatError({ message, status, headers }: HttpError, c: AppContext): Response {
  return c.json({ detail: message }, status, {
    "Cache-Control": NO_STORE,
    Vary: "Accept",
    ...headers,
  });
}

/** Logs the failure of a request that gets 503. */
export function logFailedRequest(error: unknown, c: AppContext): void {
  // Skip the middleware: its paths end with `*`. The last of the other paths is the path of the route.
  const path = matchedRoutes(c).findLast((route) => !route.path.endsWith("*"))?.path ?? "*";
  const { method } = c.req;
  logFailure({ event: "request_failed", store: c.env.STORE, method, path, status: 503 }, error);
}
