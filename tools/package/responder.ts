import { createClosedError, findLength, isTimed } from "./fixed-length-stream.ts";
import type { ReceivedRequest } from "./index.d.ts";
import type { Respond } from "./listen.ts";
import { respondWithFile } from "./site.ts";

/** How many requests are remembered: the newest ones. */
const MOST_REQUESTS = 10_000;

/**
 * Adds to the app what the platform and the network do around it, and remembers the requests.
 * @param onResponse called after each response, also if there is none because the connection is closed
 */
export function createResponder(app: Respond, onResponse: ((received: ReceivedRequest) => void) | undefined) {
  const requests: ReceivedRequest[] = [];
  const serve: Respond = (request) => respondWithFile(request) ?? app(request);
  const respond = async (request: Request): Promise<Response> => {
    const { method, url, headers, signal } = request;
    const received: ReceivedRequest = { method, url, headers, status: null, applied: [] };
    if (requests.push(received) > MOST_REQUESTS) requests.shift();
    try {
      const response = await serve(
        method === "HEAD" ? new Request(request, { method: "GET", signal }) : request,
      );
      received.applied = response.headers.get("Preference-Applied")?.split(", ") ?? [];
      signal.throwIfAborted();
      if (received.applied.includes("close")) throw createClosedError("fetch failed");
      received.status = response.status;
      if (method === "HEAD") return await leaveBodyOut(response);
      return isTimed(response) ? createTimed(response, signal) : response;
    } finally {
      onResponse?.(received);
    }
  };
  return { requests, respond };
}

/** Leaves the body of GET out, but not its length (RFC 9110, 9.3.2). */
async function leaveBodyOut(response: Response): Promise<Response> {
  const { headers, body } = response;
  if (body && !isTimed(response))
    headers.set("Content-Length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, response);
}

/** Lets an abort end the body at once, and gives the response the headers that it has on a connection. */
function createTimed(response: Response, signal: AbortSignal): Response {
  const { body } = response;
  const timed = new Response(body?.pipeThrough(new TransformStream(), { signal }), response);
  const length = body && findLength(body);
  if (length) timed.headers.set("Content-Length", String(length));
  // Only `wrangler dev` needs it.
  timed.headers.delete("Content-Encoding");
  return timed;
}
