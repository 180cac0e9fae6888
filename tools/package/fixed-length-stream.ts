const lengths = new WeakMap<ReadableStream, number>();

/** A class of workerd that Node does not have: a stream for a body whose length is known before it is sent. */
export class FixedLengthStream extends TransformStream {
  constructor(length: number) {
    super();
    lengths.set(this.readable, length);
  }
}

/** The length of a body that is the readable end of such a stream. */
export function findLength(body: ReadableStream | null): number | undefined {
  return body === null ? undefined : lengths.get(body);
}
