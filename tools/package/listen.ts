import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ListenOptions, Server } from "./index.d.ts";
import { hasBodyFault, type Respond } from "./network.ts";

/**
 * Serves HTTP requests with a function.
 * @throws Node's error if the port or the host cannot be used
 */
export async function listen(
  respond: Respond,
  { port = 8787, host = "localhost" }: ListenOptions = {},
): Promise<Server> {
  const listener = getRequestListener(
    (request, bindings) => handleRequest(respond, request, bindings as HttpBindings),
    { overrideGlobalObjects: false },
  );
  const server = createServer(listener);
  await once(server.listen({ port, host }), "listening");
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handleRequest(
  respond: Respond,
  request: Request,
  { incoming, outgoing }: HttpBindings,
): Promise<Response> {
  // Ignores the error, because it only means that the client has disconnected. An unhandled error would end the process.
  outgoing.on("error", () => {});
  try {
    // Removes the zone of a link-local address, such as %eth0.
    const [address] = incoming.socket.remoteAddress?.split("%") ?? ["unknown"];
    const response = await respond(request, address);
    // Sends cut and empty bodies here: Hono's server would print the error of a cut body, and send an empty body in chunks.
    if (response.body && !hasBodyFault(response)) return response;
    outgoing.statusCode = response.status;
    outgoing.setHeaders(response.headers);
    await pipeline(response.body ?? [], outgoing);
  } catch {
    // A fault closes the connection, or the client has closed the connection.
    outgoing.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}
