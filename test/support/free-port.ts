import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/**
 * Starts a server that only this machine can reach.
 * @param port By default any free port
 * @throws if the port is in use
 */
export async function listenOnFreePort(server: Server, port = 0) {
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Finds a free port below the range of ports that Linux chooses from. So no server that listens on any free port gets this port before
 * it is used. Only for programs that need to know their port.
 */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const listening = await listenOnFreePort(createServer(), port).catch(() => undefined);
    if (listening === undefined) continue;
    await listening.close();
    return port;
  }
}

/** Connects to a server, and sends the start of a request. */
export async function openSocket(url: string, sent: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(sent, "latin1");
  return socket;
}
