import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ListenOptions, Server } from "./index.d.ts";
import { hasBodyFault, type Respond } from "./network.ts";

/** A client that neither sends nor reads for so long is disconnected. */
const STALL_TIMEOUT_MS = 60_000;

/**
 * Serves HTTP requests with a function.
 * @param stallTimeoutMs tests replace it
 * @throws Error if the port or the host cannot be used
 */
export async function listen(
  respond: Respond,
  { port = 8787, host: hostOption = "localhost" }: ListenOptions = {},
  stallTimeoutMs = STALL_TIMEOUT_MS,
): Promise<Server> {
  // As in a URL.
  const host = hostOption.replace(/^\[(.+)\]$/, "$1");
  const server = createServer({
    headersTimeout: stallTimeoutMs,
    requestTimeout: stallTimeoutMs,
    connectionsCheckingInterval: stallTimeoutMs / 10,
  });
  server.timeout = stallTimeoutMs;
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    const { code } = Object(cause);
    throw Object.assign(new Error(describeFailure(code, port, host), { cause }), { code });
  }
  const { port: actualPort } = server.address() as AddressInfo;
  const listener = getRequestListener(
    (request, bindings) => handleRequest(respond, request, bindings as HttpBindings, stallTimeoutMs),
    // HTTP/1.0 needs no host.
    { overrideGlobalObjects: false, hostname: `localhost:${actualPort}` },
  );
  // `checkContinue`: the service never asks for a body (RFC 9110, 10.1.1).
  server.on("request", listener).on("checkContinue", listener);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param code of Node's error */
function describeFailure(code: string, port: number, host: string): string {
  if (code === "EADDRINUSE")
    return `Port ${port} of ${host} is in use. Choose another port; port 0 is a free one.`;
  return `The service cannot listen at port ${port} of ${host} (${code}). Choose a port from 1024 to 65535, and a name or an address of this machine, such as localhost, 127.0.0.1 or ::1.`;
}

async function handleRequest(
  respond: Respond,
  request: Request,
  { incoming, outgoing }: HttpBindings,
  stallTimeoutMs: number,
): Promise<Response> {
  // An error here only says that the client has gone.
  outgoing.on("error", () => {});
  // The client waits for us now, perhaps for minutes.
  incoming.socket.setTimeout(0);
  try {
    // Without the zone of a local address, such as %eth0.
    const [address] = incoming.socket.remoteAddress?.split("%") ?? ["unknown"];
    const response = await respond(request, address);
    incoming.socket.setTimeout(stallTimeoutMs);
    // The library prints the error of a body that is cut, and would send an empty body in chunks.
    if (response.body && !hasBodyFault(response)) return response;
    outgoing.statusCode = response.status;
    outgoing.setHeaders(response.headers);
    await pipeline(response.body ?? [], outgoing);
  } catch {
    // A fault closes the connection, or the client has.
    outgoing.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}
