import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface ListeningServer {
  /** `http://127.0.0.1` with the port. */
  origin: string;
  close(): Promise<void>;
}

/**
 * Starts a server that only this machine can reach.
 * @param port By default any free port
 * @throws if the port is in use
 */
export async function listenOnFreePort(server: Server, port = 0): Promise<ListeningServer> {
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Connects to a server, and sends the start of a request. */
export async function openSocket(url: string, sent: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(sent, "latin1");
  return socket;
}
