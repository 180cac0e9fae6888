import { HttpError, methodNotAllowed, throttled } from "../http/errors.ts";
import { defineOption, integerBetween, noValue, oneOf, parseInteger, parseRange } from "./option.ts";
import { sleep } from "./slots.ts";

/** `Retry-After` of a requested error: shorter than in the service's own errors, because tests wait this long. */
const RETRY_AFTER_SECONDS = 2;

/** The time of `hang`: longer than the timeout of most clients. */
const HANG_MS = 60_000;

/** The time of a slow body without `delay`. Shorter than the timeout of many test runners, 5 seconds. */
const SLOW_BODY_MS = 2_000;

/** The faults that replace a response, delay it, or break its body. */
export const RESPONSE_OPTIONS = {
  code: defineOption({
    ...integerBetween(400, 599),
    description: "Responds with this status and its error",
    example: "code=503",
    replace: (status, { method }) => createError(status, method),
  }),
  delay: defineOption({
    expected: "milliseconds from 0 to 10000, or a range such as 200-800",
    description: "Waits this time before the response, or a random time within a range",
    example: "delay=200-800",
    parse: (text: string) => parseRange(text, 0, 10_000),
    getWait: ({ min, max }, _, random) => ({ beforeMs: min + Math.floor(random("delay") * (max - min + 1)) }),
  }),
  body: defineOption({
    ...oneOf("cut", "slow", "garbage", "empty"),
    description:
      "Closes the connection after half of the body (cut), sends the body over 2 seconds or over the time of delay (slow), or sends invalid JSON (garbage) or no body (empty)",
    example: "body=cut",
    getWait: (fault, wait) => (fault === "slow" ? { bodyMs: wait.beforeMs ?? SLOW_BODY_MS } : wait),
    hidesPage: (fault) => fault === "garbage" || fault === "empty",
    async changeBody(response, fault, { bodyMs = 0 }, end) {
      const bytes = new Uint8Array(await response.arrayBuffer());
      const bodies: Record<typeof fault, () => string | ReadableStream> = {
        cut: () => sendHalf(bytes),
        slow: () => sendSlowly(bytes, bodyMs, end),
        garbage: () => INVALID_JSON,
        empty: () => "",
      };
      const changed = new Response(bodies[fault](), response);
      if (fault === "cut" || fault === "slow") preventCompression(changed.headers);
      return changed;
    },
  }),
  hang: defineOption({
    ...noValue,
    description: "Sends no response for a minute, and then a 503",
    example: "hang",
    getWait: (_, wait) => ({ ...wait, beforeMs: HANG_MS }),
    replace: (_, { method }, error) => error ?? createError(503, method),
  }),
  close: defineOption({
    ...noValue,
    description: "Closes the connection before the response",
    example: "close",
    // The runtime closes the connection because of the stream error, and the package because `Preference-Applied` lists `close`.
    replace: () => new Response(new ReadableStream({ start: (body) => body.error(new Error("close")) })),
  }),
  "retry-after": defineOption({
    expected: "none, date or seconds from 0 to 86400",
    description:
      "Changes the Retry-After header of a requested 429 or 503: omits it (none), sends an HTTP date (date), or sends this number of seconds",
    example: "retry-after=date",
    parse: (text: string) => (text === "none" || text === "date" ? text : parseInteger(text, 0, 86_400)),
    changeError(error, value, { now }) {
      const { headers } = error;
      if (headers["Retry-After"] === undefined) return false;
      // Round up, because an HTTP date has whole seconds.
      const date = new Date((Math.ceil(now / 1_000) + RETRY_AFTER_SECONDS) * 1_000).toUTCString();
      headers["Retry-After"] = value === "date" ? date : String(value);
      if (value === "none") delete headers["Retry-After"];
      if (error.status === 429 && typeof value === "number") error.message = throttled(value).message;
      return true;
    },
  }),
};

/** Creates the error of a status, with the headers of this status. A 426 has no `Upgrade`, because the runtime removes that header. */
function createError(status: number, method: string): HttpError {
  // With the scheme `Basic`, browsers would prompt for a password.
  const challenge = 'Bearer realm="api"';
  const errors: Record<number, HttpError> = {
    401: new HttpError(401, { headers: { "WWW-Authenticate": challenge } }),
    405: methodNotAllowed(method, "GET, OPTIONS"),
    407: new HttpError(407, { headers: { "Proxy-Authenticate": challenge } }),
    429: throttled(RETRY_AFTER_SECONDS),
    503: new HttpError(503, { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } }),
  };
  return errors[status] ?? new HttpError(status);
}

/** A stream of the runtime for a body with a known length, which the runtime sends as Content-Length. */
declare const FixedLengthStream: new (length: number) => TransformStream<Uint8Array, Uint8Array>;

/** The body of `garbage`: invalid even for lenient parsers. */
const INVALID_JSON = '{"count": 1, "results": [{"id": ]}} <not json>';

/** `Cache-Control` of a body that is cut or slow. */
export const BODY_FAULT_CACHE_CONTROL = "no-store, no-transform";

/**
 * Prevents compression, which would buffer a slow body and the part before a cut. The platform respects `no-transform` (RFC 9111,
 * 5.2.2.6). `wrangler dev` compresses every response without a Content-Encoding, so the header is set to `identity`: no encoding.
 */
function preventCompression(headers: Headers): void {
  headers.set("Cache-Control", BODY_FAULT_CACHE_CONTROL);
  headers.set("Content-Encoding", "identity");
}

/** The pause between the first half of a cut body and the abort. On an abort, the runtime discards bytes that it has not sent. */
const ABORT_DELAY_MS = 50;

/** Sends half of a body and closes the connection. Content-Length states the whole length, so clients must notice the cut (RFC 9112, 8). */
function sendHalf(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const writer = writable.getWriter();
  const cut = async () => {
    await writer.write(bytes.subarray(0, bytes.length / 2));
    await sleep(ABORT_DELAY_MS);
    await writer.abort(new Error("body=cut"));
  };
  cut().catch(() => {}); // Writing fails if the client has disconnected.
  return readable;
}

/** The time between two parts of a slow body. Longer for a short body, because each part has at least one byte. */
const PART_INTERVAL_MS = 100;

/** Sends a body in parts, while the client reads them. The last part is sent after `totalMs`. */
function sendSlowly(bytes: Uint8Array, totalMs: number, end: () => void): ReadableStream {
  const parts = Math.max(1, Math.min(Math.round(totalMs / PART_INTERVAL_MS), bytes.length));
  const getShare = (total: number, count: number) => Math.floor((total * count) / parts);
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await sleep(getShare(totalMs, sent + 1) - getShare(totalMs, sent));
      controller.enqueue(bytes.subarray(getShare(bytes.length, sent), getShare(bytes.length, ++sent)));
      if (sent < parts) return;
      controller.close();
      end();
    },
    cancel: end,
  });
}
