import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Unreadable } from "./problem.ts";

const REASONS: Record<string, string> = {
  ENOENT: "does not exist",
  EISDIR: "is a directory",
  EACCES: "cannot be read: permission denied",
  EPERM: "cannot be read: permission denied",
};

/**
 * Takes the name of a file (`-` for standard input), gives its bytes, unzipped if it is gzipped, which its
 * first bytes tell (RFC 1952, 2.3.1). `onRead` hears of bytes as they are in the file. Throws `Unreadable` if there is no such file or the gzip is damaged.
 */
export async function* openBytes(
  file: string,
  stdin?: Readable,
  onRead?: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const stream = file === "-" ? (stdin ?? process.stdin) : createReadStream(file, { highWaterMark: 1 << 16 });
  try {
    yield* await unzip(count(stream, onRead));
  } catch (error) {
    throw explain(error);
  }
}

async function* count(
  chunks: AsyncIterable<Buffer>,
  onRead?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onRead?.(chunk.length);
    yield chunk;
  }
}

async function unzip(stream: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const chunks = stream[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  // A pipe may hand over its first byte alone.
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const bytes = resume(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return bytes;
  return pipeline(Readable.from(bytes), createGunzip(), () => {});
}

async function* resume(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => chunks };
}

/** Gives back unknown errors as they are: those are faults of the program, not of the input. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  if (error.code.startsWith("Z_")) return new Unreadable(`is a damaged gzip file: ${error.message}`);
  if (!("syscall" in error)) return error;
  return new Unreadable(REASONS[error.code] ?? `cannot be read: ${error.code}`);
}
