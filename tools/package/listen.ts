import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
// Fake timers of a test do not replace this one, except in Bun.
import { setTimeout } from "node:timers/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { HttpError } from "../../src/http/errors.ts";
import { printError } from "../command-line/print.ts";
import { describeError, getErrorCode, getMessage } from "../messages.ts";
import {
  acceptConnections,
  type Connections,
  closeServers,
  createConnections,
  noteWait,
} from "./connections.ts";
import type { Server as ListeningServer, ListenOptions } from "./index.d.ts";
import { createErrorResponse, type Respond } from "./respond.ts";
import { ListenSchema, requireShape } from "./service-options.ts";

/** Thrown if the port, the host or the certificate cannot be used. */
export class ListenError extends Error {}

interface ServerSettings {
  /** Whether the globals `Request` and `Response` become the lighter ones of Hono's server. They are those of the whole process. */
  overridesGlobals?: boolean;
  /** How long connections without a request get responses after `close`, so that no request meets the end of its connection. */
  graceMs?: number;
  /** When a client is taken for lost that sends nothing, or reads nothing of a response. */
  idleMs?: number;
}

/**
 * Serves HTTP requests with a function.
 * @throws InvalidOptionsError
 * @throws ListenError that says why the port, the host or the certificate cannot be used
 */
export async function listen(
  respond: Respond,
  options: ListenOptions = {},
  { overridesGlobals = false, graceMs = 0, idleMs = IDLE_MS }: ServerSettings = {},
): Promise<ListeningServer> {
  requireShape(ListenSchema, options);
  const { port = 8787, host = "localhost", cert, key } = options;
  const listener = getRequestListener(
    (request, bindings) => {
      // The bindings of HTTP/2 are another type, and this server is HTTP/1.
      const { incoming, outgoing } = bindings as HttpBindings;
      // Removes the zone of a link-local address, such as %eth0.
      const [address = "unknown"] = incoming.socket.remoteAddress?.split("%") ?? [];
      const reply = respond(request, { address, onWait: () => noteWait(connections, outgoing) });
      return send(reply, incoming, outgoing);
    },
    { overrideGlobalObjects: overridesGlobals },
  );
  const connections = createConnections((incoming, outgoing) => {
    incoming.headers.host = getHost(incoming);
    void listener(incoming, outgoing);
  });
  const open = (host: string, port: number) => openServer(connections, { host, port, cert, key, idleMs });
  const servers = await (host === "localhost" ? openOnBothAddresses(open, port) : [await open(host, port)]);
  const url = `${cert ? "https" : "http"}://${formatAddress(host, getPort(servers[0]))}`;
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeServers(connections, servers, { graceMs });
    return closed;
  };
  return { url, close, [Symbol.asyncDispose]: close };
}

/** Why a server cannot listen, by the error codes of Node. */
const REASONS = new Map<unknown, string>([
  ["EACCES", "this user may not use this port"],
  ["EADDRINUSE", "another program uses this port. Choose another one, or 0 for a free one"],
  ["EADDRNOTAVAIL", "this machine does not have this address"],
  ["ENOTFOUND", "this host has no address. An IPv6 address is written without brackets"],
]);

/** A URL and three headers of 8 KB, the longest that the service reads. With Node's 16 KB, a long URL is a 431 without a reason. */
const SERVER_OPTIONS = { maxHeaderSize: 1 << 15 };

/**
 * Longer than a proxy keeps an idle connection: Caddy for 120 seconds, nginx for 60. Otherwise, some requests get a 502. Also longer than
 * any response waits.
 */
const IDLE_MS = 130_000;

/** Listens on both addresses of `localhost`, because some clients try only one of them. */
async function openOnBothAddresses(
  open: (host: string, port: number) => Promise<Server>,
  port: number,
): Promise<[Server, ...Server[]]> {
  const server = await open("127.0.0.1", port);
  try {
    return [server, await open("::1", getPort(server))];
  } catch (error) {
    const code = error instanceof Error ? getErrorCode(error.cause) : undefined;
    const hasNoIpv6 = code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT";
    if (hasNoIpv6) return [server];
    server.close();
    // The port that the system chose is free on one address only.
    if (code === "EADDRINUSE" && port === 0) return openOnBothAddresses(open, port);
    throw error;
  }
}

async function openServer(
  connections: Connections,
  { host, port, cert, key, idleMs }: ListenOptions & { idleMs: number },
): Promise<Server> {
  const server = cert && key ? createSecureServer({ cert, key }) : createServer(SERVER_OPTIONS);
  Object.assign(server, { timeout: idleMs, keepAliveTimeout: idleMs });
  acceptConnections(connections, server);
  await once(server.listen({ port, host }), "listening").catch((cause) => {
    const reason = REASONS.get(getErrorCode(cause)) ?? getMessage(cause);
    throw new ListenError(`The service cannot listen on port ${port} of ${host}: ${reason}.`, { cause });
  });
  return server;
}

function createSecureServer({ cert, key }: Record<"cert" | "key", string>): Server {
  try {
    return createTlsServer({ ...SERVER_OPTIONS, cert: readFileSync(cert), key: readFileSync(key) });
  } catch (cause) {
    throw new ListenError(`${cert} and ${key} cannot be used: ${getMessage(cause)}.`, { cause });
  }
}

/**
 * Returns the host of a request. Two hosts become one that is invalid (RFC 9112, 3.2). It can be empty, and in HTTP/1.0, health checks of
 * some proxies do not send it: then it is the address that the client has used.
 */
function getHost({ rawHeaders, socket }: IncomingMessage): string {
  // Names and values take turns. In older Nodes and Deno, `headersDistinct` throws if a header has a name such as `constructor`.
  const host = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "host");
  const { localAddress = "", localPort = 0 } = socket;
  return host.join() || formatAddress(localAddress.replace("::ffff:", ""), localPort);
}

function formatAddress(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function getPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function send(reply: ReturnType<Respond>, incoming: IncomingMessage, outgoing: ServerResponse) {
  // Ignores the error, because it only means that the client has disconnected. An unhandled error would end the process.
  outgoing.on("error", () => {});
  try {
    const sent = await reply;
    if (sent.kind === "response" && !sent.canBreakOff) return sent.response;
    if (sent.kind === "response") await sendBody(sent.response, outgoing);
    else outgoing.socket?.destroySoon();
    return RESPONSE_ALREADY_SENT;
  } catch (error) {
    const isConnected = !incoming.errored;
    if (isConnected) printError(describeError(error));
    return createErrorResponse(new HttpError(500));
  }
}

/** The pause before a connection closes within a body. Chromium discards what arrives together with the end of its connection. */
const CUT_PAUSE_MS = 50;

/** Sends a body that can break off. Hono's server would print the error. A body is as small as a page, so nothing waits for its client. */
async function sendBody({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers);
  // With `Connection: close`, some clients take a part of a body for the whole.
  if (outgoing.hasHeader("Connection")) outgoing.removeHeader("Connection");
  outgoing.flushHeaders();
  try {
    for await (const part of body ?? []) outgoing.write(part);
    outgoing.end();
  } catch {
    await setTimeout(CUT_PAUSE_MS);
    outgoing.socket?.destroySoon();
  }
}
