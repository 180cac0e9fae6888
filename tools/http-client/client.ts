import { TransientError } from "./errors.ts";
import type { HttpRequest, HttpResponse } from "./messages.ts";
import { sendRequest } from "./request.ts";
import { type Clock, parseRetryAfter, type RetryPolicy, retry } from "./retry.ts";
import { createThrottle, type ThrottleOptions } from "./throttle.ts";

export interface HttpClientOptions extends ThrottleOptions {
  clock: Clock;
  retryPolicy: RetryPolicy;
  /** Aborts all requests and all waits. */
  signal: AbortSignal;
  /** Prints a line for the user. */
  warn(line: string): void;
  /** Whether to fail without a retry if no server can be reached before the first response. */
  failFast?: boolean;
}

/** An HTTP client that limits its rate and retries transient failures. */
export interface HttpClient {
  /**
   * Sends a request, and sends it again after each transient failure.
   * @param read converts the response; it may throw `TransientError` to request a retry
   * @throws Error if the last attempt fails
   */
  send<T>(request: HttpRequest, read: (response: HttpResponse) => T): Promise<T>;
  counters: { retries: number };
}

/** Shorter waits are not reported. */
const REPORTED_WAIT_MS = 2_000;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { clock, retryPolicy, signal, warn } = options;
  const throttle = createThrottle(options, clock);
  const counters = { retries: 0 };
  let failFast = options.failFast ?? false;
  return {
    counters,
    send(request, read) {
      const onRetry = ({ message, advice }: TransientError, attempt: number, wait: number) => {
        counters.retries += 1;
        if (advice.retryAfter !== undefined) throttle.pause(advice.retryAfter);
        if (wait < REPORTED_WAIT_MS) return;
        warn(`${request.url} ${message}. Attempt ${attempt + 1} starts in ${Math.ceil(wait / 1_000)} s.`);
      };
      const attempt = async () => {
        await throttle.acquire(signal);
        const response = await sendRequest(request, retryPolicy.timeout, signal)
          .finally(throttle.release)
          .catch((error) => Promise.reject(failFast ? endRetries(error, request.url) : error));
        failFast = false;
        return read(response);
      };
      return retry(request.url, attempt, { policy: retryPolicy, clock, signal, onRetry });
    },
  };
}

/** If no server has ever been reached, the URL is probably wrong. */
function endRetries(error: unknown, url: string): unknown {
  return error instanceof TransientError && error.advice.unreachable
    ? new Error(`${url} ${error.message}`)
    : error;
}

const TRANSIENT_STATUSES = new Set([408, 425, 429]);

/**
 * Accepts any status that a retry is not likely to change.
 * @param now milliseconds since 1970-01-01 UTC
 * @throws TransientError if the status is 408, 425, 429, or 500 and above
 */
export function requireFinalStatus(response: HttpResponse, now: number): void {
  const { status, headers } = response;
  if (!TRANSIENT_STATUSES.has(status) && status < 500) return;
  const retryAfter = parseRetryAfter(headers.get("Retry-After"), now);
  throw new TransientError(`returned ${status}`, { retryAfter, response });
}
