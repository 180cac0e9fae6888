import { STATUS_CODES } from "node:http";
// Fake timers of a test do not replace these. In Bun, they replace `setInterval`.
import { clearInterval, setInterval } from "node:timers";
import { setImmediate } from "node:timers/promises";
import type { Respond } from "./respond.ts";

/**
 * Sends a request to the service, and shows what a client of the global `fetch` notices: redirects, the URL of the response, aborts,
 * and connections that close.
 * @throws TypeError if the global `fetch` would reject the request, the redirect or the connection
 */
export async function fetchFrom(respond: Respond, request: Request): Promise<Response> {
  const { headers, signal, redirect, method } = request;
  const url = request.url.replace(/#.*/, "");
  await limitRequestsPerTurn();
  signal.throwIfAborted();
  if (!/^https?:/.test(url)) throw createFetchError("unknown scheme");
  // No server receives a fragment.
  const sent = url === request.url ? request : new Request(url, request);
  const reply = await respond(sent);
  signal.throwIfAborted();
  if (reply.kind === "closed") throw createFetchError("other side closed", "UND_ERR_SOCKET");
  const { response } = reply;
  const location = response.headers.get("Location");
  if (location !== null && redirect === "error") throw createFetchError(`unexpected redirect to ${location}`);
  // The service redirects no request that has a body.
  if (location !== null && redirect === "follow") {
    const followed = new Request(new URL(location, url), { method, headers, signal });
    return addProperties(await fetchFrom(respond, followed), { redirected: true });
  }
  const hasBody = response.body !== null && method !== "HEAD";
  const body = hasBody ? readAsClient(response.body, sent) : null;
  const init = { status: response.status, statusText: STATUS_CODES[response.status] ?? "" };
  return addProperties(new Response(body, { ...init, headers: response.headers }), { url });
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

/**
 * Keeps the process alive until an action ends, as an open connection does. The timers of a hang and of `AbortSignal.timeout` do not, so
 * the process would end before a client gives up.
 */
export async function keepAlive<T>(action: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, 2 ** 30);
  return action().finally(() => clearInterval(timer));
}

/** Adds to a response, and to its copies, what only the global `fetch` can set. */
function addProperties(response: Response, properties: { url?: string; redirected?: boolean }): Response {
  const { clone } = response;
  const values = { ...properties, clone: () => addProperties(clone.call(response), properties) };
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(response, name, { value, configurable: true });
  return response;
}

function createFetchError(cause: string, code?: string): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(cause), { code }) });
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
