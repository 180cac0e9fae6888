import { METHODS, STATUS_CODES } from "node:http";
import { createFetchError, isTimed, type Respond } from "./network.ts";

/** For `data:`, and for the errors of other schemes, which need no service. */
const { fetch: fetchElsewhere } = globalThis;

/** The response of Node's server to a method that it does not know. */
const REFUSED = { status: 400, statusText: "Bad Request" };

/**
 * Does what the global `fetch` does with a request (Fetch standard, 4.4): with its redirects, its signal and its response.
 * @param body that of the request if it is known, because a stream cannot be sent again
 * @throws TypeError if the global `fetch` refuses the request or its response
 */
export async function fetchFrom(respond: Respond, request: Request, body?: unknown): Promise<Response> {
  const { headers, redirect, signal } = request;
  let { method, url } = request;
  signal.throwIfAborted();
  if (!/^https?:/.test(url)) return fetchElsewhere(request);
  requireHeaders(headers);
  for (let hops = 0; ; hops++) {
    // A fragment is not sent (RFC 9110, 7.1).
    const [target = url] = url.split("#");
    if (!METHODS.includes(method)) return describe(new Response(new Uint8Array(), REFUSED), target, false);
    const isSame = hops === 0 && target === url;
    const response = await respond(isSame ? request : new Request(target, { method, headers, signal }));
    const location = response.headers.get("Location");
    if (location === null || redirect === "manual") return receive(response, request, target, hops > 0);
    const isStream = Symbol.asyncIterator in Object(body);
    if (redirect === "error" || isStream) throw createFetchError(`unexpected redirect to ${location}`);
    url = new URL(location, target).href;
    if (method === "POST") method = "GET";
  }
}

/** Refuses headers as the client of Node does. */
function requireHeaders(headers: Headers): void {
  if (headers.has("Expect")) throw createFetchError("expect header not supported", "UND_ERR_NOT_SUPPORTED");
  for (const name of ["Keep-Alive", "Transfer-Encoding", "Upgrade"])
    if (headers.has(name)) throw createFetchError(`invalid ${name} header`, "UND_ERR_INVALID_ARG");
}

/** Makes the response that a client gets when its headers have arrived. */
async function receive(response: Response, request: Request, url: string, redirected: boolean) {
  const { status, headers } = response;
  let { body } = response;
  if (status === 407) throw createFetchError("proxy authentication required");
  const hasBody = request.method !== "HEAD" && status !== 204 && status !== 304;
  if (hasBody && !isTimed(response)) {
    const bytes = await response.bytes();
    headers.set("Content-Length", String(bytes.length));
    body = new Response(bytes).body;
  }
  const init = { status, statusText: STATUS_CODES[status] ?? "unknown", headers };
  const received = new Response(body && readUntilAbort(body, request), init);
  if (request.integrity !== "") {
    // The global `fetch` compares the body with the expected hash.
    const text = Buffer.from(await received.clone().bytes()).toString("base64");
    await fetchElsewhere(`data:;base64,${text}`, { method: request.method, integrity: request.integrity });
  }
  return describe(received, url, redirected);
}

/** Sets what only the runtime can give to a response, also in its clones. */
function describe(response: Response, url: string, redirected: boolean): Response {
  const value = () => {
    throw new TypeError("immutable");
  };
  Object.defineProperties(response.headers, { append: { value }, delete: { value }, set: { value } });
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: "basic" },
    clone: { value: () => describe(Response.prototype.clone.call(response), url, redirected) },
  });
}

/** @param request whose signal ends the body. It must be kept, because otherwise its signal no longer follows that of the client */
function readUntilAbort(body: ReadableStream<Uint8Array>, request: Request): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cancel = (reason: unknown) => reader.cancel(reason).catch(() => {});
  return new ReadableStream({
    type: "bytes",
    start(controller) {
      request.signal.addEventListener("abort", () => {
        controller.error(request.signal.reason);
        void cancel(request.signal.reason);
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      // A copy, because the stream takes the memory of a chunk, which may have the next chunks too.
      if (!done) return controller.enqueue(value.slice());
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel,
  });
}
