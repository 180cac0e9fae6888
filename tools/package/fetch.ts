import { STATUS_CODES } from "node:http";
import { createFetchError, type Respond } from "./respond.ts";

/**
 * Sends a request to the service, and shows what a client of the global `fetch` notices: redirects, the URL of the response, aborts,
 * and connections that faults close.
 * @throws TypeError if the global `fetch` would reject the request, the redirect or the connection
 */
export async function fetchFrom(respond: Respond, request: Request): Promise<Response> {
  const { headers, signal, redirect } = request;
  const url = request.url.replace(/#.*/, "");
  signal.throwIfAborted();
  if (!/^https?:/.test(url)) throw createFetchError("unknown scheme");
  const response = await respond(request);
  const location = response.headers.get("Location");
  if (location !== null && redirect === "error") throw createFetchError(`unexpected redirect to ${location}`);
  // The service redirects no request that has a body.
  if (location !== null && redirect === "follow")
    return fetchFrom(
      respond,
      new Request(new URL(location, url), { method: request.method, headers, signal }),
    );
  const hasBody = response.body !== null && request.method !== "HEAD";
  const body = hasBody ? readAsClient(response.body, request) : null;
  const init = { status: response.status, statusText: STATUS_CODES[response.status] ?? "" };
  const received = new Response(body, { ...init, headers: response.headers });
  return Object.defineProperty(received, "url", { value: url });
}

/**
 * Reads a body as a client does: a cut connection is a TypeError, and an abort ends the body.
 * @param request The request whose signal ends the body. Its signal follows the client's signal only while the request is in memory
 */
function readAsClient(body: ReadableStream<Uint8Array>, request: Request): ReadableStream<Uint8Array> {
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
      const { done, value } = await reader.read().catch((cause) => {
        throw new TypeError("terminated", { cause });
      });
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  });
}
