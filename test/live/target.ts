import { setTimeout } from "node:timers/promises";
import { parseRetryAfter } from "../../tools/http-client/retry.ts";
import { checkResponse } from "../openapi-check.ts";

/** A running service, here or anywhere, with data that nobody knows. */
export interface Target {
  /** Scheme, host and port, with which its links begin too. */
  origin: string;
  /**
   * Asks it and follows no redirect. Waits if it says that it is asked too often.
   * @throws if the answer is not as the OpenAPI document says
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The same for answers that are altered on request, of which the document says nothing. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** Limits are over after a minute at most. */
const LONGEST_WAIT_MS = 90_000;
const MOST_WAITS = 5;

/** How long to wait if it does not say. */
const USUAL_WAIT_MS = 10_000;

/** A request that does not end fails its test, with its address. */
const TIMEOUT_MS = 30_000;

export function openTarget(origin: string): Target {
  const writeRequest = (path: string, init?: RequestInit) =>
    new Request(new URL(path, origin), {
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...init,
    });
  return {
    origin,
    async fetch(path, init) {
      const response = withoutFront(await sendPatiently(() => writeRequest(path, init)));
      await checkResponse(writeRequest(path, init), response.clone());
      return response;
    },
    send: (path, init) => sendPatiently(() => writeRequest(path, init)),
  };
}

async function sendPatiently(writeRequest: () => Request): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const response = await fetch(writeRequest());
    if (response.status !== 429 || waits === MOST_WAITS) return response;
    await response.body?.cancel();
    const after = parseRetryAfter(response.headers.get("Retry-After"), Date.now()) ?? USUAL_WAIT_MS;
    await setTimeout(Math.min(after, LONGEST_WAIT_MS));
  }
}

/**
 * The answer without what a cache or proxy in front may do to it: one that compresses makes the entity-tag weak
 * (RFC 9110, 8.8.1) and adds to `Vary` (12.5.5), in letters of either case.
 */
export function withoutFront(response: Response): Response {
  const { status, headers } = response;
  const own = new Headers(headers);
  const etag = headers.get("ETag");
  if (etag !== null) own.set("ETag", etag.replace(/^W\//, ""));
  const vary = headers
    .get("Vary")
    ?.split(",")
    .map((name) => name.trim());
  const names = vary?.filter((name) => name.toLowerCase() !== "accept-encoding");
  if (names?.length === 0) own.delete("Vary");
  else if (names)
    own.set("Vary", names.map((name) => (name.toLowerCase() === "accept" ? "Accept" : name)).join(", "));
  return new Response(response.body, { status, headers: own });
}

/** The headers that the service itself sets; a cache or proxy in front has more. */
const OWN_HEADERS = [
  "access-control-allow-origin",
  "access-control-expose-headers",
  "allow",
  "cache-control",
  "content-type",
  "etag",
  "retry-after",
  "vary",
  "x-content-type-options",
];

export function ownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => OWN_HEADERS.includes(name)));
}
