import http from "node:http";
import ky, { HTTPError } from "ky";
import { getInnermostMessage } from "../messages.ts";

/** A response with its whole body. After a failure that stays, the body is empty. */
export type Answer = { status: number; headers: Headers; body: Uint8Array };
export type Client = ReturnType<typeof createClient>;

const TRANSIENT_STATUSES = [408, 425, 429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];

/** Errors that stay: an unknown host, a closed port, no TLS or certificate, a port that fetch blocks, and an endless body. */
const PERMANENT = /ENOTFOUND|ECONNREFUSED|wrong version number|certificate|bad port|larger than/i;

/**
 * Creates a client that follows no redirect, and that repeats GET and OPTIONS after 429, 5xx and cut connections.
 * @param onResponse Called with every response, also if the request is then repeated
 */
export function createClient(
  secondMs: number,
  onResponse: (request: Request, response: Response) => void = () => {},
) {
  const client = ky.create({
    async fetch(input) {
      const response = await fetchWhole(input as Request);
      onResponse(input as Request, response);
      return response;
    },
    // Turns off the default faults of a deployment of this project.
    headers: { Accept: "application/json", Prefer: "none" },
    redirect: "manual",
    timeout: 30 * secondMs,
    throwHttpErrors: (status) => TRANSIENT_STATUSES.includes(status),
    retry: {
      limit: 4,
      methods: ["get", "options"],
      statusCodes: TRANSIENT_STATUSES,
      maxRetryAfter: 60 * secondMs,
      retryOnTimeout: true,
      delay: (attempt) => secondMs * 2 ** (attempt - 1),
      // Undefined leaves the decision to the other options.
      shouldRetry: ({ error }) => (PERMANENT.test(getInnermostMessage(error)) ? false : undefined),
    },
  });

  /** @throws Error if no response came, or if all attempts were rejected with 429 */
  return async (url: string, init: Pick<RequestInit, "method" | "headers"> = {}): Promise<Answer> => {
    try {
      const response = await client(url, init);
      return { status: response.status, headers: response.headers, body: await response.bytes() };
    } catch (error) {
      const request = `${init.method ?? "GET"} ${url}`;
      if (!(error instanceof HTTPError))
        throw new Error(`${request}: no response, ${getInnermostMessage(error)}`);
      const { status, headers } = error.response;
      if (status === 429) throw new Error(`${request}: 429 again and again`);
      return { status, headers, body: new Uint8Array() };
    }
  };
}

/** A page has a few kilobytes. */
const MAX_BODY_BYTES = 10_000_000;

/**
 * Fetches a response with its body, so that the timeout and the retries include the body.
 * @throws Error if the body is larger than MAX_BODY_BYTES, after it is decompressed
 */
export async function fetchWhole(request: Request): Promise<Response> {
  const response = await fetch(request);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error(`the body is larger than ${MAX_BODY_BYTES} bytes`);
  }
  return new Response(length === 0 ? null : Buffer.concat(chunks), response);
}

/** The addresses that need no proxy, also if NO_PROXY does not name them. */
const LOCAL_ADDRESSES = "localhost,127.0.0.1,[::1]";

/**
 * Sends all later requests of this process through the proxy in HTTPS_PROXY or HTTP_PROXY, as wrangler does. Node before 24.14 has no
 * such function, and follows these variables only with NODE_USE_ENV_PROXY=1.
 * @throws Error if the proxy has no valid URL
 */
export function useProxy(): void {
  const { NO_PROXY, no_proxy: exceptions = NO_PROXY } = process.env;
  try {
    http.setGlobalProxyFromEnv?.({
      ...process.env,
      no_proxy: [exceptions, LOCAL_ADDRESSES].filter(Boolean).join(","),
    });
  } catch (cause) {
    const message = "HTTPS_PROXY or HTTP_PROXY is not the URL of a proxy, such as http://proxy.example:3128";
    throw new Error(message, { cause });
  }
}
