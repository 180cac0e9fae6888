import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { findLength } from "./fixed-length-stream.ts";
import type { ListenOptions, Server } from "./index.d.ts";

/** A client that neither sends nor reads for so long is disconnected. */
const STALL_MS = 60_000;

/** Responses with these statuses have neither a body nor its length (RFC 9110, 8.6). */
const BODILESS = [204, 304];

/** The service closes the connection before the response, as `prefer=close` asks. It looks like the error of Node's own `fetch`. */
export class ClosedConnection extends TypeError {
  constructor() {
    const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
    super("fetch failed", { cause });
  }
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * Serves HTTP requests with a function.
 * @param stallMs tests replace it
 * @throws Error if the port is in use
 */
export async function listen(
  fetch: Fetch,
  { port = 8787, host = "localhost" }: ListenOptions = {},
  stallMs = STALL_MS,
): Promise<Server> {
  const listener = getRequestListener(
    (request, bindings) => handle(fetch, request, bindings as HttpBindings, stallMs),
    { overrideGlobalObjects: false, hostname: "localhost" },
  );
  const server = createServer(
    { headersTimeout: stallMs, requestTimeout: stallMs, connectionsCheckingInterval: stallMs / 10 },
    listener,
  );
  server.timeout = stallMs;
  // Responds without a request for the body, which nobody reads.
  server.on("checkContinue", listener);
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    throw explain(cause, port, host);
  }
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${chosen}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  fetch: Fetch,
  original: Request,
  { incoming, outgoing }: HttpBindings,
  stallMs: number,
): Promise<Response> {
  const { socket } = incoming;
  // A response that is already written cannot report the end of its connection.
  outgoing.on("error", () => {});
  // The client waits for us now, perhaps for minutes.
  socket.setTimeout(0);
  const { url, method, headers } = original;
  // Without the body, which nobody reads. A Request refuses the method TRACE (Fetch standard, 2.2.1).
  const request = new Request(url, { method: method === "TRACE" ? "GET" : method, headers });
  if (method === "TRACE") Object.defineProperty(request, "method", { value: method });
  // A Request that is given a signal has a finalizer: with it, memory grew by 100 MB in 200,000 requests.
  Object.defineProperty(request, "signal", { get: () => original.signal });
  const response = await fetch(request).catch((error) => closeConnection(error, outgoing));
  socket.setTimeout(stallMs);
  // The adapter would send an empty body in chunks.
  const isEmpty = response.body === null && request.method !== "HEAD" && !BODILESS.includes(response.status);
  if (isEmpty) response.headers.set("Content-Length", "0");
  return findLength(response.body) === undefined ? response : endWithConnection(response, outgoing);
}

/** @throws any other error */
function closeConnection(error: unknown, outgoing: ServerResponse): Response {
  if (!(error instanceof ClosedConnection)) throw error;
  outgoing.destroy();
  return new Response(null);
}

/** If the body breaks, closes the connection, instead of an error that the adapter would print. */
function endWithConnection(response: Response, outgoing: ServerResponse): Response {
  const reader = response.body?.getReader();
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) controller.close();
        else controller.enqueue(value);
      } catch {
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => reader?.cancel(reason),
  });
  return new Response(body, response);
}

function explain(cause: unknown, port: number, host: string): unknown {
  if (!(cause instanceof Error) || !("code" in cause) || cause.code !== "EADDRINUSE") return cause;
  const message = `Port ${port} of ${host} is in use. Choose another port; port 0 is a free one.`;
  return new Error(message, { cause });
}
