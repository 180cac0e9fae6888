import { pause } from "./pause.ts";
import type { BodyFault } from "./preferences.ts";

/** The runtime's own: a body of known length, which Content-Length announces. */
declare const FixedLengthStream: new (
  length: number,
) => { readable: ReadableStream<Uint8Array<ArrayBuffer>>; writable: WritableStream<Uint8Array<ArrayBuffer>> };

/** No parser of JSON takes it, however lenient. */
const GARBAGE = '{"count": 1, "results": [{"id": ]}} <not json>';

/**
 * What compresses an answer on its way would collect what drips, and keep back what came before a cut. The platform heeds
 * `no-transform` (RFC 9111, 5.2.2.6); `wrangler dev` compresses whatever has no coding, be it this one, which means none.
 */
const UNCOMPRESSED = { "Cache-Control": "no-store, no-transform", "Content-Encoding": "identity" };

/** Long enough for the runtime to send what it has: it discards that when the body breaks before. */
const BREAK_AFTER_MS = 50;

/** How long a slow body takes, and in how many pieces it comes. */
const SLOW_MS = 5_000;
const SLOW_PIECES = 50;

/** The headers that a broken body has in place of those of the whole one. */
export function faultHeaders(fault: BodyFault): Record<string, string> {
  switch (fault) {
    case "empty":
      return {};
    case "garbage":
      return { "Content-Type": "application/json" };
    default:
      return UNCOMPRESSED;
  }
}

/**
 * Breaks the body of an answer.
 * @param answer has a body
 * @returns the same status and headers, around another body
 */
export async function breakBody(answer: Response, fault: BodyFault): Promise<Response> {
  const { status, headers } = answer;
  return new Response(await replaceBody(answer, fault), { status, headers });
}

async function replaceBody(answer: Response, fault: BodyFault): Promise<string | ReadableStream> {
  if (fault === "empty") return "";
  if (fault === "garbage") return GARBAGE;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return fault === "cut" ? cutShort(bytes) : drip(bytes);
}

/**
 * A body that announces its length, and whose connection breaks halfway (RFC 9112, 8: the client has to take it as
 * incomplete).
 */
function cutShort(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const writer = writable.getWriter();
  const cut = async () => {
    await writer.write(bytes.subarray(0, findCut(bytes)));
    await pause(BREAK_AFTER_MS);
    await writer.abort(new Error("body=cut was asked for"));
  };
  cut().catch(() => {}); // A client that went away broke it first.
  return readable;
}

/**
 * Where a body is cut: in the middle, but for the way to the next colon, since one stands within a record, not between two.
 * @param bytes JSON
 * @returns how many bytes are left
 */
export function findCut(bytes: Uint8Array): number {
  const middle = Math.floor(bytes.length / 2);
  const colon = bytes.indexOf(":".charCodeAt(0), middle);
  return colon === -1 ? middle : colon + 1;
}

/** The bytes, a few at a time, as long as somebody reads them. */
function drip(bytes: Uint8Array): ReadableStream {
  const size = Math.ceil(bytes.length / SLOW_PIECES);
  let sent = 0;
  let reading = true;
  return new ReadableStream(
    {
      async pull(controller) {
        await pause(SLOW_MS / SLOW_PIECES);
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
