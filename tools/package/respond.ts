import { formatOptions, getApplied } from "../../src/faults/applied-options.ts";
import { HttpError } from "../../src/http/errors.ts";
import type { ReceivedRequest } from "./index.d.ts";

/** The service without a network. */
export type App = (request: Request, address?: string) => Promise<Response>;

/** Responds to the request of a client. A client in this process has no address. */
export type Respond = (request: Request, address?: string) => Response | Promise<Response>;

const cutResponses = new WeakSet<Response>();

/** Whether a fault cuts the body of a response, so that its connection closes. */
export function isCut(response: Response): boolean {
  return cutResponses.has(response);
}

interface RequestListeners {
  /** Called before the response, while the status is null. */
  onRequest: ((received: ReceivedRequest) => void) | undefined;
  onResponse: ((received: ReceivedRequest) => void) | undefined;
}

/** Creates a function that responds as a server does: it rejects if a fault closes the connection, or if the client has left. */
export function createResponder(app: App, { onRequest, onResponse }: RequestListeners): Respond {
  return async (request, address) => {
    const { method, url, signal } = request;
    if (!isValidUrl(url)) return Response.json({ detail: new HttpError(400).message }, { status: 400 });
    // Copies the headers, because the headers of the original request would keep its connection in memory.
    const headers = new Headers([...request.headers]);
    const received: ReceivedRequest = { method, url, headers, status: null, applied: [] };
    onRequest?.(received);
    try {
      const response = await app(request, address);
      const applied = getApplied(request).values;
      received.applied = formatOptions(applied);
      signal.throwIfAborted();
      if (applied.close) throw createFetchError("other side closed", "UND_ERR_SOCKET");
      received.status = response.status;
      // The service sets Content-Encoding for `wrangler dev` only.
      response.headers.delete("Content-Encoding");
      if (applied.body === "cut") cutResponses.add(response);
      return response;
    } finally {
      onResponse?.(received);
    }
  };
}

/**
 * Whether the service accepts a URL. The host may contain only the characters of a name, an address and a port, because links and
 * shell commands repeat the host. Credentials in a URL are an error (RFC 9110, 4.2.4).
 */
function isValidUrl(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  const hasCredentials = url.username !== "" || url.password !== "";
  return !hasCredentials && /^[\w.:[\]-]+$/.test(url.host);
}

/** Creates the error of the global `fetch`, with its cause. */
export function createFetchError(cause: string, code?: string): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(cause), { code }) });
}
