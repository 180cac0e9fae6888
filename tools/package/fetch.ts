import { STATUS_CODES } from "node:http";
import { isTimed, type Respond } from "./network.ts";

/** For `data:`, and for the errors of other schemes, which need no service. */
const { fetch: fetchElsewhere } = globalThis;

/**
 * Does what the global `fetch` does with a request (Fetch standard, 4.4): with its redirects, its signal and its response.
 * @throws TypeError if there is a redirect, and the request refuses it
 */
export async function fetchFrom(respond: Respond, request: Request): Promise<Response> {
  const { headers, redirect, signal } = request;
  let { method, url } = request;
  signal.throwIfAborted();
  if (!/^https?:/.test(url)) return fetchElsewhere(request);
  for (let hops = 0; ; hops++) {
    // A fragment is not sent (RFC 9110, 7.1).
    const [target = url] = url.split("#");
    const isSame = hops === 0 && target === url;
    const response = await respond(isSame ? request : new Request(target, { method, headers, signal }));
    const location = response.headers.get("Location");
    if (location === null || redirect === "manual") return receive(response, request, target, hops > 0);
    if (redirect === "error")
      throw new TypeError("fetch failed", { cause: new Error(`unexpected redirect to ${location}`) });
    url = new URL(location, target).href;
    if (method === "POST") method = "GET";
  }
}

/** Makes the response that a client gets when its headers have arrived. */
async function receive(response: Response, request: Request, url: string, redirected: boolean) {
  const { status, headers } = response;
  let { body } = response;
  const hasBody = request.method !== "HEAD" && status !== 204 && status !== 304;
  if (hasBody && !isTimed(response)) {
    const bytes = await response.bytes();
    headers.set("Content-Length", String(bytes.length));
    body = new Response(bytes).body;
  }
  const init = { status, statusText: STATUS_CODES[status] ?? "unknown", headers };
  const received = new Response(body && readUntilAbort(body, request), init);
  return describe(received, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: "basic" },
  });
}

/** Sets the properties that only the runtime can give to a response, also in its clones. */
function describe(response: Response, properties: PropertyDescriptorMap): Response {
  const clone = () => describe(Response.prototype.clone.call(response), properties);
  return Object.defineProperties(response, { ...properties, clone: { value: clone } });
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
