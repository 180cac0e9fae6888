import type { AppliedOptions } from "../../src/faults/applied-options.ts";
import { isSentInParts } from "../../src/faults/body-faults.ts";
import { HttpError } from "../../src/http/errors.ts";
import type { ReceivedRequest } from "./index.d.ts";

/** Responds to the request of a client. A client in this process has no address. */
export type Respond = (request: Request, address?: string) => Response | Promise<Response>;

/** The service without a network. `applied` is undefined if the request has no fault options. */
export type App = (
  request: Request,
  address?: string,
) => Promise<{ response: Response; applied?: AppliedOptions | undefined }>;

/** The bodies whose parts are sent when a fault decides. */
const faultyBodies = new WeakSet<ReadableStream>();

const bodyLengths = new WeakMap<ReadableStream, number>();

/** A workerd class that Node lacks: a stream for a body of known length. */
export class FixedLengthStream extends TransformStream {
  constructor(length: number) {
    // Called when the writer aborts the stream, or when the reader cancels the stream.
    const cancel = () => Promise.reject(createFetchError(...CONNECTION_CLOSED, "terminated"));
    // The types of the DOM do not know `cancel` yet.
    const transformer: Transformer & { cancel: typeof cancel } = { cancel };
    super(transformer);
    bodyLengths.set(this.readable, length);
  }
}

/** The error cause that the global `fetch` sets if the connection closes before the end of the response. */
const CONNECTION_CLOSED = ["other side closed", "UND_ERR_SOCKET"] as const;

/** @param message "terminated" if the client has already received the headers of the response */
export function createFetchError(cause: string, code?: string, message = "fetch failed"): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(cause), code && { code }) });
}

/** Whether a fault decides when the parts of the body are sent. */
export function hasBodyFault({ body }: Response): boolean {
  return body !== null && faultyBodies.has(body);
}

/**
 * Whether the service accepts a URL. The host may contain only the characters of a name, an address and a port, because links and
 * shell commands repeat the host. Credentials in a URL are an error (RFC 9110, 4.2.4).
 */
function isValidUrl(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && `${url.username}${url.password}` === "" && /^[\w.:[\]-]+$/.test(url.host);
}

/**
 * Creates a function whose responses look as if they came over a connection. It rejects if a fault closes the connection.
 * @param onRequest Called before each response, while the status is null
 * @param onResponse Called after each response, and after a closed connection
 */
export function createResponder(
  app: App,
  onRequest?: (received: ReceivedRequest) => void,
  onResponse?: (received: ReceivedRequest) => void,
): Respond {
  return async (request, address) => {
    const { method, url, signal } = request;
    if (!isValidUrl(url)) return Response.json({ detail: new HttpError(400).message }, { status: 400 });
    // Copies the headers, because the headers of the original request would keep its connection in memory.
    const headers = new Headers([...request.headers]);
    const received: ReceivedRequest = { method, url, headers, status: null, applied: [] };
    onRequest?.(received);
    try {
      const sent = method === "HEAD" ? new Request(url, { headers, signal }) : request;
      const { response, applied } = await app(sent, address);
      received.applied = applied?.formatted ?? [];
      signal.throwIfAborted();
      if (applied?.values.close) throw createFetchError(...CONNECTION_CLOSED);
      received.status = response.status;
      if (response.body && isSentInParts(applied?.values.body)) faultyBodies.add(response.body);
      return await toNetworkResponse(response, method);
    } finally {
      onResponse?.(received);
    }
  };
}

/** Adds the headers that a server adds. A response to HEAD has no body, but the Content-Length of the body. */
async function toNetworkResponse(response: Response, method: string): Promise<Response> {
  const { headers, body } = response;
  if (body && hasBodyFault(response)) {
    const length = bodyLengths.get(body);
    if (length) headers.set("Content-Length", String(length));
    // The service sets Content-Encoding for `wrangler dev` only.
    headers.delete("Content-Encoding");
    if (method === "HEAD") await body.cancel().catch(() => {});
  } else if (body && method === "HEAD") {
    headers.set("Content-Length", String((await response.arrayBuffer()).byteLength));
  }
  return method === "HEAD" ? new Response(null, response) : response;
}
