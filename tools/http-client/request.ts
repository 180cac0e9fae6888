import { Refused, Transient } from "./failures.ts";

export interface Answer {
  /** The URL that answered, after redirects. */
  url: string;
  status: number;
  headers: Headers;
  body: Uint8Array;
}

/** A request. */
export interface Asked {
  url: string;
  /** GET, if absent. */
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** How many redirects to follow, 5 if absent; with none, they are answers. */
  redirects?: number;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;

/** A page of 15 records has 4 KB. */
const LONGEST_BODY = 16 * 1024 * 1024;

/**
 * Sends a request and reads the whole answer. Redirects are followed on the same host only.
 * @param timeout milliseconds for all of it
 * @throws Transient if there is no whole answer in time
 * @throws Refused if it redirects in circles or to another host
 * @throws whatever the signal's reason is, once it is aborted
 */
export async function request(asked: Asked, timeout: number, signal: AbortSignal): Promise<Answer> {
  const limit = limitTime(timeout, signal);
  try {
    const response = await follow(asked, limit.signal);
    const { status, headers } = response;
    return { url: response.url, status, headers, body: await readBody(response) };
  } catch (error) {
    signal.throwIfAborted();
    throw explain(error, timeout);
  } finally {
    limit.lift();
  }
}

/** As `AbortSignal.any` with `AbortSignal.timeout`, but leaves nothing behind: a crawl makes many requests. */
function limitTime(timeout: number, signal: AbortSignal): { signal: AbortSignal; lift(): void } {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException("too late", "TimeoutError")), timeout);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  return {
    signal: controller.signal,
    lift() {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    },
  };
}

async function follow(asked: Asked, signal: AbortSignal): Promise<Response> {
  const { url, redirects: most = MOST_REDIRECTS, ...init } = asked;
  let at = url;
  for (let redirects = 0; redirects <= most; redirects++) {
    const response = await fetch(at, { ...init, redirect: "manual", signal });
    const location = response.headers.get("Location");
    if (!REDIRECTS.has(response.status) || location === null || most === 0) return response;
    await response.body?.cancel();
    const to = URL.parse(location, at);
    if (to?.hostname !== new URL(url).hostname) {
      throw new Refused(url, response.status, `and leads to another host, ${location}`);
    }
    at = to.href;
  }
  throw new Refused(url, 302, "time and again: it leads in circles");
}

async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LONGEST_BODY) throw new Transient("answered more than a page can hold");
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

function explain(error: unknown, timeout: number): unknown {
  if (!(error instanceof Error) || error instanceof Transient || error instanceof Refused) return error;
  if (error.name === "TimeoutError") return new Transient(`did not answer within ${timeout / 1_000} s`);
  const { message, code } = findReason(error);
  return new Transient(`could not be read (${message})`, { absent: ABSENT.has(code ?? message) });
}

/** No such name, nothing that listens, nothing that speaks TLS, a port that fetch refuses (it has no code). */
const ABSENT = new Set(["ENOTFOUND", "ECONNREFUSED", "ERR_SSL_WRONG_VERSION_NUMBER", "bad port"]);

/** What is behind the "fetch failed" of fetch; of several addresses that failed, the first. */
function findReason(error: Error): Error & { code?: string } {
  const { cause } = error;
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return first instanceof Error ? first : error;
}
