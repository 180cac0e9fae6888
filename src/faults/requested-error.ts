import { formatThrottling, HttpError, MethodNotAllowedError } from "../http/errors.ts";
import { COLLECTION_METHODS } from "../http/methods.ts";
import type { OptionValues } from "./option-table.ts";
import { getWindow } from "./rate-window.ts";

/** `Retry-After` of a requested error: shorter than in the service's own errors, because tests wait this long. */
const DEFAULT_RETRY_MS = 2_000;

/** With the scheme `Basic`, browsers would prompt for a password. */
const CHALLENGE = 'Bearer realm="api"';

/** Whether the errors of a status have `Retry-After`. */
export function isRetryable(status: number): boolean {
  return status === 429 || status === 503;
}

/** In milliseconds since 1970-01-01 UTC. */
export interface RequestTimes {
  /** When the request was counted, before its wait. */
  receivedAt: number;
  /** After the wait. */
  respondedAt: number;
}

/** Creates the error of `code` or `hang`, with the headers of its status. A 426 has no `Upgrade`, because the runtime removes that header. */
export function createRequestedError(active: OptionValues, method: string, times: RequestTimes): HttpError {
  const { code = 503 } = active;
  if (code === 401) return new HttpError(401, { headers: { "WWW-Authenticate": CHALLENGE } });
  if (code === 405) return new MethodNotAllowedError(method, COLLECTION_METHODS);
  if (code === 407) return new HttpError(407, { headers: { "Proxy-Authenticate": CHALLENGE } });
  if (!isRetryable(code)) return new HttpError(code);
  const waitMs = getRetryDelay(active, times);
  const headers = createRetryAfter(active["retry-after"], waitMs, times.respondedAt);
  if (code === 503) return new HttpError(503, { headers });
  return new HttpError(429, { detail: formatThrottling(Math.ceil(waitMs / 1_000)), headers });
}

/** Returns how many milliseconds the client must wait: after a 429 of `rate`, until the end of the window that counted the request. */
function getRetryDelay(
  { code, rate, "retry-after": retryAfter }: OptionValues,
  { receivedAt, respondedAt }: RequestTimes,
): number {
  if (typeof retryAfter === "number") return 1_000 * retryAfter;
  if (code !== 429 || rate === undefined) return DEFAULT_RETRY_MS;
  return Math.max(0, getWindow(rate.per, receivedAt).end - respondedAt);
}

function createRetryAfter(
  format: OptionValues["retry-after"],
  waitMs: number,
  now: number,
): Record<string, string> {
  if (format === "none") return {};
  if (format !== "date") return { "Retry-After": String(Math.ceil(waitMs / 1_000)) };
  // Round up, because an HTTP date has whole seconds.
  const seconds = Math.ceil((now + waitMs) / 1_000);
  return { "Retry-After": new Date(seconds * 1_000).toUTCString() };
}
