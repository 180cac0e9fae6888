import ky, { HTTPError, TimeoutError } from "ky";

/** A response with its whole body. */
export interface Reply {
  url: string;
  /** The response status; 0 if no complete response was received. */
  status: number;
  headers: Headers;
  body: Uint8Array;
  /** The end of a message that starts with the URL: the response status, or why the request failed. */
  outcome: string;
}

export interface ClientOptions {
  /** Aborts all requests and all waits. */
  signal?: AbortSignal;
  /** The length of a second in milliseconds, shorter in tests. */
  second?: number;
}

export type RetryingClient = ReturnType<typeof createRetryingClient>;

/** The maximum number of requests that fail in every attempt. Later requests are not retried, to limit the duration of a check. */
const MAX_FAILED_REQUESTS = 3;

const TRANSIENT_STATUSES = [408, 425, 429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];

/** Errors that are not retried: an unknown host name, a closed port, a port without TLS, and a port that fetch blocks. */
const UNREACHABLE = /ENOTFOUND|ECONNREFUSED|wrong version number|bad port/i;

/** Fetches a response with its body, so that the timeout and the retries include the body. */
async function fetchWhole(input: unknown): Promise<Response> {
  const response = await fetch(input as Request);
  const body = await response.bytes();
  return new Response(body.length === 0 ? null : body, response);
}

/** Creates a client that does not follow redirects, and that retries 429, 5xx, cut bodies and cut connections. */
export function createRetryingClient({ signal, second = 1_000 }: ClientOptions) {
  const state = { retries: 0, failedRequests: 0 };
  const once = { timeout: 10 * second, retry: { limit: 0 } };
  const client = ky.create({
    fetch: fetchWhole,
    headers: { Accept: "application/json" },
    redirect: "manual",
    timeout: 30 * second,
    throwHttpErrors: (status) => TRANSIENT_STATUSES.includes(status),
    retry: {
      limit: 4,
      statusCodes: TRANSIENT_STATUSES,
      afterStatusCodes: TRANSIENT_STATUSES,
      maxRetryAfter: 60 * second,
      retryOnTimeout: true,
      delay: (attempt) => second * 2 ** (attempt - 1),
      shouldRetry({ error }) {
        if (UNREACHABLE.test(getErrorMessage(error)) || state.failedRequests >= MAX_FAILED_REQUESTS)
          return false;
        state.retries += 1;
        return undefined; // The other options of `retry` apply.
      },
    },
    ...(signal && { signal }),
  });

  /**
   * @param retries Whether to retry, with a timeout of 30 seconds for each attempt. Without retries, the timeout is 10 seconds
   * @throws Error if the service cannot be reached, or the last attempt returns 429
   */
  async function send(url: string, init: RequestInit = {}, retries = true): Promise<Reply> {
    try {
      const response = await client(url, { ...init, ...(retries ? {} : once) });
      const { status, headers } = response;
      return { url, status, headers, body: await response.bytes(), outcome: `returned ${status}` };
    } catch (error) {
      signal?.throwIfAborted();
      state.failedRequests += 1;
      const { status = 0, headers = new Headers() } = error instanceof HTTPError ? error.response : {};
      const outcome = describeFailure(error);
      if (UNREACHABLE.test(outcome) || (status === 429 && retries)) throw new Error(`${url} ${outcome}.`);
      return { url, status, headers, body: new Uint8Array(), outcome };
    }
  }
  return { state, send };
}

function describeFailure(error: unknown): string {
  if (error instanceof HTTPError) return `returned ${error.response.status}`;
  if (error instanceof TimeoutError) return "did not respond in time";
  return `could not be read (${getErrorMessage(error)})`;
}

/** Gets the message of the innermost cause of "fetch failed". If several addresses of a host failed, uses the first error. */
export function getErrorMessage(error: unknown): string {
  const { message, cause, errors = [cause] } = error as Error & { errors?: unknown[] };
  return errors[0] instanceof Error ? getErrorMessage(errors[0]) : message;
}
