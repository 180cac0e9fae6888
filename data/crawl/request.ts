import { Refused, Transient } from "./failures.ts";

export interface Answer {
  /** The URL that answered, after redirects. */
  url: string;
  status: number;
  headers: Headers;
  body: string;
}

const HEADERS = {
  Accept: "application/json",
  "User-Agent": "traffic-count-records-crawl (npm run data -- crawl)",
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;

/** A page of 15 records has 4 KB. */
const LONGEST_BODY = 16 * 1024 * 1024;

/**
 * Asks for a URL and reads the whole answer. Redirects are followed on the same host only.
 * @param timeout milliseconds for all of it
 * @throws Transient if there is no whole answer in time
 * @throws Refused if it redirects in circles or to another host
 * @throws whatever the signal's reason is, once it is aborted
 */
export async function request(url: string, timeout: number, signal: AbortSignal): Promise<Answer> {
  const limit = limitTime(timeout, signal);
  try {
    const response = await follow(url, limit.signal);
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

async function follow(url: string, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await fetch(at, { headers: HEADERS, redirect: "manual", signal });
    const location = response.headers.get("Location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const to = URL.parse(location, at);
    if (to?.hostname !== new URL(url).hostname) {
      throw new Refused(url, response.status, `and leads to another host, ${location}`);
    }
    at = to.href;
  }
  throw new Refused(url, 302, "time and again: it leads in circles");
}

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let body = "";
  for await (const chunk of response.body ?? []) {
    body += decoder.decode(chunk, { stream: true });
    if (body.length > LONGEST_BODY) throw new Transient("answered more than a page can hold");
  }
  return body + decoder.decode();
}

function explain(error: unknown, timeout: number): unknown {
  if (!(error instanceof Error) || error instanceof Transient || error instanceof Refused) return error;
  if (error.name === "TimeoutError") return new Transient(`did not answer within ${timeout / 1_000} s`);
  if ("code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    return new Transient("answered what is not UTF-8 text");
  }
  return new Transient(`could not be read (${findReason(error)})`);
}

/** What is behind the "fetch failed" of fetch; of several addresses that failed, the first. */
function findReason({ message, cause }: Error): string {
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return first instanceof Error ? first.message : message;
}
