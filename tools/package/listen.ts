import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { isTimed } from "./fixed-length-stream.ts";
import type { ListenOptions, Server } from "./index.d.ts";

export type Respond = (request: Request) => Response | Promise<Response>;

/** A client that neither sends nor reads for so long is disconnected. */
const STALL_MS = 60_000;

/**
 * Serves HTTP requests with a function.
 * @param stallMs tests replace it
 * @throws Error if the port is in use
 */
export async function listen(
  respond: Respond,
  { port = 8787, host = "localhost" }: ListenOptions = {},
  stallMs = STALL_MS,
): Promise<Server> {
  const server = createServer(
    { headersTimeout: stallMs, requestTimeout: stallMs, connectionsCheckingInterval: stallMs / 10 },
    (incoming, outgoing) => handle(respond, incoming, outgoing, stallMs),
  );
  server.timeout = stallMs;
  server.on("checkContinue", (incoming, outgoing) => {
    // Nobody asks for the body, so the client may still send it, or not (RFC 9110, 10.1.1).
    outgoing.shouldKeepAlive = false;
    server.emit("request", incoming, outgoing);
  });
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    const { code } = Object(cause);
    if (code !== "EADDRINUSE") throw cause;
    const message = `Port ${port} of ${host} is in use. Choose another port; port 0 is a free one.`;
    throw Object.assign(new Error(message, { cause }), { code });
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
  respond: Respond,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stallMs: number,
): Promise<void> {
  // The client has gone.
  outgoing.on("error", () => {});
  const request = readRequest(incoming, outgoing);
  if (!request) return void outgoing.writeHead(400).end();
  // The client waits for us now, perhaps for minutes.
  incoming.socket.setTimeout(0);
  try {
    const response = await respond(request);
    incoming.socket.setTimeout(stallMs);
    outgoing.statusCode = response.status;
    outgoing.setHeaders(response.headers);
    if (!isTimed(response)) return void outgoing.end(new Uint8Array(await response.arrayBuffer()));
    outgoing.flushHeaders();
    await pipeline(response.body ?? [], outgoing);
  } catch {
    // A fault closes the connection, or the client has.
    outgoing.destroy();
  }
}

/**
 * Reads a request without its body, which nobody needs.
 * @returns undefined if its host or its target is wrong
 */
function readRequest(
  { method = "", url = "", headers, socket }: IncomingMessage,
  outgoing: ServerResponse,
): Request | undefined {
  // HTTP/1.0 needs no host.
  const host = headers.host ?? `localhost:${socket.localPort}`;
  if (!/^[\w.:[\]-]+$/.test(host) || !/^(\/|https?:)/.test(url)) return undefined;
  const abort = new AbortController();
  outgoing.once("close", () => outgoing.writableFinished || abort.abort());
  try {
    // A proxy may send the whole URL (RFC 9112, 3.2.2).
    const target = url.startsWith("/") ? `http://${host}${url}` : url;
    const request = new Request(target, { headers: headers as Record<string, string> });
    // A Request refuses the method TRACE (Fetch standard, 2.2.1), and one that is given a signal has a finalizer: with it, memory
    // grew by 100 MB in 200,000 requests.
    return Object.defineProperties(request, { method: { value: method }, signal: { value: abort.signal } });
  } catch {
    return undefined;
  }
}
