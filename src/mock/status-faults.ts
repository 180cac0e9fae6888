import { HttpError, methodNotAllowed, throttled, unavailable } from "../http/errors.ts";
import type { MockOptions } from "./options.ts";
import { MOST_WAITING } from "./waiting.ts";

/** Shorter than for real errors, because tests wait for it. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Creates the error of a status, with the headers that the status requires (RFC 9110, 11.6.1 and 11.7.1) or that help the client
 * (10.2.3). In a 426 the header `Upgrade` (15.5.22) is missing, because the runtime removes it.
 * @param status 400 to 599
 * @param method the method of the request
 * @param now milliseconds since 1970-01-01 UTC
 */
export function createError(status: number, method: string, now: number, options: MockOptions): HttpError {
  const { "retry-after": retryAfter } = options;
  const seconds = typeof retryAfter === "number" ? retryAfter : RETRY_AFTER_SECONDS;
  // Not Basic: browsers would ask for a password.
  const challenge = 'Bearer realm="api"';
  const usual: Record<number, HttpError> = {
    401: new HttpError(401, { headers: { "WWW-Authenticate": challenge } }),
    405: methodNotAllowed(method, "GET, OPTIONS"),
    407: new HttpError(407, { headers: { "Proxy-Authenticate": challenge } }),
    429: new HttpError(429, { detail: throttled(seconds).message, headers: describeQuota(seconds) }),
  };
  const { message, headers } = usual[status] ?? new HttpError(status);
  if ((status === 429 || status === 503) && retryAfter !== "none")
    headers["Retry-After"] = retryAfter === "date" ? writeDate(now, seconds) : String(seconds);
  return new HttpError(status, { detail: message, headers });
}

/** The response to a request that would wait beside too many others. */
export function tooManyWaiting(): HttpError {
  const warning = `${MOST_WAITING} responses wait already, which is the most that may wait at a time.`;
  return new HttpError(503, { headers: { ...unavailable().headers, "Mock-Warning": warning } });
}

/** An HTTP date has whole seconds, and must not be earlier than the time that it stands for. */
function writeDate(now: number, seconds: number): string {
  return new Date((Math.ceil(now / 1_000) + seconds) * 1_000).toUTCString();
}

/** Says that nothing is left of a quota, and for how long (draft-ietf-httpapi-ratelimit-headers-10). */
function describeQuota(seconds: number): Record<string, string> {
  return { RateLimit: `"default";r=0;t=${seconds}`, "RateLimit-Policy": '"default";q=100;w=10' };
}
