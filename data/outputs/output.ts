import { createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Characters that are written at once: a system call for each record would take most of the time. */
const CHUNK = 65_536;

/**
 * Writes text to a file, which appears under its name only when it is whole, or to standard output.
 * @param out a path; `-` is standard output
 * @throws if it cannot be written; a reader that has read enough of standard output (`| head`) is no failure
 */
export async function writeOutput(out: string, text: AsyncIterable<string>): Promise<void> {
  if (out === "-") return writeToPipe(text);
  const part = `${out}.part`;
  const remove = () => rmSync(part, { force: true });
  process.once("exit", remove);
  await pipeline(Readable.from(collect(text)), createWriteStream(part)).catch((error) => {
    throw new Error(`${out} cannot be written: ${error.message}`);
  });
  renameSync(part, out);
  process.off("exit", remove);
}

async function writeToPipe(text: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(collect(text)), process.stdout, { end: false }).catch((error) => {
    if (error.code !== "EPIPE") throw error;
  });
}

async function* collect(text: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const piece of text) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}
