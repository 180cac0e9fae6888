import { HttpError, methodNotAllowed, throttled } from "../http/errors.ts";
import type { BodyFault } from "./decision.ts";
import type { MockOptions } from "./options.ts";
import { sleep } from "./waiting.ts";

/** Shorter than for real errors, because tests wait for it. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Creates the error of a status, with the headers that the status requires (RFC 9110, 11.6.1 and 11.7.1) or that help the client
 * (10.2.3). In a 426 the header `Upgrade` (15.5.22) is missing, because the runtime removes it.
 * @param status 400 to 599
 * @param method the method of the request
 * @param now milliseconds since 1970-01-01 UTC
 */
export function createError(status: number, method: string, now: number, options: MockOptions): HttpError {
  const { "retry-after": retryAfter } = options;
  const seconds = typeof retryAfter === "number" ? retryAfter : RETRY_AFTER_SECONDS;
  // Not Basic: browsers would ask for a password.
  const challenge = 'Bearer realm="api"';
  const usual: Record<number, HttpError> = {
    401: new HttpError(401, { headers: { "WWW-Authenticate": challenge } }),
    405: methodNotAllowed(method, "GET, OPTIONS"),
    407: new HttpError(407, { headers: { "Proxy-Authenticate": challenge } }),
    429: new HttpError(429, { detail: throttled(seconds).message }),
  };
  const error = usual[status] ?? new HttpError(status);
  if ((status === 429 || status === 503) && retryAfter !== "none")
    error.headers["Retry-After"] = retryAfter === "date" ? writeDate(now, seconds) : String(seconds);
  return error;
}

/** An HTTP date has whole seconds, and must not be earlier than the time that it stands for. */
function writeDate(now: number, seconds: number): string {
  return new Date((Math.ceil(now / 1_000) + seconds) * 1_000).toUTCString();
}

/** Part of the runtime: a body of known length, which is sent as Content-Length. */
declare const FixedLengthStream: new (length: number) => TransformStream<Uint8Array, Uint8Array>;

/** Even a lenient JSON parser rejects it. */
const GARBAGE = '{"count": 1, "results": [{"id": ]}} <not json>';

/**
 * Keeps a body from being compressed on its way, because compression would collect a slow body and hold back the part
 * before a cut. The platform respects `no-transform` (RFC 9111, 5.2.2.6); `wrangler dev` compresses every response without
 * a Content-Encoding, so it gets `identity`, which means no encoding.
 */
const UNCOMPRESSED = { "Cache-Control": "no-store, no-transform", "Content-Encoding": "identity" };

type CreateBody = (bytes: Uint8Array<ArrayBuffer>, ms: number, end: () => void) => string | ReadableStream;

/** Creates the body of each fault from the usual one, with the headers that it needs. */
const BODIES: Record<BodyFault, [CreateBody, headers: Record<string, string>]> = {
  cut: [cutShort, UNCOMPRESSED],
  slow: [sendSlowly, UNCOMPRESSED],
  garbage: [() => GARBAGE, { "Content-Type": "application/json" }],
  empty: [() => "", {}],
};

/** Replaces the body of a response, which must have one. A slow body takes `ms`, and calls `end` when it is sent or cancelled. */
export async function breakBody(response: Response, fault: BodyFault, ms: number, end: () => void) {
  const [create, headers] = BODIES[fault];
  const bytes = new Uint8Array(await response.arrayBuffer());
  const changed = new Response(create(bytes, ms, end), response);
  for (const [name, value] of Object.entries(headers)) changed.headers.set(name, value);
  return changed;
}

/**
 * A response whose body fails before anything is sent, so that workerd closes the connection instead. The package does the same
 * when it sees which option was applied.
 */
export function createClosing(): Response {
  const error = new Error("the request asks for a closed connection");
  return new Response(new ReadableStream({ start: (controller) => controller.error(error) }));
}

/** Long enough for the runtime to send the first part: it discards unsent bytes when the body breaks. */
const BREAK_AFTER_MS = 50;

/**
 * Announces the whole length, but closes the connection before the end. The client must treat such a body as incomplete
 * (RFC 9112, 8).
 */
function cutShort(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const writer = writable.getWriter();
  const cut = async () => {
    await writer.write(bytes.subarray(0, bytes.length / 2));
    await sleep(BREAK_AFTER_MS);
    await writer.abort(new Error("the request asks for a cut"));
  };
  cut().catch(() => {}); // The client closed the connection first.
  return readable;
}

/** How often a piece of a slow body is sent. */
const PIECE_MS = 100;

/** Sends a few bytes at a time, as long as the client reads them. */
function sendSlowly(bytes: Uint8Array, slowMs: number, end: () => void): ReadableStream {
  const size = Math.ceil((bytes.length * PIECE_MS) / Math.max(PIECE_MS, slowMs));
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await sleep(PIECE_MS);
      controller.enqueue(bytes.subarray(sent, sent + size));
      sent += size;
      if (sent < bytes.length) return;
      controller.close();
      end();
    },
    cancel: end,
  });
}
