import { formatThrottling, HttpError, MethodNotAllowedError } from "../http/errors.ts";
import { COLLECTION_METHODS } from "../http/methods.ts";
import type { OptionValues } from "./option-table.ts";

/** `Retry-After` of a requested 429 or 503: shorter than in the service's own errors, because tests wait this long. */
const DEFAULT_RETRY_MS = 2_000;

/** With the scheme `Basic`, browsers would prompt for a password. */
const CHALLENGE = 'Bearer realm="api"';

interface ErrorContext {
  method: string;
  /** When the client may send more requests, if the error is about their rate. */
  retryAt: number | undefined;
  /** Milliseconds since 1970-01-01 UTC, after the wait. */
  now: number;
}

/** Creates the error of `code` or `hang`, with the headers of its status. A 426 has no `Upgrade`, because the runtime removes that header. */
export function createRequestedError(
  active: OptionValues,
  { method, retryAt, now }: ErrorContext,
): HttpError {
  const { code = 503, "retry-after": retryAfter } = active;
  const defaultMs = retryAt === undefined ? DEFAULT_RETRY_MS : Math.max(0, retryAt - now);
  const waitMs = typeof retryAfter === "number" ? 1_000 * retryAfter : defaultMs;
  const seconds = Math.ceil(waitMs / 1_000);
  const { message: detail, headers } = createError(code, method, seconds);
  const isRetryable = code === 429 || code === 503;
  if (retryAfter === "none" || (retryAfter === undefined && !isRetryable))
    return new HttpError(code, { detail, headers });
  // Rounded up, because an HTTP date has whole seconds.
  const date = new Date(Math.ceil((now + waitMs) / 1_000) * 1_000);
  const value = retryAfter === "date" ? date.toUTCString() : String(seconds);
  return new HttpError(code, { detail, headers: { ...headers, "Retry-After": value } });
}

function createError(code: number, method: string, seconds: number): HttpError {
  if (code === 401) return new HttpError(401, { headers: { "WWW-Authenticate": CHALLENGE } });
  if (code === 405) return new MethodNotAllowedError(method, COLLECTION_METHODS);
  if (code === 407) return new HttpError(407, { headers: { "Proxy-Authenticate": CHALLENGE } });
  if (code === 429) return new HttpError(429, { detail: formatThrottling(seconds) });
  return new HttpError(code);
}
