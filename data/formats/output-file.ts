import { randomBytes } from "node:crypto";
import {
  createWriteStream,
  lstatSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createWriteError } from "../file-errors.ts";

/**
 * Writes text to standard output, a device or a named pipe as it comes, or to a file, which is replaced only when the text
 * is complete. A name that ends with `.gz` means gzip. A reader that stops early (`| head`) is not an error.
 * @param out a path; `-` is standard output
 * @throws if it cannot be written, or any error that the text throws
 */
export async function writeOutput(out: string, text: AsyncIterable<string>): Promise<void> {
  if (out === "-") return writeStream(text, process.stdout, "Standard output");
  const { path, temporary, mode } = findDestination(out);
  if (temporary === undefined) return writeStream(text, createWriteStream(path), out);
  const remove = () => rmSync(temporary, { force: true });
  process.once("exit", remove);
  try {
    await writeStream(text, createWriteStream(temporary, { flags: "wx", mode }), out);
    renameSync(temporary, path);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

interface Destination {
  /** Without a symbolic link as its last part. */
  path: string;
  /** A new file beside it, to write to first; undefined for a named pipe or a device, which must not be replaced. */
  temporary: string | undefined;
  /** The permissions of the file that is replaced, for the new one. */
  mode: number;
}

/** @throws if the path is a directory */
function findDestination(out: string): Destination {
  const existing = explainFailure(out, () => statSync(out, { throwIfNoEntry: false }));
  if (existing?.isDirectory()) throw new Error(`${out} cannot be written: it is a directory`);
  if (existing && !existing.isFile()) return { path: out, temporary: undefined, mode: existing.mode };
  const path = explainFailure(out, () => followLinks(out));
  const temporary = join(dirname(path), `${basename(path)}.${randomBytes(4).toString("hex")}.part`);
  return { path, temporary, mode: existing?.mode ?? 0o666 };
}

/** Also follows a link to a file that does not exist. */
function followLinks(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  return followLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)));
}

function explainFailure<T>(out: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw createWriteError(out, cause);
  }
}

async function writeStream(text: AsyncIterable<string>, stream: Writable, name: string): Promise<void> {
  const chunks = joinText(text);
  const compress = name.endsWith(".gz") ? [createGzip()] : [];
  const streams = [Readable.from(chunks.read()), ...compress, stream];
  await pipeline(streams, { end: stream !== process.stdout }).catch((cause) => {
    if (chunks.failed()) throw cause;
    if (cause.code === "EPIPE") return;
    throw createWriteError(name, cause);
  });
}

/** Characters written at once. A system call for each record would take most of the time. */
const CHUNK_LENGTH = 65_536;

/**
 * Joins small pieces of text to chunks. The pipeline throws errors of the text and of the output alike; `failed` reports
 * whether it was the text.
 */
function joinText(text: AsyncIterable<string>) {
  let isReading = true;
  async function* read(): AsyncGenerator<string> {
    let chunk = "";
    for await (const piece of text) {
      chunk += piece;
      if (chunk.length < CHUNK_LENGTH) continue;
      // While a chunk is being written, an error is thrown into the generator by the output.
      isReading = false;
      yield chunk;
      isReading = true;
      chunk = "";
    }
    isReading = false;
    yield chunk;
  }
  return { read, failed: () => isReading };
}
