import { STATUS_CODES } from "node:http";
// Fake timers of a test do not replace this one.
import { setImmediate } from "node:timers/promises";
import type { Respond } from "./respond.ts";

/**
 * Sends a request to the service, and shows what a client of the global `fetch` notices: redirects, the URL of the response, headers that
 * cannot change, aborts, and connections that close.
 * @throws TypeError if the global `fetch` would reject the request, the redirect or the connection
 */
export async function fetchFrom(respond: Respond, request: Request): Promise<Response> {
  const { signal, redirect } = request;
  let target = request.url;
  for (let redirected = false; ; redirected = true) {
    // No server receives a fragment.
    const url = target.replace(/#.*/, "");
    await limitRequestsPerTurn();
    signal.throwIfAborted();
    if (!/^https?:/.test(url)) throw new TypeError("fetch failed", { cause: new Error("unknown scheme") });
    const reply = await respond(url === request.url ? request : new Request(url, request));
    signal.throwIfAborted();
    if (reply.kind === "closed") throw createClosedError("fetch failed");
    const location = reply.response.headers.get("Location");
    if (location === null || redirect === "manual")
      return addProperties(toClientResponse(reply.response, request), { url, redirected, type: "basic" });
    if (redirect === "error")
      throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
    // No path that redirects reads a body, so it is not sent again.
    target = new URL(location, url).href;
  }
}

/** Takes about 5 ms, so that timers are hardly late, and a walk through many pages is hardly slower. */
const MAX_REQUESTS_PER_TURN = 100;

let requestsInTurn = 0;
let nextTurn: Promise<void> | undefined;

/**
 * Lets timers run while a client reads one page after another. Without a network, a response takes no turn of the event loop, so that tests
 * with fake timers need no real time. But a client in an endless loop would starve the timeout of its test.
 */
async function limitRequestsPerTurn(): Promise<void> {
  requestsInTurn += 1;
  nextTurn ??= setImmediate().then(() => {
    requestsInTurn = 0;
    nextTurn = undefined;
  });
  if (requestsInTurn > MAX_REQUESTS_PER_TURN) await nextTurn;
}

/** Creates what a client gets of a response, with the headers and the name of the status that a server adds. */
function toClientResponse({ status, headers, body }: Response, request: Request): Response {
  const hasBody = body !== null && request.method !== "HEAD";
  const response = new Response(hasBody ? readAsClient(body, request) : null, {
    status,
    statusText: STATUS_CODES[status] ?? "unknown",
    headers,
  });
  response.headers.set("Date", new Date().toUTCString());
  return response;
}

/** Adds to a response, and to its copies, properties that only the global `fetch` can set, and makes its headers immutable. */
function addProperties(response: Response, properties: Partial<Response>): Response {
  const { clone, headers } = response;
  const copy = () => addProperties(clone.call(response), properties);
  define(response, { ...properties, clone: copy });
  define(headers, { append: rejectChange, delete: rejectChange, set: rejectChange });
  return response;
}

function define(object: object, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(object, name, { value, configurable: true });
}

function rejectChange(): never {
  throw new TypeError("immutable");
}

/** Creates the error of a connection that closed before the response, or within its body. */
function createClosedError(message: string): TypeError {
  const names = { name: "SocketError", code: "UND_ERR_SOCKET" };
  return new TypeError(message, { cause: Object.assign(new Error("other side closed"), names) });
}

/**
 * Reads a body as a client does, as a stream of bytes: a closed connection is a TypeError, and an abort ends the body.
 * @param request The request whose signal ends the body. Its signal follows the client's signal only while the request is in memory
 */
function readAsClient(body: ReadableStream<Uint8Array>, request: Request): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cancel = (reason: unknown) => reader.cancel(reason).catch(() => {});
  const source: UnderlyingByteSource = {
    type: "bytes",
    start(controller) {
      request.signal.addEventListener("abort", () => {
        controller.error(request.signal.reason);
        void cancel(request.signal.reason);
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => {
        throw createClosedError("terminated");
      });
      // A copy, because the stream takes the memory of a part from its owner. In Deno, an empty body has an empty part.
      if (!done && value.length > 0) return controller.enqueue(new Uint8Array(value));
      controller.close();
      // Ends a read into the client's own memory.
      controller.byobRequest?.respond(0);
    },
    cancel,
  };
  // Like a socket, it reads the first part before the client does.
  return new ReadableStream(source, { highWaterMark: 1 });
}
