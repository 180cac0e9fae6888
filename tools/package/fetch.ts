import type { Respond } from "./listen.ts";

/**
 * Fetches from a function instead of a network: follows redirects, and rejects if the request is aborted (Fetch standard, 4.4).
 * @throws TypeError if there is a redirect, and the request refuses it
 */
export async function fetchFrom(respond: Respond, request: Request): Promise<Response> {
  const { headers, redirect, signal } = request;
  let { method, url } = request;
  signal.throwIfAborted();
  for (let hops = 0; ; hops++) {
    // A fragment is not sent (RFC 9110, 7.1).
    const [target = url] = url.split("#");
    const isSame = hops === 0 && target === url;
    const response = await respond(isSame ? request : new Request(target, { method, headers, signal }));
    const location = response.headers.get("Location");
    if (location === null || redirect === "manual")
      return Object.defineProperties(response, { url: { value: target }, redirected: { value: hops > 0 } });
    if (redirect === "error")
      throw new TypeError("fetch failed", { cause: new Error(`unexpected redirect to ${location}`) });
    url = new URL(location, target).href;
    if (method === "POST") method = "GET";
  }
}
