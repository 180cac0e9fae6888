import { RefusedError, TransientError } from "./errors.ts";
import type { HttpRequest, HttpResponse } from "./messages.ts";

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** Far more than any page needs: a page of 15 records has 4 KB. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Sends a request and reads the complete response. Follows redirects on the same host only.
 * @param timeout milliseconds for all of it
 * @throws TransientError if there is no complete response in time
 * @throws RefusedError if there are too many redirects or one to another host
 * @throws the signal's reason once the signal is aborted
 */
export async function sendRequest(
  request: HttpRequest,
  timeout: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const limit = startTimeout(timeout, signal);
  let received: HttpResponse | undefined;
  try {
    const response = await followRedirects(request, limit.signal);
    const { status, headers } = response;
    received = { url: response.url, status, headers, body: new Uint8Array() };
    return { ...received, body: await readBody(response) };
  } catch (error) {
    signal.throwIfAborted();
    throw toClientError(error, timeout, received);
  } finally {
    limit.clear();
  }
}

/** Like `AbortSignal.any` with `AbortSignal.timeout`, but leaves nothing behind: a crawl sends many requests. */
function startTimeout(timeout: number, signal: AbortSignal): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException("timeout", "TimeoutError")), timeout);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

async function followRedirects(request: HttpRequest, signal: AbortSignal): Promise<Response> {
  const { url, maxRedirects = MAX_REDIRECTS, ...init } = request;
  let current = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(current, { ...init, redirect: "manual", signal });
    const location = response.headers.get("Location");
    if (!REDIRECT_STATUSES.has(response.status) || location === null || maxRedirects === 0) return response;
    await response.body?.cancel();
    const target = URL.parse(location, current);
    if (target?.hostname !== new URL(url).hostname) {
      throw new RefusedError(url, response.status, `the redirect leads to another host, ${location}`);
    }
    current = target.href;
  }
  throw new RefusedError(url, 302, "too many redirects");
}

async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}

/** @returns the body as text, undefined if it is not UTF-8 */
export function decodeBody(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/**
 * Network failures and timeouts are transient; other errors stay as they are.
 * @param response the response whose body could not be read
 */
function toClientError(error: unknown, timeout: number, response: HttpResponse | undefined): unknown {
  if (!(error instanceof Error) || error instanceof TransientError || error instanceof RefusedError)
    return error;
  if (error.name === "TimeoutError") {
    const missing = response === undefined ? "respond" : "send the whole body";
    return new TransientError(`did not ${missing} within ${timeout / 1_000} s`, { response });
  }
  const { message, code } = findCause(error);
  return new TransientError(`could not be read (${message})`, {
    response,
    unreachable: UNREACHABLE_CODES.has(code ?? message),
  });
}

/** An unknown host name, a closed port, a port without TLS, and a port that fetch blocks (this error has no code). */
const UNREACHABLE_CODES = new Set(["ENOTFOUND", "ECONNREFUSED", "ERR_SSL_WRONG_VERSION_NUMBER", "bad port"]);

/** The cause of the "fetch failed" that fetch throws. If several addresses of a host failed, the first. */
function findCause(error: Error): Error & { code?: string } {
  const { cause } = error;
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return first instanceof Error ? first : error;
}
