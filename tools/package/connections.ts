import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
// Fake timers of a test do not replace these, except `setTimeout` in Bun.
import { setImmediate, setTimeout } from "node:timers/promises";

/** How many requests of a connection may lack their response. A client that sends more reads nothing, and would fill the memory. */
const MAX_OPEN = 50;

export type Connections = ReturnType<typeof createConnections>;

/** Creates the connections of servers that close together. */
export function createConnections(respond: RequestListener) {
  return {
    respond,
    /** Each connection by its addresses, with its incomplete responses in their order. Only the first of them has begun. */
    open: new Map<string, { socket: Socket; responses: ServerResponse[] }>(),
    /** The responses that wait for a fault, or have waited. */
    waiting: new WeakSet<ServerResponse>(),
    /** How many sockets were accepted: with TLS, two for each connection. */
    accepted: 0,
    isEnding: false,
    /** Until the last connections are accepted, no response begins: its client could connect again. */
    allAccepted: Promise.resolve(),
  };
}

/** Responds to the requests of each connection one after another. Node alone would begin all that come in one chunk. */
export function acceptConnections(connections: Connections, server: Server): void {
  const accept = (socket: Socket) => {
    const name = nameConnection(socket);
    connections.accepted += 1;
    connections.open.set(name, { socket, responses: [] });
    socket.once("close", () => {
      // A client can have used the port again.
      if (connections.open.get(name)?.socket === socket) connections.open.delete(name);
    });
  };
  server.on("connection", accept);
  // With TLS, another socket stands for the connection after the handshake.
  server.on("secureConnection", accept);
  const onRequest: RequestListener = (incoming, outgoing) => receive(connections, incoming, outgoing);
  server.on("request", onRequest);
  // A server may ignore an expectation that it does not know (RFC 9110, 10.1.1).
  server.on("checkExpectation", onRequest);
  // Node calls this when the server closes. It would also close connections whose clients have not read the whole response.
  server.closeIdleConnections = () => {};
}

function nameConnection({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

function receive(connections: Connections, { socket }: IncomingMessage, outgoing: ServerResponse): void {
  const open = connections.open.get(nameConnection(socket))?.responses ?? [];
  // A destroyed connection has no addresses any more, and no list, but its other requests still arrive.
  if (open.length === MAX_OPEN || socket.destroyed) {
    socket.destroy();
    return;
  }
  open.push(outgoing);
  outgoing.once("close", () => {
    open.shift();
    if (connections.isEnding && open.length === 0) socket.destroySoon();
    else if (socket.writable) void begin(connections, open);
  });
  if (open.length === 1) void begin(connections, open);
}

/** Begins the first response of a connection. */
async function begin(connections: Connections, open: ServerResponse[]): Promise<void> {
  await connections.allAccepted;
  const [first, next] = open;
  if (first === undefined) return;
  if (connections.isEnding && next === undefined) first.setHeader("Connection", "close");
  connections.respond(first.req, first);
}

/** Notes that a response begins to wait for a fault. While the servers close, no response can wait. */
export function noteWait({ waiting, isEnding }: Connections, response: ServerResponse): void {
  if (isEnding) response.socket?.destroy();
  else waiting.add(response);
}

/** How long clients get to send the rest of a request, and to read the rest of a response. */
const REST_MS = 5_000;

/**
 * Closes servers. Each connection gets the responses to its requests before, unless one of them waits for a fault. Resolves when the clients
 * in this process have seen that their connections are closed, so that they send nothing there any more.
 * @param options `graceMs`: how long clients can still send a request
 */
export async function closeServers(
  connections: Connections,
  servers: Server[],
  { graceMs }: { graceMs: number },
): Promise<void> {
  const { open, waiting } = connections;
  if (graceMs > 0) connections.allAccepted = acceptAll(connections);
  // Before any response awaits it, so that the port is closed when the next one begins.
  await connections.allAccepted;
  const closed = Promise.all(servers.map((server) => once(server.close(), "close")));
  const waitFor = async (milliseconds: number) => {
    await Promise.race([closed, setTimeout(milliseconds, undefined, { ref: false })]);
    // Receives what has arrived, also if the machine stopped this process for so long.
    await setImmediate();
  };
  connections.isEnding = true;
  const isWaiting = (one?: ServerResponse) => one !== undefined && waiting.has(one) && !one.writableEnded;
  for (const { socket } of open.values().filter(({ responses }) => isWaiting(responses[0]))) socket.destroy();
  await waitFor(graceMs);
  for (const { socket } of open.values().filter(({ responses }) => responses.length === 0))
    socket.destroySoon();
  await waitFor(REST_MS);
  for (const { socket } of open.values()) socket.destroy();
  // The clients see the end two turns later.
  await setImmediate();
  await setImmediate();
}

/** When this time has passed without a new connection, none waits to be accepted. */
const QUIET_MS = 20;
const MAX_ROUNDS = 25;

/** Accepts the connections that wait for it: the system would reset them when the server closes. */
async function acceptAll(connections: Connections): Promise<void> {
  for (let round = 0, before = -1; round < MAX_ROUNDS && before < connections.accepted; round++) {
    before = connections.accepted;
    await setTimeout(QUIET_MS);
    // On a busy machine, the time can be over before the next turn, which accepts.
    await setImmediate();
  }
}
