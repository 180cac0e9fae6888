import { matchedRoutes } from "hono/route";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppContext } from "../bindings.ts";
import { logFailure } from "../log.ts";
import { ERROR_CACHE_CONTROL } from "./headers.ts";

/** An error that the client gets: a status, headers, and the body `{"detail": message}`, as in Django REST Framework. */
export class HttpError extends Error {
  readonly status: ContentfulStatusCode;
  readonly headers: Record<string, string>;

  /**
   * @param status 400 to 599
   * @param options `detail` The message for the client. By default the message of the status
   */
  constructor(status: number, options: { detail?: string; headers?: Record<string, string> } = {}) {
    super(options.detail ?? getDefaultDetail(status));
    this.status = status as ContentfulStatusCode;
    this.headers = options.headers ?? {};
  }
}

/** @param allow The methods of the resource, for the header `Allow` */
export function methodNotAllowed(method: string, allow: string): HttpError {
  return new HttpError(405, { detail: `Method "${method}" not allowed.`, headers: { Allow: allow } });
}

/** Rejects all methods but GET, as the last route of a path. Hono's own middleware for this would add a second router. */
export function rejectMethod({ req }: AppContext): never {
  throw methodNotAllowed(req.method, "GET, HEAD");
}

/** @param seconds The time until the client can retry, 1 or more */
export function throttled(seconds: number): HttpError {
  const unit = seconds === 1 ? "second" : "seconds";
  const detail = `Request was throttled. Expected available in ${seconds} ${unit}.`;
  return new HttpError(429, { detail, headers: { "Retry-After": String(seconds) } });
}

/** The error for a failure inside the service. The client does not learn the cause. */
export function unavailable(): HttpError {
  // Most failures of a store end within five seconds.
  return new HttpError(503, { headers: { "Retry-After": "5" } });
}

/** Status text by status, as registered with IANA. */
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

/** @returns The name of the status class if the status is not registered */
export function getStatusText(status: number): string {
  return STATUS_TEXTS[status] ?? (status < 500 ? "Client Error" : "Server Error");
}

/** The messages of Django REST Framework that differ from the status text. */
const STATUS_DETAILS: Record<number, string> = {
  400: "Malformed request.",
  401: "Authentication credentials were not provided.",
  403: "You do not have permission to perform this action.",
  406: "Could not satisfy the request Accept header.",
  415: 'Unsupported media type "text/plain" in request.',
  500: "A server error occurred.",
  503: "Service temporarily unavailable, try again later.",
};

/** Returns the message of a status, by default the status text, such as `Not found.` */
function getDefaultDetail(status: number): string {
  const text = STATUS_TEXTS[status];
  if (text === undefined) return `The request failed with status ${status}.`;
  return STATUS_DETAILS[status] ?? `${text.replaceAll(/ [A-Z]/g, (letter) => letter.toLowerCase())}.`;
}

/** Responds to an error. All errors but `HttpError` are failures of the service: they are logged, and the client gets 503. */
export function respondWithError(error: Error, c: AppContext): Response {
  const sent = error instanceof HttpError ? error : unavailable();
  if (sent !== error) logFailedRequest(error, c);
  const { message, status, headers } = sent;
  return c.json({ detail: message }, status, {
    "Cache-Control": ERROR_CACHE_CONTROL,
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
