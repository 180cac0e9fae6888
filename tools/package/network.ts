import type { ReceivedRequest } from "./index.d.ts";

// What the network and the platform do around the app.

export type Respond = (request: Request) => Response | Promise<Response>;

const lengths = new WeakMap<ReadableStream, number>();

/** A class of workerd that Node does not have: a stream for a body whose length is known before it is sent. */
export class FixedLengthStream extends TransformStream {
  constructor(length: number) {
    // The writer aborts the stream, or the reader cancels it.
    const cancel = () => Promise.reject(createClosedError("terminated"));
    super({ cancel });
    lengths.set(this.readable, length);
  }
}

/**
 * Creates the error with which Node's own `fetch` rejects if the connection closes before the end of the response.
 * @param message "fetch failed" before the headers, "terminated" after them
 */
function createClosedError(message: "fetch failed" | "terminated"): TypeError {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  return new TypeError(message, { cause });
}

/** Whether a fault decides when the parts of the body are sent: such a response must not be transformed. */
export function isTimed({ headers, body }: Response): boolean {
  return body !== null && (headers.get("Cache-Control")?.includes("no-transform") ?? false);
}

/** How many requests are remembered: the newest ones. */
const MOST_REQUESTS = 10_000;

/**
 * Changes responses as a connection does, and remembers the requests.
 * @param onResponse called after each response, also if there is none because the connection is closed
 */
export function createResponder(app: Respond, onResponse?: (received: ReceivedRequest) => void) {
  const requests: ReceivedRequest[] = [];
  const respond = async (request: Request): Promise<Response> => {
    const { method, url, signal } = request;
    // The headers of a request on a connection belong to the connection, which would stay in memory.
    const headers = new Headers(request.headers);
    const received: ReceivedRequest = { method, url, headers, status: null, applied: [] };
    if (requests.push(received) > MOST_REQUESTS) requests.shift();
    try {
      const response = await app(method === "HEAD" ? new Request(url, { headers, signal }) : request);
      received.applied = response.headers.get("Preference-Applied")?.split(", ") ?? [];
      signal.throwIfAborted();
      if (received.applied.includes("close")) throw createClosedError("fetch failed");
      received.status = response.status;
      if (method === "HEAD") return await leaveBodyOut(response);
      return isTimed(response) ? createTimed(response, signal) : response;
    } finally {
      onResponse?.(received);
    }
  };
  return { requests, respond };
}

/** Leaves the body of GET out, but not its length (RFC 9110, 9.3.2). */
async function leaveBodyOut(response: Response): Promise<Response> {
  const { headers, body } = response;
  if (body && !isTimed(response))
    headers.set("Content-Length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, response);
}

/** Lets an abort end the body at once, and gives the response the headers that it has on a connection. */
function createTimed(response: Response, signal: AbortSignal): Response {
  const { body } = response;
  const timed = new Response(body?.pipeThrough(new TransformStream(), { signal }), response);
  const length = body && lengths.get(body);
  if (length) timed.headers.set("Content-Length", String(length));
  // Only `wrangler dev` needs it.
  timed.headers.delete("Content-Encoding");
  return timed;
}

/**
 * Does what `fetch` does with redirects and with a request that is aborted (Fetch standard, 4.4).
 * @throws TypeError if there is a redirect, and the request refuses it
 */
export async function fetchFrom(respond: Respond, request: Request): Promise<Response> {
  const { headers, redirect, signal } = request;
  let { method, url } = request;
  signal.throwIfAborted();
  for (let hops = 0; ; hops++) {
    // A fragment is not sent (RFC 9110, 7.1).
    const [target = url] = url.split("#");
    const isSame = hops === 0 && target === url;
    const response = await respond(isSame ? request : new Request(target, { method, headers, signal }));
    const location = response.headers.get("Location");
    if (location === null || redirect === "manual")
      return Object.defineProperties(response, { url: { value: target }, redirected: { value: hops > 0 } });
    if (redirect === "error")
      throw new TypeError("fetch failed", { cause: new Error(`unexpected redirect to ${location}`) });
    url = new URL(location, target).href;
    if (method === "POST") method = "GET";
  }
}
