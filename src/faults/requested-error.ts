import { HttpError, MethodNotAllowedError, ThrottledError } from "../http/errors.ts";
import type { OptionValues } from "./option-table.ts";

/** `Retry-After` of a requested error: shorter than in the service's own errors, because tests wait this long. */
const RETRY_AFTER_SECONDS = 2;

/** With the scheme `Basic`, browsers would prompt for a password. */
const CHALLENGE = 'Bearer realm="api"';

/** Whether the errors of a status have `Retry-After`. */
export function isRetryable(status: number): boolean {
  return status === 429 || status === 503;
}

/** Creates the error of `code` or `hang`, with the headers of its status. A 426 has no `Upgrade`, because the runtime removes that header. */
export function createRequestedError(
  { code = 503, "retry-after": retryAfter = RETRY_AFTER_SECONDS }: OptionValues,
  method: string,
  now: number,
): HttpError {
  if (code === 401) return new HttpError(401, { headers: { "WWW-Authenticate": CHALLENGE } });
  if (code === 405) return new MethodNotAllowedError(method, "GET, OPTIONS");
  if (code === 407) return new HttpError(407, { headers: { "Proxy-Authenticate": CHALLENGE } });
  if (!isRetryable(code)) return new HttpError(code);
  const headers = createRetryAfter(retryAfter, now);
  if (code === 503) return new HttpError(503, { headers });
  const seconds = typeof retryAfter === "number" ? retryAfter : RETRY_AFTER_SECONDS;
  return new HttpError(429, { detail: new ThrottledError(seconds).message, headers });
}

function createRetryAfter(value: number | "none" | "date", now: number): Record<string, string> {
  if (value === "none") return {};
  if (value !== "date") return { "Retry-After": String(value) };
  // Round up, because an HTTP date has whole seconds.
  const seconds = Math.ceil(now / 1_000) + RETRY_AFTER_SECONDS;
  return { "Retry-After": new Date(seconds * 1_000).toUTCString() };
}
