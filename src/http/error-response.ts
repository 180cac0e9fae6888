import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import type { Env } from "../env.ts";
import { logFailure } from "../log.ts";
import { HttpError, unavailable } from "./errors.ts";
import { ERROR_CACHING } from "./headers.ts";
import { respondHtml } from "./html.ts";
import { lastValue, negotiateError, readQuery } from "./request.ts";

/**
 * Writes the web page of an error.
 * @param url the URL of the request
 */
type RenderError = (error: HttpError, url: URL) => string;

/**
 * Creates the handler of everything that is thrown. An `HttpError` is sent as it is. Any other error is a failure of the
 * service: it is logged, and the client gets a 503.
 * @param render makes the web page of an error, for a browser
 */
export function createErrorHandler(render: RenderError) {
  return (error: Error, c: Context<{ Bindings: Env }>): Response => {
    if (error instanceof HttpError) return respond(error, c, render);
    logFailedRequest(error, c);
    return respond(unavailable(), c, render);
  };
}

function respond(error: HttpError, c: Context, render: RenderError): Response {
  c.header("Cache-Control", ERROR_CACHING);
  c.header("Vary", "Accept");
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  const format = lastValue(readQuery(c.req.url), "format");
  if (negotiateError(format, c.req.header("Accept")) === "json") return c.json(error.body, error.status);
  return respondHtml(c, render(error, new URL(c.req.url)), error.status);
}

/** Logs why a request gets a 503. */
export function logFailedRequest(error: unknown, c: Context<{ Bindings: Env }>): void {
  // The other routes that match are middleware, which is registered for every path.
  const path = matchedRoutes(c).findLast((route) => !route.path.endsWith("*"))?.path ?? "*";
  const { method } = c.req;
  logFailure({ event: "request_failed", store: c.env.STORE, method, path, status: 503 }, error);
}
