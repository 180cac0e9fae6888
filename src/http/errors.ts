import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { matchedRoutes } from "hono/route";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Env } from "../env.ts";
import { logFailure } from "../log.ts";
import { ERROR_CACHING } from "./caching.ts";

/** Seconds after which a client may try again: a failing store has usually recovered or been failed over by then. */
const RETRY_AFTER_SECONDS = 5;

/**
 * An answer with an error status and the body `{"detail": detail}`, to be thrown.
 * @param status 400 to 599
 * @param detail a sentence for the client, shown as it is
 */
export function httpError(status: ContentfulStatusCode, detail: string): HTTPException {
  return new HTTPException(status, { message: detail });
}

export function notFound(): HTTPException {
  return httpError(404, "Not found.");
}

export function methodNotAllowed(method: string): HTTPException {
  return httpError(405, `Method "${method}" not allowed.`);
}

/** @param seconds after which the client may try again, 1 or more; `Retry-After` has to say so too */
export function throttled(seconds: number): HTTPException {
  const unit = seconds === 1 ? "second" : "seconds";
  return httpError(429, `Request was throttled. Expected available in ${seconds} ${unit}.`);
}

/**
 * Answers whatever a handler threw. An `httpError` is what the client did wrong and is told as it is; anything
 * else went wrong on our side, goes to the log as one line, and leaves as a 503 that says nothing of the inside (RFC 9110, 15.6.4).
 */
export function answerError(error: Error, c: Context<{ Bindings: Env }>): Response {
  c.header("Cache-Control", ERROR_CACHING);
  if (error instanceof HTTPException)
    return c.json({ detail: error.message }, error.status as ContentfulStatusCode);
  logFailedRequest(error, c);
  c.header("Retry-After", String(RETRY_AFTER_SECONDS));
  return c.json({ detail: "Service temporarily unavailable, try again later." }, 503);
}

/** Answers a path that no route serves. */
export function answerNotFound(c: Context<{ Bindings: Env }>): Response {
  return answerError(notFound(), c);
}

/** Says in the log why a request is answered with 503. */
function logFailedRequest(error: unknown, c: Context<{ Bindings: Env }>): void {
  // What else matches is middleware, which stands at every path.
  const path = matchedRoutes(c).findLast((route) => !route.path.endsWith("*"))?.path ?? "*";
  const { method } = c.req;
  logFailure({ event: "request_failed", store: c.env.STORE, method, path, status: 503 }, error);
}
