const lengths = new WeakMap<ReadableStream, number>();

/** A class of workerd that Node does not have: a stream for a body whose length is known before it is sent. */
export class FixedLengthStream extends TransformStream {
  constructor(length: number) {
    // The writer aborts the stream, or the reader cancels it.
    const cancel = () => Promise.reject(createClosedError("terminated"));
    super({ cancel });
    lengths.set(this.readable, length);
  }
}

/** The length of a body that is the readable end of such a stream. */
export function findLength(body: ReadableStream): number | undefined {
  return lengths.get(body);
}

/** Whether a fault decides when the parts of the body are sent: such a response must not be transformed. */
export function isTimed({ headers, body }: Response): boolean {
  return body !== null && (headers.get("Cache-Control")?.includes("no-transform") ?? false);
}

/**
 * Creates the error with which Node's own `fetch` rejects if the connection closes before the end of the response.
 * @param message "fetch failed" before the headers, "terminated" after them
 */
export function createClosedError(message: "fetch failed" | "terminated"): TypeError {
  return new TypeError(message, {
    cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
  });
}
