import ky, { HTTPError, type RetryOptions, TimeoutError } from "ky";

/** A response with its whole body. */
export interface Reply {
  url: string;
  method: string;
  /** 0 if there was no response. */
  status: number;
  headers: Headers;
  body: Uint8Array;
  /** Why every attempt failed. Continues a sentence that starts with the URL. */
  failure?: string;
}

/** All times are in milliseconds. */
export interface ClientOptions {
  fetch?: (request: Request) => Promise<Response>;
  /** The wait before the second attempt. It doubles before each further attempt. */
  backoff?: number;
  /** The time limit of an attempt. */
  timeout?: number;
  /** The time limit of a request that is sent once. */
  onceTimeout?: number;
  /** Aborts all requests and all waits. */
  signal?: AbortSignal;
}

export type RetryingClient = ReturnType<typeof createRetryingClient>;

/** After so many requests that failed in every attempt, the others are sent once. This bounds the time of a check. */
const MAX_FAILED_REQUESTS = 3;

const TRANSIENT_STATUSES = [408, 425, 429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];

/** An unknown host name, a closed port, a port without TLS, and a port that fetch blocks. */
const UNREACHABLE = /ENOTFOUND|ECONNREFUSED|wrong version number|bad port/i;

const RETRY: RetryOptions = {
  limit: 4,
  statusCodes: TRANSIENT_STATUSES,
  afterStatusCodes: TRANSIENT_STATUSES,
  maxRetryAfter: 60_000,
  retryOnTimeout: true,
};

/** Creates a client that follows no redirects and retries 429, 5xx, cut bodies and cut connections. */
export function createRetryingClient({ fetch = globalThis.fetch, signal, ...options }: ClientOptions) {
  const { backoff = 1_000, timeout = 30_000, onceTimeout = 10_000 } = options;
  const state = { retries: 0, failedRequests: 0, isReached: false };
  const shouldRetry: RetryOptions["shouldRetry"] = ({ error }) => {
    const isUseless = !state.isReached && UNREACHABLE.test(describeFailure(error));
    if (isUseless || state.failedRequests >= MAX_FAILED_REQUESTS) return false;
    state.retries += 1;
    return undefined; // The other options decide.
  };
  const retrying = ky.create({
    headers: { Accept: "application/json" },
    redirect: "manual",
    timeout,
    throwHttpErrors: (status) => TRANSIENT_STATUSES.includes(status),
    retry: { ...RETRY, delay: (attempt) => backoff * 2 ** (attempt - 1), shouldRetry },
    ...(signal && { signal }),
  });
  const once = retrying.extend({ timeout: onceTimeout, throwHttpErrors: false, retry: 0 });

  /** @throws Error if the service cannot be reached, or still responds 429 to the last attempt */
  async function send(url: string, init: RequestInit = {}, ky = retrying): Promise<Reply> {
    const request = { url, method: init.method ?? "GET" };
    let received: Response | undefined;
    try {
      const response = await ky(url, {
        ...init,
        // The body is read here, so that the time limit and the retries include it.
        async fetch(input) {
          received = undefined;
          received = await fetch(input as Request);
          state.isReached = true;
          const body = await received.arrayBuffer();
          return new Response(body.byteLength === 0 ? null : body, received);
        },
      });
      const { status, headers } = response;
      return { ...request, status, headers, body: await response.bytes() };
    } catch (error) {
      signal?.throwIfAborted();
      state.failedRequests += ky === retrying ? 1 : 0;
      const failure = describeFailure(error);
      const { status = 0, headers = new Headers() } = received ?? {};
      if (status === 429 || UNREACHABLE.test(failure)) throw new Error(`${url} ${failure}.`);
      return { ...request, status, headers, body: new Uint8Array(), failure };
    }
  }
  return { state, send, sendOnce: (url: string, init?: RequestInit) => send(url, init, once) };
}

function describeFailure(error: unknown): string {
  if (error instanceof HTTPError) return `returned ${error.response.status}`;
  return error instanceof TimeoutError
    ? "did not respond in time"
    : `could not be read (${findReason(error)})`;
}

/** The message behind the "fetch failed" that fetch throws. If several addresses of a host failed, that of the first. */
function findReason(error: unknown): string {
  const { message, cause, errors = [cause] } = error as Error & { errors?: unknown[] };
  return errors[0] instanceof Error ? findReason(errors[0]) : message;
}
