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
import { createWriteError } from "../file-errors.ts";

/** A piece of text, or the bytes of a format that is not text. */
export type Chunk = string | Uint8Array;

/**
 * Writes text to standard output, a device or a named pipe as it comes, or to a file, which is replaced only when the text
 * is complete. A reader that stops early (`| head`) is not an error.
 * @param out a path; `-` is standard output
 * @param expectedBytes the estimated size of the text, for the message if the disk is full
 * @throws if it cannot be written, or any error that the text throws
 */
export async function writeOutput(
  out: string,
  text: AsyncIterable<Chunk>,
  expectedBytes?: number,
): Promise<void> {
  if (out === "-") return writeStream(text, process.stdout, "Standard output");
  const { path, temporary, mode } = findDestination(out);
  if (temporary === undefined) return writeStream(text, createWriteStream(path), out, expectedBytes);
  const remove = () => rmSync(temporary, { force: true });
  process.once("exit", remove);
  try {
    await writeStream(text, createWriteStream(temporary, { flags: "wx", mode }), out, expectedBytes);
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

async function writeStream(
  text: AsyncIterable<Chunk>,
  stream: Writable,
  name: string,
  expectedBytes?: number,
): Promise<void> {
  const chunks = joinText(text);
  await pipeline(Readable.from(chunks.read()), stream, { end: stream !== process.stdout }).catch((cause) => {
    if (chunks.failed()) throw cause;
    if (cause.code === "EPIPE") return;
    throw createWriteError(name, cause, expectedBytes);
  });
}

/** Characters written at once. A system call for each record would take most of the time. */
const CHUNK_LENGTH = 65_536;

/**
 * Joins small pieces of text to chunks. The pipeline throws errors of the text and of the output alike; `failed` reports
 * whether it was the text.
 */
function joinText(text: AsyncIterable<Chunk>) {
  let writing = false;
  let failed = false;
  async function* read(): AsyncGenerator<Chunk> {
    let chunk = "";
    for await (const piece of text) {
      if (typeof piece !== "string") {
        writing = true;
        yield piece;
        writing = false;
        continue;
      }
      chunk += piece;
      if (chunk.length < CHUNK_LENGTH) continue;
      writing = true;
      yield chunk;
      writing = false;
      chunk = "";
    }
    writing = true;
    yield chunk;
  }
  return {
    failed: () => failed,
    async *read(): AsyncGenerator<Chunk> {
      try {
        yield* read();
      } catch (error) {
        // While a chunk is being written, an error is thrown into the generator by the output.
        failed = !writing;
        throw error;
      }
    },
  };
}
