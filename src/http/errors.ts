import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { matchedRoutes } from "hono/route";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Env } from "../env.ts";
import { logFailure } from "../log.ts";
import type { Alteration } from "./alteration.ts";
import { ERROR_CACHING } from "./caching.ts";
import type { ErrorBody } from "./error-body.ts";
import { answerHtml, type Markup } from "./html.ts";
import { negotiateError } from "./negotiation.ts";
import { lastValue, readQuery } from "./query.ts";

/** Seconds after which a client may try again: a failing store has usually recovered or been failed over by then. */
export const RETRY_AFTER_SECONDS = 5;

/** Makes the web page of an error. */
export type RenderError = (error: ErrorView) => Promise<Markup>;

/** An error, for a person to look at. */
export interface ErrorView {
  status: ContentfulStatusCode;
  body: ErrorBody;
  /** The URL of the request. */
  requested: URL;
  /** Whether the request asked for it. */
  asked: boolean;
}

/**
 * An answer with an error status and the body `{"detail": detail}`, to be thrown.
 * @param status 400 to 599
 * @param detail a sentence for the client, shown as it is
 * @param headers that go with the status
 */
export function httpError(
  status: ContentfulStatusCode,
  detail: string,
  headers: Record<string, string> = {},
): HTTPException {
  return new HTTPException(status, { message: detail, res: new Response(null, { headers }) });
}

export function notFound(): HTTPException {
  return httpError(404, "Not found.");
}

/** @param allow the methods that are, as `Allow` lists them (RFC 9110, 15.5.6) */
export function methodNotAllowed(method: string, allow: string): HTTPException {
  return httpError(405, `Method "${method}" not allowed.`, { Allow: allow });
}

export function notAcceptable(): HTTPException {
  return httpError(406, "Could not satisfy the request Accept header.");
}

/** @param seconds after which the client may try again, 1 or more */
export function throttled(seconds: number): HTTPException {
  const unit = seconds === 1 ? "second" : "seconds";
  const detail = `Request was throttled. Expected available in ${seconds} ${unit}.`;
  return httpError(429, detail, { "Retry-After": String(seconds) });
}

/** What a client is told when something went wrong on our side. */
export const UNAVAILABLE: ErrorBody = { detail: "Service temporarily unavailable, try again later." };

/** What an `httpError` says as the body of an answer. */
export function writeError({ message }: HTTPException): ErrorBody {
  return { detail: message };
}

/**
 * Makes the handler of whatever was thrown. An `httpError` is what the client did wrong and is told as it is; anything
 * else went wrong on our side, goes to the log as one line, and leaves as a 503 that says nothing of the inside (RFC 9110, 15.6.4).
 * @param render makes the page of an error for a browser
 */
export function errorAnswers(render: RenderError) {
  return (error: Error, c: Context<{ Bindings: Env }>): Response | Promise<Response> => {
    c.header("Cache-Control", ERROR_CACHING);
    c.header("Vary", "Accept");
    if (error instanceof HTTPException) {
      for (const [name, value] of error.res?.headers ?? []) c.header(name, value);
      return answer(c, error.status as ContentfulStatusCode, writeError(error), render);
    }
    logFailedRequest(error, c);
    c.header("Retry-After", String(RETRY_AFTER_SECONDS));
    return answer(c, 503, UNAVAILABLE, render);
  };
}

/** Says in the log why a request is answered with 503. */
export function logFailedRequest(error: unknown, c: Context<{ Bindings: Env }>): void {
  // What else matches is middleware, which stands at every path.
  const path = matchedRoutes(c).findLast((route) => !route.path.endsWith("*"))?.path ?? "*";
  const { method } = c.req;
  logFailure({ event: "request_failed", store: c.env.STORE, method, path, status: 503 }, error);
}

async function answer(c: Context, status: ContentfulStatusCode, body: ErrorBody, render: RenderError) {
  const representation = negotiateError(lastValue(readQuery(c.req.url), "format"), c.req.header("Accept"));
  if (representation === "json") return c.json(body, status);
  const alteration: Alteration | undefined = c.get("alteration");
  const asked = alteration?.errorAsked ?? false;
  return answerHtml(c, await render({ status, body, requested: new URL(c.req.url), asked }), status);
}
