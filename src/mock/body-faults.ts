import type { MockOptions } from "./options.ts";

export type BodyFault = NonNullable<MockOptions["body"]>;

/** Part of the runtime: a body of known length, which is sent as Content-Length. */
declare const FixedLengthStream: new (
  length: number,
) => { readable: ReadableStream<Uint8Array<ArrayBuffer>>; writable: WritableStream<Uint8Array<ArrayBuffer>> };

/** Part of the runtime; its types leave out `from`. */
declare const ReadableStream: {
  new (source: { start(controller: { error(reason: Error): void }): void }): ReadableStream<Uint8Array>;
  from(parts: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array>;
};

/** Even a lenient JSON parser rejects it. */
const GARBAGE = '{"count": 1, "results": [{"id": ]}} <not json>';

/**
 * Keeps a body from being compressed on its way, because compression would collect a slow body and hold back the part
 * before a cut. The platform respects `no-transform` (RFC 9111, 5.2.2.6); `wrangler dev` compresses every response without
 * a Content-Encoding, so it gets `identity`, which means no encoding.
 */
const UNCOMPRESSED = { "Cache-Control": "no-store, no-transform", "Content-Encoding": "identity" };

/** The headers that replace those of the intact body. */
export const BODY_FAULT_HEADERS: Record<BodyFault, Record<string, string>> = {
  cut: UNCOMPRESSED,
  slow: UNCOMPRESSED,
  garbage: { "Content-Type": "application/json" },
  empty: {},
};

/**
 * Replaces the body of a response by a faulty one.
 * @param response must have a body
 * @param slowMs how long a slow body takes
 */
export async function breakBody(
  response: Response,
  fault: BodyFault,
  slowMs = SLOW_MS,
): Promise<string | ReadableStream> {
  if (fault === "empty") return "";
  if (fault === "garbage") return GARBAGE;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return fault === "cut" ? cutShort(bytes) : ReadableStream.from(sendSlowly(bytes, slowMs));
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
    await writer.write(bytes.subarray(0, findCut(bytes)));
    await wait(BREAK_AFTER_MS);
    await writer.abort(new Error("the request asks for a cut"));
  };
  cut().catch(() => {}); // The client closed the connection first.
  return readable;
}

/**
 * Finds where to cut a body: after the first colon in its second half. A colon is always inside a record, never between two.
 * @param bytes JSON
 * @returns the number of bytes to send
 */
export function findCut(bytes: Uint8Array): number {
  const middle = Math.floor(bytes.length / 2);
  const colon = bytes.indexOf(":".charCodeAt(0), middle);
  return colon === -1 ? middle : colon + 1;
}

/** How long a slow body takes without a delay: less than the 5 seconds after which many test runners give up. */
export const SLOW_MS = 2_000;

/** How often a piece of a slow body is sent. */
const PIECE_MS = 100;

/** Sends a few bytes at a time, as long as the client reads them. */
async function* sendSlowly(bytes: Uint8Array, slowMs: number): AsyncGenerator<Uint8Array> {
  const size = Math.ceil((bytes.length * PIECE_MS) / Math.max(PIECE_MS, slowMs));
  for (let sent = 0; sent < bytes.length; sent += size) {
    await wait(PIECE_MS);
    yield bytes.subarray(sent, sent + size);
  }
}

/**
 * @param milliseconds 0 or more
 * @param signal ends the wait early, because the client has gone
 */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || signal?.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
