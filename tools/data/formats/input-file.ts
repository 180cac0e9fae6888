import { isUtf8 } from "node:buffer";
import { constants, createReadStream, openSync, readdirSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { TrafficRecord } from "../../../src/records/schema.ts";
import { describeFileError, formatValue, getErrorCode } from "../../messages.ts";
import { type Problem, TooLargeError, UnreadableError } from "./problem.ts";

export interface InputFile {
  /** A path; `-` is standard input. */
  file: string;
  /** The body of a request, which is read instead of a file. */
  body?: Readable | undefined;
  /** The maximum number of bytes, after they are decompressed. */
  maxBytes?: number | undefined;
  /** Replaces the model name of every record. */
  modelName?: TrafficRecord["model_name"] | undefined;
  /** Called with each chunk of bytes before it is decompressed. */
  onRead?: ((chunk: Uint8Array) => void) | undefined;
  /** Called with the `count` of each page. */
  onPage?: ((file: string, count: number) => void) | undefined;
  onWarning?: ((problem: Problem) => void) | undefined;
}

/** The names of input files in a folder. Hidden files are ignored, as with `*` in a shell. */
const INPUT_NAME = /^[^.].*\.(csv|json|jsonl|ndjson|gz)$/i;

/** `INPUT_NAME` in words. */
export const INPUT_SUFFIXES = ".csv, .json, .jsonl, .ndjson or .gz";

/** Lists the input files of a folder, sorted by name, and the other names. A path that is no such folder is its only file. */
export function listInputFiles(path: string): { files: string[]; skipped: string[] } {
  const onlyPath = { files: [path], skipped: [] };
  if (path === "-" || !isFolder(path)) return onlyPath;
  const names = listNames(path);
  const files = names.filter((name) => INPUT_NAME.test(name)).map((name) => join(path, name));
  const skipped = names.filter((name) => !INPUT_NAME.test(name) && !name.startsWith("."));
  return files.length > 0 ? { files, skipped } : onlyPath;
}

/** Lists the names in a folder, sorted. The name of a folder ends with a slash: other programs write folders such as `counts.csv/`. */
function listNames(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => (isFolder(join(folder, name)) ? `${name}/` : name));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Reads the bytes of a file, and decompresses gzip (RFC 1952).
 * @throws UnreadableError if the file cannot be read or is damaged gzip
 * @throws TooLargeError if it has more than `maxBytes`
 */
export async function* readBytes(input: InputFile): AsyncGenerator<Uint8Array> {
  const { file, body, onRead, maxBytes = Number.POSITIVE_INFINITY } = input;
  let stream: Readable | undefined;
  let size = 0;
  try {
    stream = body ?? (file === "-" ? process.stdin : openFile(file));
    for await (const chunk of await decompress(observe(stream, onRead))) {
      size += chunk.length;
      if (size > maxBytes)
        throw new TooLargeError(`The body has more than ${maxBytes} bytes after decompression.`);
      yield chunk;
    }
  } catch (error) {
    throw toInputError(error, file);
  } finally {
    stream?.destroy();
  }
}

/** A named pipe is opened without waiting for its writer, because a process that waits there cannot be interrupted. */
function openFile(file: string): Readable {
  const found = statSync(file);
  if (found.isDirectory()) {
    const names = formatValue(listNames(file).slice(0, 5), 200);
    throw new UnreadableError(`contains no file whose name ends in ${INPUT_SUFFIXES}: ${names}`);
  }
  if (!found.isFIFO()) return createReadStream(file, { highWaterMark: 1 << 16 });
  return new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), readable: true });
}

async function* observe(chunks: AsyncIterable<Buffer>, onRead: InputFile["onRead"]): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onRead?.(chunk);
    yield chunk;
  }
}

/** Decompresses gzip, which begins with two special bytes. The first chunk of a pipe may be a single byte. */
async function decompress(chunks: AsyncIterator<Buffer>): Promise<AsyncIterable<Buffer>> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const bytes = prepend(head, chunks);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  return isGzip ? gunzip(bytes) : bytes;
}

/** Decompresses all members of gzip. Zeros may fill the end of the file. Node's stream would ignore everything after the first zero. */
async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip();
  let written = 0;
  let hasBytesAfterEnd = false;

  /** Writes the chunks one after another. The stream has ended if it did not take all bytes of a chunk. */
  async function feed(): Promise<void> {
    for await (const chunk of chunks) {
      const isOpen = stream.bytesWritten === written;
      if (isOpen) await new Promise((resolve) => stream.write(chunk, resolve));
      const taken = isOpen ? stream.bytesWritten - written : 0;
      if (isOpen) written += chunk.length;
      hasBytesAfterEnd ||= chunk.subarray(taken).some((byte) => byte !== 0);
    }
    stream.end();
  }

  const feeding = feed().catch((error) => stream.destroy(error));
  yield* stream;
  await feeding;
  if (hasBytesAfterEnd)
    throw new UnreadableError("is a damaged gzip file: bytes other than zeros follow its end");
}

export async function* prepend<T>(first: T, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Converts a file error to an `UnreadableError`. Returns all other errors unchanged, because they are bugs. */
function toInputError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  if (error.code.startsWith("Z_")) return new UnreadableError(`is a damaged gzip file: ${error.message}`);
  if (!("syscall" in error)) return error;
  // Node replaces the bytes of such a name, and then finds no file.
  const isUnreadableName = getErrorCode(error) === "ENOENT" && file.includes("\ufffd");
  const reason = isUnreadableName ? "its name is not UTF-8. Rename it" : describeFileError(error);
  return new UnreadableError(`cannot be read: ${reason}`);
}

/** Complete lines, or a part of a line that is longer than `MAX_LINE_LENGTH`. */
export interface TextChunk {
  text: string;
  /** The line in which the text starts, from 1. */
  line: number;
  /** False if the last line continues in the next chunk. */
  complete: boolean;
}

/** The maximum length of a complete line. Longer lines are returned in parts, so that a file with one line does not fill the memory. */
export const MAX_LINE_LENGTH = 1 << 20;

/**
 * Decodes bytes as UTF-8 (RFC 3629), in pieces that end with a character.
 * @throws UnreadableError if the bytes are not UTF-8, or contain NUL
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TextChunk> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf("\n") + 1;
    if (end > 0) {
      const text = decode(rest.subarray(0, end), line);
      yield { text, line, complete: true };
      line += countOccurrences(text, "\n");
      rest = rest.subarray(end);
    }
    if (rest.length > MAX_LINE_LENGTH) {
      const lastCharacter = rest.findLastIndex(startsCharacter);
      yield { text: decode(rest.subarray(0, lastCharacter), line), line, complete: false };
      rest = rest.subarray(lastCharacter);
    }
  }
  if (rest.length > 0) yield { text: decode(rest, line), line, complete: true };
}

const startsCharacter = (byte: number) => (byte & 0xc0) !== 0x80;

const NOT_TEXT =
  "is not UTF-8 text: convert text in another encoding, save a spreadsheet as CSV in UTF-8, and unpack an archive";

function decode(bytes: Buffer, line: number): string {
  if (isText(bytes)) return bytes.toString();
  const lines = bytes.toString("latin1").split("\n");
  throw new UnreadableError(NOT_TEXT, line + lines.findIndex((text) => !isText(Buffer.from(text, "latin1"))));
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

export function countOccurrences(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}
