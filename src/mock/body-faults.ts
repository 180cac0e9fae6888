import type { Faults } from "./decision.ts";

/** Part of the runtime: a body of known length, which is sent as Content-Length. */
declare const FixedLengthStream: new (
  length: number,
) => { readable: ReadableStream<Uint8Array<ArrayBuffer>>; writable: WritableStream<Uint8Array<ArrayBuffer>> };

/** Even a lenient JSON parser rejects it. */
const GARBAGE = '{"count": 1, "results": [{"id": ]}} <not json>';

/**
 * Keeps a body from being compressed on its way, because compression would collect a slow body and hold back the part
 * before a cut. The platform respects `no-transform` (RFC 9111, 5.2.2.6); `wrangler dev` compresses every response without
 * a Content-Encoding, so it gets `identity`, which means no encoding.
 */
const UNCOMPRESSED = { "Cache-Control": "no-store, no-transform", "Content-Encoding": "identity" };

/** Long enough for the runtime to send the first part: it discards unsent bytes when the body breaks. */
const BREAK_AFTER_MS = 50;

/** How long a slow body takes, and how often a piece of a body with limited speed is sent. */
const SLOW_MS = 5_000;
const PIECE_MS = 100;

/** The options that change the body as it is sent. */
export const BODY_OPTIONS = ["body", "cut", "rate"] as const;
type BodyOptions = Partial<Pick<Faults, (typeof BODY_OPTIONS)[number]>>;

/** The headers that replace those of the intact body. */
export function faultHeaders({ body, cut, rate }: BodyOptions): Record<string, string> {
  const isStreamed = body === "cut" || body === "slow" || cut !== undefined || rate !== undefined;
  return {
    ...(body === "garbage" ? { "Content-Type": "application/json" } : {}),
    ...(isStreamed ? UNCOMPRESSED : {}),
  };
}

/**
 * Replaces the body of a response by a faulty one.
 * @param response must have a body
 * @returns a response with the same status and headers
 */
export async function breakBody(response: Response, options: BodyOptions): Promise<Response> {
  const { status, headers } = response;
  return new Response(await replaceBody(response, options), { status, headers });
}

async function replaceBody(
  response: Response,
  { body, cut, rate }: BodyOptions,
): Promise<string | ReadableStream> {
  if (body === "empty") return "";
  if (body === "garbage") return GARBAGE;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const end = cut ?? (body === "cut" ? findCut(bytes) : undefined);
  const perSecond = rate ?? (body === "slow" ? Math.ceil((bytes.length / SLOW_MS) * 1_000) : undefined);
  if (end !== undefined) return cutShort(bytes, Math.min(end, bytes.length - 1), perSecond);
  return sendSlowly(bytes, perSecond ?? bytes.length);
}

/**
 * Announces the whole length, but closes the connection before the end. The client must treat such a body as incomplete
 * (RFC 9112, 8).
 * @param end how many bytes to send
 * @param perSecond how many bytes to send in a second; undefined for all at once
 */
function cutShort(
  bytes: Uint8Array<ArrayBuffer>,
  end: number,
  perSecond: number | undefined,
): ReadableStream {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const writer = writable.getWriter();
  const cut = async () => {
    const size = perSecond === undefined ? end : pieceSize(perSecond);
    for (let sent = 0; sent < end; sent += size) {
      if (perSecond !== undefined) await wait(PIECE_MS);
      await writer.write(bytes.subarray(sent, Math.min(sent + size, end)));
    }
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

/** Sends a few bytes at a time, as long as the client reads them. */
function sendSlowly(bytes: Uint8Array, perSecond: number): ReadableStream {
  const size = pieceSize(perSecond);
  let sent = 0;
  let reading = true;
  return new ReadableStream(
    {
      async pull(controller) {
        await wait(PIECE_MS);
        if (!reading) return;
        controller.enqueue(bytes.subarray(sent, sent + size));
        sent += size;
        if (sent >= bytes.length) controller.close();
      },
      cancel() {
        reading = false;
      },
    },
    { highWaterMark: 0 },
  );
}

function pieceSize(perSecond: number): number {
  return Math.max(1, Math.round((perSecond * PIECE_MS) / 1_000));
}

/**
 * @param milliseconds 0 or more
 * @param signal ends the wait early, because the client is gone
 */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, signal?.aborted ? 0 : milliseconds);
    signal?.addEventListener("abort", end);
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
  });
}
