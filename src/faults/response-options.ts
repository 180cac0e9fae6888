import { HttpError, methodNotAllowed, throttled } from "../http/errors.ts";
import { defineOption, integerBetween, noValue, oneOf, parseInteger, parseRange } from "./option.ts";
import { sleep } from "./wait-limiter.ts";

/** Shorter than for real errors, because tests wait for it. */
const RETRY_AFTER_SECONDS = 2;

/** Most clients that have a limit give up before this time. */
const HANG_MS = 60_000;

/** How long a slow body takes without a delay: less than the 5 seconds after which many test runners give up. */
const SLOW_BODY_MS = 2_000;

/** The faults that replace a response, that delay it, or that break its body. */
export const RESPONSE_OPTIONS = {
  code: defineOption({
    ...integerBetween(400, 599),
    description: "Responds with this status and its error",
    example: "code=503",
    replace: (status, { method }) => createError(status, method),
  }),
  delay: defineOption({
    value: "milliseconds from 0 to 10000, or a range of them such as 200-800",
    description: "Waits before the response; with a range, waits a random time within it",
    example: "delay=200-800",
    parse: (text: string) => parseRange(text, 0, 10_000),
    changeWait(wait, { min, max }, random) {
      wait.beforeMs = min + Math.floor(random("delay") * (max - min + 1));
    },
  }),
  body: defineOption({
    ...oneOf("cut", "slow", "garbage", "empty"),
    description:
      "Closes the connection in the middle of the body (cut), sends it over 2 seconds or, with delay, over that time (slow), sends invalid JSON (garbage), or sends no body (empty)",
    example: "body=cut",
    changeWait(wait, fault) {
      if (fault !== "slow") return;
      wait.bodyMs = wait.beforeMs ?? SLOW_BODY_MS;
      wait.beforeMs = 0;
    },
    hidesPage: (fault) => fault === "garbage" || fault === "empty",
    async changeBody(response, fault, { bodyMs = 0 }, end) {
      const bytes = new Uint8Array(await response.arrayBuffer());
      const changes: Record<typeof fault, () => [string | ReadableStream, headers: Record<string, string>]> =
        {
          cut: () => [sendHalf(bytes), UNCOMPRESSED_HEADERS],
          slow: () => [sendSlowly(bytes, bodyMs, end), UNCOMPRESSED_HEADERS],
          garbage: () => [INVALID_JSON, {}],
          empty: () => ["", {}],
        };
      const [body, headers] = changes[fault]();
      const changed = new Response(body, response);
      for (const [name, value] of Object.entries(headers)) changed.headers.set(name, value);
      return changed;
    },
  }),
  hang: defineOption({
    ...noValue,
    description: "Sends no response for a minute",
    example: "hang",
    changeWait(wait) {
      wait.beforeMs = HANG_MS;
    },
    replace: (_, { method }, error) => error ?? createError(503, method),
  }),
  close: defineOption({
    ...noValue,
    description: "Closes the connection before the response",
    example: "close",
    replace: createAbortedResponse,
  }),
  "retry-after": defineOption({
    value: "none, date or seconds from 0 to 86400",
    description:
      "Changes the header Retry-After of 429 and 503: leaves it out, writes an HTTP date, or writes so many seconds",
    example: "retry-after=date",
    parse: (text: string) => (text === "none" || text === "date" ? text : parseInteger(text, 0, 86_400)),
    changeError(error, value, { now }) {
      const { headers } = error;
      if (headers["Retry-After"] === undefined) return false;
      // An HTTP date has whole seconds.
      const date = new Date((Math.ceil(now / 1_000) + RETRY_AFTER_SECONDS) * 1_000).toUTCString();
      headers["Retry-After"] = value === "date" ? date : String(value);
      if (value === "none") delete headers["Retry-After"];
      if (error.status === 429 && typeof value === "number") error.message = throttled(value).message;
      return true;
    },
  }),
};

/**
 * Creates the error of a status, with the headers that the status requires (RFC 9110, 11.6.1 and 11.7.1) or that help the client
 * (10.2.3). In a 426 the header `Upgrade` (15.5.22) is missing, because the runtime removes it.
 */
function createError(status: number, method: string): HttpError {
  // Not Basic: browsers would ask for a password.
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

/** Before it sends this, workerd closes the connection. The package does so when it sees which option was applied. */
function createAbortedResponse(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(new Error("close")) }));
}

/** Part of the runtime: a body of known length, which is sent as Content-Length. */
declare const FixedLengthStream: new (length: number) => TransformStream<Uint8Array, Uint8Array>;

/** Even a lenient JSON parser rejects it. */
const INVALID_JSON = '{"count": 1, "results": [{"id": ]}} <not json>';

/** `Cache-Control` of a body that is cut or slow. */
export const NO_TRANSFORM = "no-store, no-transform";

/**
 * Keeps a body from being compressed on its way, because compression would collect a slow body and hold back the part
 * before a cut. The platform respects `no-transform` (RFC 9111, 5.2.2.6); `wrangler dev` compresses every response without
 * a Content-Encoding, so it gets `identity`, which means no encoding.
 */
const UNCOMPRESSED_HEADERS = { "Cache-Control": NO_TRANSFORM, "Content-Encoding": "identity" };

/** Long enough for the runtime to send the first part: it discards unsent bytes when the body breaks. */
const ABORT_DELAY_MS = 50;

/** Announces the whole length, but closes the connection before the end: the client must notice that (RFC 9112, 8). */
function sendHalf(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const writer = writable.getWriter();
  const cut = async () => {
    await writer.write(bytes.subarray(0, bytes.length / 2));
    await sleep(ABORT_DELAY_MS);
    await writer.abort(new Error("the request asks for a cut"));
  };
  cut().catch(() => {}); // The client closed the connection first.
  return readable;
}

/** The time between the parts of a slow body, if it has enough bytes. */
const PART_INTERVAL_MS = 100;

/** Sends a part at a time, as long as the client reads them. The last one comes when the time is over. */
function sendSlowly(bytes: Uint8Array, totalMs: number, end: () => void): ReadableStream {
  const parts = Math.max(1, Math.min(Math.round(totalMs / PART_INTERVAL_MS), bytes.length));
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await sleep(totalMs / parts);
      const [from, to] = [sent, ++sent].map((part) => Math.floor((bytes.length * part) / parts));
      controller.enqueue(bytes.subarray(from, to));
      if (sent < parts) return;
      controller.close();
      end();
    },
    cancel: end,
  });
}
