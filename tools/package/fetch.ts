import { STATUS_CODES } from "node:http";
import { createFetchError, hasBodyFault, type Respond } from "./network.ts";

/**
 * Handles a request like the global `fetch` (Fetch standard, 4.4): follows redirects, respects the signal, and returns the same kind of
 * response. Request bodies are not sent, because the service ignores them.
 * @throws TypeError if the global `fetch` would reject the redirect or the response
 */
export async function fetchFrom(respond: Respond, request: Request): Promise<Response> {
  const { headers, redirect, signal } = request;
  let { method, url } = request;
  signal.throwIfAborted();
  for (let hops = 0; ; hops++) {
    const [urlWithoutFragment = url] = url.split("#");
    const response = await respond(new Request(urlWithoutFragment, { method, headers, signal }));
    const location = response.headers.get("Location");
    if (location === null || redirect === "manual")
      return toClientResponse(response, request, urlWithoutFragment, hops > 0);
    if (redirect === "error") throw createFetchError(`unexpected redirect to ${location}`);
    url = new URL(location, urlWithoutFragment).href;
    if (method === "POST") method = "GET";
  }
}

/** Creates the client's response. The client gets the response when the headers have arrived, even if a fault delays the body. */
async function toClientResponse(response: Response, request: Request, url: string, redirected: boolean) {
  const { status, headers } = response;
  let { body } = response;
  const hasBody = request.method !== "HEAD" && status !== 204 && status !== 304;
  if (hasBody && !hasBodyFault(response)) {
    const bytes = await response.arrayBuffer();
    headers.set("Content-Length", String(bytes.byteLength));
    body = new Response(bytes).body;
  }
  const init = { status, statusText: STATUS_CODES[status] ?? "unknown", headers };
  return defineMetadata(new Response(body && readUntilAbort(body, request), init), url, redirected);
}

/** Sets the properties that the constructor of Response cannot set. Clones get the same properties. */
function defineMetadata(response: Response, url: string, redirected: boolean): Response {
  const value = () => {
    throw new TypeError("immutable");
  };
  Object.defineProperties(response.headers, { append: { value }, delete: { value }, set: { value } });
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: "basic" },
    clone: { value: () => defineMetadata(Response.prototype.clone.call(response), url, redirected) },
  });
}

/** @param request The request whose signal ends the body. Its signal follows the client's signal only while the request is in memory */
function readUntilAbort(body: ReadableStream<Uint8Array>, request: Request): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cancel = (reason: unknown) => reader.cancel(reason).catch(() => {});
  return new ReadableStream({
    start(controller) {
      request.signal.addEventListener("abort", () => {
        controller.error(request.signal.reason);
        void cancel(request.signal.reason);
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  });
}
