import { HttpError } from "../../src/http/errors.ts";
import type { ReceivedRequest } from "./index.d.ts";

/** The app, and what the network and the platform do around it. Without an address, the client is in this process. */
export type Respond = (request: Request, address?: string) => Response | Promise<Response>;

const bodyLengths = new WeakMap<ReadableStream, number>();

/** A class of workerd that Node does not have: a stream for a body whose length is known before it is sent. */
export class FixedLengthStream extends TransformStream {
  constructor(length: number) {
    // The writer aborts the stream, or the reader cancels it.
    const cancel = () => Promise.reject(createFetchError(...CONNECTION_CLOSED, "terminated"));
    super({ cancel });
    bodyLengths.set(this.readable, length);
  }
}

/** Why the global `fetch` rejects if the connection closes before the end of the response. */
const CONNECTION_CLOSED = ["other side closed", "UND_ERR_SOCKET"] as const;

/** Creates the error with which the global `fetch` rejects. After the headers of the response, its message is "terminated". */
export function createFetchError(cause: string, code?: string, message = "fetch failed"): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(cause), code && { code }) });
}

/** Whether a fault decides when the parts of the body are sent: such a response must not be transformed. */
export function hasBodyFault({ headers, body }: Response): boolean {
  return body !== null && (headers.get("Cache-Control")?.includes("no-transform") ?? false);
}

/**
 * Whether the service responds to a URL. Links and commands repeat its host, so the host has no other characters than a name, an
 * address and a port have. Credentials in a URL are an error (RFC 9110, 4.2.4).
 */
function isValidUrl(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && `${url.username}${url.password}` === "" && /^[\w.:[\]-]+$/.test(url.host);
}

/**
 * Changes responses as a connection does.
 * @param onRequest called before each response, with what is known then
 * @param onResponse called after each response, also if there is none because the connection is closed
 */
export function createResponder(
  app: Respond,
  onRequest?: (received: ReceivedRequest) => void,
  onResponse?: (received: ReceivedRequest) => void,
): Respond {
  return async (request, address) => {
    const { method, url, signal } = request;
    if (!isValidUrl(url)) return Response.json({ detail: new HttpError(400).message }, { status: 400 });
    // The headers of a request on a connection belong to the connection, which would stay in memory.
    const headers = new Headers(request.headers);
    const received: ReceivedRequest = { method, url, headers, status: null, applied: [] };
    onRequest?.(received);
    try {
      const sent = method === "HEAD" ? new Request(url, { headers, signal }) : request;
      const response = await app(sent, address);
      received.applied = response.headers.get("Preference-Applied")?.split(", ") ?? [];
      signal.throwIfAborted();
      if (received.applied.includes("close")) throw createFetchError(...CONNECTION_CLOSED);
      received.status = response.status;
      return await toNetworkResponse(response, method);
    } finally {
      onResponse?.(received);
    }
  };
}

/** Gives a response the headers that it has on a connection. The body of HEAD is left out, but not its length (RFC 9110, 9.3.2). */
async function toNetworkResponse(response: Response, method: string): Promise<Response> {
  const { headers, body } = response;
  if (body && hasBodyFault(response)) {
    const length = bodyLengths.get(body);
    if (length) headers.set("Content-Length", String(length));
    // Only `wrangler dev` needs it.
    headers.delete("Content-Encoding");
    if (method === "HEAD") await body.cancel().catch(() => {});
  } else if (body && method === "HEAD") {
    headers.set("Content-Length", String((await response.bytes()).length));
  }
  return method === "HEAD" ? new Response(null, response) : response;
}
