import { createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { findDestination } from "./destination.ts";

/** Characters that are written at once: a system call for each record would take most of the time. */
const CHUNK = 65_536;

/**
 * Writes text to a file, which appears under its name only when it is whole, to a device or a named pipe as it comes,
 * or to standard output.
 * @param out a path; `-` is standard output
 * @throws if it cannot be written, or what the text throws; a reader that has read enough (`| head`) is no failure
 */
export async function writeOutput(out: string, text: AsyncIterable<string>): Promise<void> {
  if (out === "-") return pour(text, process.stdout, out);
  const { part, file, mode } = findDestination(out);
  if (part === undefined) return pour(text, createWriteStream(file), out);
  const remove = () => rmSync(part, { force: true });
  process.once("exit", remove);
  try {
    await pour(text, createWriteStream(part, { flags: "wx", mode }), out);
    renameSync(part, file);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

async function pour(text: AsyncIterable<string>, stream: Writable, out: string): Promise<void> {
  const chunks = collect(text);
  await pipeline(Readable.from(chunks.read()), stream, { end: stream !== process.stdout }).catch((cause) => {
    if (chunks.failed()) throw cause;
    if (cause.code === "EPIPE") return;
    throw new Error(`${out === "-" ? "Standard output" : out} cannot be written: ${cause.message}`, {
      cause,
    });
  });
}

/** Collects chunks of the text, and tells a failure of the text from one that the output has with a chunk. */
function collect(text: AsyncIterable<string>) {
  let written = false;
  let failed = false;
  async function* read(): AsyncGenerator<string> {
    let chunk = "";
    for await (const piece of text) {
      chunk += piece;
      if (chunk.length < CHUNK) continue;
      written = true;
      yield chunk;
      written = false;
      chunk = "";
    }
    written = true;
    yield chunk;
  }
  return {
    failed: () => failed,
    async *read(): AsyncGenerator<string> {
      try {
        yield* read();
      } catch (error) {
        failed = !written;
        throw error;
      }
    },
  };
}
