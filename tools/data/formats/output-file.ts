import { randomBytes } from "node:crypto";
import { chmodSync, createWriteStream, realpathSync, renameSync, rmSync, statSync, writeFile } from "node:fs";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createWriteError } from "../../messages.ts";
import { findDescriptor } from "../../paths.ts";

/**
 * Writes text to an output. A file is replaced only when the text is complete, and keeps its mode. Standard output and other open files,
 * devices and named pipes receive it immediately. A name that ends with `.gz` compresses it. A reader that stops early is not an error.
 * @param out A path; `-` is standard output
 * @throws Error that names the output if it cannot be written, or any error that the text throws
 */
export async function writeOutput(out: string, text: AsyncIterable<string>): Promise<void> {
  if (out === "-") return writeStream(text, process.stdout, "Standard output");
  const existing = statSync(out, { throwIfNoEntry: false });
  if (existing?.isDirectory()) throw new Error(`${out} cannot be written: it is a directory`);
  const descriptor = findDescriptor(out);
  if (descriptor !== undefined) return writeStream(text, openDescriptor(descriptor), out);
  if (existing && !existing.isFile()) return writeStream(text, createWriteStream(out), out);
  // Replace the file behind a symbolic link, not the link.
  const path = existing ? realpathSync(out) : out;
  const temporary = `${path}.${randomBytes(4).toString("hex")}.part`;
  const remove = () => rmSync(temporary, { force: true });
  process.once("exit", remove);
  try {
    const mode = existing?.mode ?? 0o666;
    await writeStream(text, createWriteStream(temporary, { flags: "wx", mode }), out);
    // The user's umask has masked the mode.
    if (existing) chmodSync(temporary, mode);
    renameSync(temporary, path);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** Opens a stream that never closes its descriptor: it may be one of Node, which aborts without it. */
function openDescriptor(descriptor: number): Writable {
  return new Writable({ write: (chunk, _encoding, done) => writeFile(descriptor, chunk, done) });
}

async function writeStream(text: AsyncIterable<string>, stream: Writable, name: string): Promise<void> {
  const compress = /\.gz$/i.test(name) ? [createGzip()] : [];
  const streams = [Readable.from(joinText(text)), ...compress, stream];
  await pipeline(streams, { end: stream !== process.stdout }).catch((cause) => {
    if (cause.code === "EPIPE") return;
    // The text can throw other errors.
    throw /^(open|write)$/.test(cause.syscall) ? createWriteError(name, cause) : cause;
  });
}

/** Records are written in chunks of this length, so that a record needs no system call of its own. */
const CHUNK_LENGTH = 65_536;

async function* joinText(text: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const piece of text) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}
