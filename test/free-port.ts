import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A server of a test. */
export interface Listening {
  /** `http://127.0.0.1` with its port. */
  origin: string;
  close(): Promise<void>;
}

/**
 * Lets a server listen on this machine alone.
 * @param wanted by default any free port
 * @throws if the port is in use
 */
export async function listenOnFreePort(server: Server, wanted = 0): Promise<Listening> {
  await once(server.listen(wanted, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Connects to a server, and sends the beginning of a request. */
export async function openSocket(url: string, sent: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(sent, "latin1");
  return socket;
}
