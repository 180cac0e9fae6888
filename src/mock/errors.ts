import type { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import {
  httpError,
  methodNotAllowed,
  notAcceptable,
  notFound,
  throttled,
  UNAVAILABLE,
} from "../http/errors.ts";

/** Seconds after which a client may try again: short, since tests wait for it. */
const RETRY_AFTER_SECONDS = 2;

/** What Django REST Framework says with its statuses; with the others, their names (RFC 9110, 15, and the registry). */
const DETAILS: Record<number, string> = {
  400: "Malformed request.",
  401: "Authentication credentials were not provided.",
  402: "Payment required.",
  403: "You do not have permission to perform this action.",
  407: "Proxy authentication required.",
  408: "Request timeout.",
  409: "Conflict.",
  410: "Gone.",
  411: "Length required.",
  412: "Precondition failed.",
  413: "Content too large.",
  414: "URI too long.",
  415: 'Unsupported media type "text/plain" in request.',
  416: "Range not satisfiable.",
  417: "Expectation failed.",
  421: "Misdirected request.",
  422: "Unprocessable content.",
  423: "Locked.",
  424: "Failed dependency.",
  425: "Too early.",
  426: "Upgrade required.",
  428: "Precondition required.",
  431: "Request header fields too large.",
  451: "Unavailable for legal reasons.",
  500: "A server error occurred.",
  501: "Not implemented.",
  502: "Bad gateway.",
  503: UNAVAILABLE.detail,
  504: "Gateway timeout.",
  505: "HTTP version not supported.",
  506: "Variant also negotiates.",
  507: "Insufficient storage.",
  508: "Loop detected.",
  511: "Network authentication required.",
};

const HEADERS: Record<number, Record<string, string>> = {
  // Not Basic, for which browsers ask people for a password.
  401: { "WWW-Authenticate": 'Bearer realm="api"' },
  407: { "Proxy-Authenticate": 'Bearer realm="api"' },
  503: { "Retry-After": String(RETRY_AFTER_SECONDS) },
};

/**
 * The error of a status, with the headers that must stand beside it (RFC 9110, 11.6.1, 11.7.1 and 15.5) or usefully do
 * (10.2.3). The runtime lets no Upgrade through, which 426 wants.
 * @param status 400 to 599
 * @param method of the request
 */
export function errorOf(status: number, method: string): HTTPException {
  switch (status) {
    case 404:
      return notFound();
    case 405:
      return methodNotAllowed(method, "GET, OPTIONS");
    case 406:
      return notAcceptable();
    case 429:
      return throttled(RETRY_AFTER_SECONDS);
  }
  const detail = DETAILS[status] ?? `The request failed with status ${status}.`;
  return httpError(status as ContentfulStatusCode, detail, HEADERS[status]);
}
