import type { OptionValue } from "./option-table.ts";
import { type SlowBody, sleep, type Wait } from "./wait.ts";

/** What faults send in place of the body. */
const REPLACEMENTS = {
  /** Invalid even for lenient parsers. */
  garbage: '{"count": 1, "results": [{"id": ]}} <not json>',
  empty: "",
  /** What a proxy sends in place of the response of its service. */
  html: "<html><head><title>Error</title></head><body><h1>The service did not respond</h1></body></html>",
};

/** The pause between the first half of a cut body and the abort. On an abort, workerd discards bytes that it has not sent. */
const ABORT_DELAY_MS = 50;

/** The time between two parts of a slow body. For a short body it is longer, because each part has at least one byte. */
const PART_INTERVAL_MS = 100;

type BodyFault = OptionValue<"body">;

/** A stream of workerd for a body with a known length, which workerd sends as Content-Length. */
declare const FixedLengthStream: (new (length: number) => TransformStream) | undefined;

/** Whether the fault changes the text of the body. A slow body has the same text. */
export function changesBody(fault: BodyFault | undefined): fault is Exclude<BodyFault, "slow"> {
  return fault !== undefined && fault !== "slow";
}

/** Whether the fault replaces the whole body. */
export function replacesBody(fault: BodyFault | undefined): fault is keyof typeof REPLACEMENTS {
  return fault !== undefined && fault in REPLACEMENTS;
}

/** Whether the fault decides when the parts of the body are sent, so that nothing may buffer or compress them. */
export function isSentInParts(fault: BodyFault | undefined): boolean {
  return fault === "cut" || fault === "slow";
}

/** Breaks the body of a response, or leaves it if there is no fault. A cut body ends with an error, and a slow one when its slot ends. */
export async function breakBody(
  response: Response,
  fault: BodyFault | undefined,
  wait: Wait,
): Promise<Response> {
  if (fault === undefined) return response;
  if (replacesBody(fault)) {
    const replaced = new Response(REPLACEMENTS[fault], response);
    if (fault === "html") replaced.headers.set("Content-Type", "text/html");
    return replaced;
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (fault === "cut") {
    const cut = new Response(sendHalf(bytes), response);
    // Node sends only a header that is set, and workerd only the length of the stream.
    cut.headers.set("Content-Length", String(bytes.length));
    return cut;
  }
  // With `delay=0`, a slow body takes no time.
  return new Response(wait.kind === "slow body" ? sendSlowly(bytes, wait) : bytes, response);
}

/** Creates a response whose connection the runtime closes before the headers, because of the error. workerd sends a HEAD without it. */
export function createClosedResponse(): Response {
  return new Response(new ReadableStream({ start: (body) => body.error(new Error("close")) }));
}

/** Sends half of a body and closes the connection. Content-Length states the whole length, so clients must notice the cut (RFC 9112, 8). */
function sendHalf(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  const isInWorkerd = typeof FixedLengthStream === "function";
  const { readable, writable } = isInWorkerd ? new FixedLengthStream(bytes.length) : new TransformStream();
  const writer = writable.getWriter();
  const cut = async () => {
    await writer.write(bytes.subarray(0, bytes.length / 2));
    // In Node, the write ends when the reader has the half, and a test could have stopped the timers.
    if (isInWorkerd) await sleep(ABORT_DELAY_MS);
    await writer.abort(new Error("body=cut"));
  };
  cut().catch(() => {}); // Writing fails if the client has disconnected.
  return readable;
}

/** Sends a body in parts, while the client reads them. The last part is sent at the end of the time. */
function sendSlowly(bytes: Uint8Array, { bodyMs, slot }: SlowBody): ReadableStream {
  const parts = Math.max(1, Math.min(Math.round(bodyMs / PART_INTERVAL_MS), bytes.length));
  const getShare = (total: number, count: number) => Math.floor((total * count) / parts);
  let sent = 0;
  const pull = async (body: ReadableStreamDefaultController) => {
    const next = sent + 1;
    await sleep(getShare(bodyMs, next) - getShare(bodyMs, sent), slot.signal);
    slot.signal.throwIfAborted();
    body.enqueue(bytes.subarray(getShare(bytes.length, sent), getShare(bytes.length, next)));
    sent = next;
    if (sent < parts) return;
    body.close();
    slot.free();
  };
  return new ReadableStream({ pull, cancel: () => slot.interrupt() }, { highWaterMark: 0 });
}
