import { matchedRoutes } from "hono/route";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { CollectionContext } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { ERROR_CACHE_CONTROL } from "./headers.ts";

/** An error that is sent to the client with its status, its headers and `{"detail": message}`, as in Django REST Framework. */
export class HttpError extends Error {
  readonly status: ContentfulStatusCode;
  readonly headers: Record<string, string>;

  /**
   * @param status 400 to 599
   * @param options `detail` is a sentence for the client, sent as it is; by default the usual sentence of the status
   */
  constructor(status: number, options: { detail?: string; headers?: Record<string, string> } = {}) {
    super(options.detail ?? getDefaultDetail(status));
    this.status = status as ContentfulStatusCode;
    this.headers = options.headers ?? {};
  }
}

/** @param allow the methods that the resource has, for the header `Allow` (RFC 9110, 15.5.6) */
export function methodNotAllowed(method: string, allow: string): HttpError {
  return new HttpError(405, { detail: `Method "${method}" not allowed.`, headers: { Allow: allow } });
}

/** Refuses a method, as the last route of a path that has GET only. Hono's middleware for it would bring a second router. */
export function rejectMethod({ req }: CollectionContext): never {
  throw methodNotAllowed(req.method, "GET, HEAD");
}

/** @param seconds the time after which the client may retry, 1 or more */
export function throttled(seconds: number): HttpError {
  const unit = seconds === 1 ? "second" : "seconds";
  const detail = `Request was throttled. Expected available in ${seconds} ${unit}.`;
  return new HttpError(429, { detail, headers: { "Retry-After": String(seconds) } });
}

/** The response to a failure inside the service. It says nothing about the cause (RFC 9110, 15.6.4). */
export function unavailable(): HttpError {
  // In seconds. By then a failing store has usually recovered or has been failed over.
  return new HttpError(503, { headers: { "Retry-After": "5" } });
}

/** The names of error statuses (RFC 9110, 15, and the IANA registry of status codes). */
// biome-ignore format: several names per line
const STATUS_TEXTS: Record<number, string> = {
  400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
  405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
  409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
  414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
  418: "I'm a teapot", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency",
  425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
  431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
  501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  505: "HTTP Version Not Supported", 506: "Variant Also Negotiates", 507: "Insufficient Storage",
  508: "Loop Detected", 511: "Network Authentication Required",
};

/** @param status 400 to 599; an unregistered status has the name of its class (RFC 9110, 15) */
export function getStatusText(status: number): string {
  return STATUS_TEXTS[status] ?? (status < 500 ? "Client Error" : "Server Error");
}

/** The sentences of Django REST Framework that are not the name of the status. */
const STATUS_DETAILS: Record<number, string> = {
  400: "Malformed request.",
  401: "Authentication credentials were not provided.",
  403: "You do not have permission to perform this action.",
  406: "Could not satisfy the request Accept header.",
  415: 'Unsupported media type "text/plain" in request.',
  500: "A server error occurred.",
  503: "Service temporarily unavailable, try again later.",
};

/** The usual sentence of a status: by default its name, such as `Not found.` */
function getDefaultDetail(status: number): string {
  const name = STATUS_TEXTS[status];
  if (name === undefined) return `The request failed with status ${status}.`;
  return STATUS_DETAILS[status] ?? `${name.replaceAll(/ [A-Z]/g, (letter) => letter.toLowerCase())}.`;
}

/**
 * Responds to everything that is thrown. An `HttpError` is sent as it is. Any other error is a failure of the service: it is
 * logged, and the client gets a 503.
 */
export function respondWithError(error: Error, c: CollectionContext): Response {
  const sent = error instanceof HttpError ? error : unavailable();
  if (sent !== error) logFailedRequest(error, c);
  const { message, status, headers } = sent;
  return c.json({ detail: message }, status, {
    "Cache-Control": ERROR_CACHE_CONTROL,
    Vary: "Accept",
    ...headers,
  });
}

/** Logs why a request gets a 503. */
export function logFailedRequest(error: unknown, c: CollectionContext): void {
  // The other routes that match are middleware, which is registered for every path.
  const path = matchedRoutes(c).findLast((route) => !route.path.endsWith("*"))?.path ?? "*";
  const { method } = c.req;
  logFailure({ event: "request_failed", store: c.env.STORE, method, path, status: 503 }, error);
}
