import { HttpError, methodNotAllowed, throttled } from "../http/errors.ts";
import type { MockOptions } from "./options.ts";

/** Shorter than for real errors, because tests wait for it. */
const RETRY_AFTER_SECONDS = 2;

/** Headers that a status requires (RFC 9110, 11.6.1 and 11.7.1) or that help the client (10.2.3). */
const HEADERS: Record<number, Record<string, string>> = {
  // Not Basic: browsers would ask for a password.
  401: { "WWW-Authenticate": 'Bearer realm="api"' },
  407: { "Proxy-Authenticate": 'Bearer realm="api"' },
  503: { "Retry-After": String(RETRY_AFTER_SECONDS) },
};

/**
 * Creates the error of a status. In a 426 the header `Upgrade` (RFC 9110, 15.5.22) is missing, because the runtime removes
 * it.
 * @param status 400 to 599
 * @param method the method of the request
 * @param retryAfter what the header `Retry-After` of 429 and 503 says instead of the usual time
 */
export function createError(
  status: number,
  method: string,
  retryAfter?: MockOptions["retry-after"],
): HttpError {
  const seconds = typeof retryAfter === "number" ? retryAfter : RETRY_AFTER_SECONDS;
  const { message, headers } = usualError(status, method, seconds);
  return new HttpError(status, {
    detail: message,
    headers: changeRetryAfter(headers, retryAfter, seconds),
    reason: { code: "mock" },
  });
}

function changeRetryAfter(
  headers: Record<string, string>,
  retryAfter: MockOptions["retry-after"],
  seconds: number,
): Record<string, string> {
  if (retryAfter === undefined || headers["Retry-After"] === undefined) return headers;
  const { "Retry-After": _, ...others } = headers;
  if (retryAfter === "none") return others;
  const date = new Date(Date.now() + seconds * 1_000).toUTCString();
  return { ...others, "Retry-After": retryAfter === "date" ? date : String(seconds) };
}

/** The response to a request with `strict` that has a preference which would be ignored. */
export function refuseOptions(warnings: string[]): HttpError {
  const text = warnings.join("; ");
  return new HttpError(400, { detail: text.endsWith("?") ? text : `${text}.`, reason: { code: "mock" } });
}

function usualError(status: number, method: string, seconds: number): HttpError {
  if (status === 405) return methodNotAllowed(method, "GET, OPTIONS");
  if (status === 429) return throttleFor(seconds);
  return new HttpError(status, { headers: HEADERS[status] });
}

/** The limit that a 429 on request names. */
const QUOTA = 100;
const WINDOW_SECONDS = 10;

/** The headers say that nothing is left of the quota, and for how long (draft-ietf-httpapi-ratelimit-headers-10). */
function throttleFor(seconds: number): HttpError {
  const { message, headers } = throttled(seconds);
  return new HttpError(429, {
    detail: message,
    headers: {
      ...headers,
      RateLimit: `"default";r=0;t=${seconds}`,
      "RateLimit-Policy": `"default";q=${QUOTA};w=${WINDOW_SECONDS}`,
    },
  });
}
