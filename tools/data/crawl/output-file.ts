import {
  closeSync,
  constants,
  createReadStream,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { createWriteError } from "../../../data/file-errors.ts";
import { RECORD_BYTES } from "../../../data/formats/formats.ts";
import { readText, splitLines } from "../../../data/formats/input-file.ts";
import { type FileLock, lockFile } from "../../../data/stores/file-lock.ts";
import { type Checkpoint, removeCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { addRecord, type SeenRecords } from "./consistency.ts";

/** The value of `--out` for standard output. */
export const STDOUT = "-";

/** The file that a crawl writes, with its progress file. All functions except `close` throw if writing fails. */
export interface OutputFile {
  /**
   * Writes at the end of what the checkpoint counts.
   * @returns the number of bytes
   */
  append(text: string): number;
  /** Makes the file and its progress durable. */
  save(): void;
  /** Makes the file durable and removes the progress file, because the crawl is complete. */
  finish(): void;
  close(): void;
}

/**
 * Opens the output file, cuts off everything after the end that the checkpoint names, and writes the progress file.
 * @throws Error if it cannot be written
 */
export function openOutputFile(out: string, checkpoint: Checkpoint): OutputFile {
  const expectedBytes = checkpoint.first * RECORD_BYTES.jsonl;
  const withWriteError = <T>(action: () => T): T => {
    try {
      return action();
    } catch (cause) {
      throw createWriteError(out, cause, expectedBytes);
    }
  };
  const file = withWriteError(() => openAt(out, checkpoint));
  const sync = (then: () => void) =>
    withWriteError(() => {
      fsyncSync(file);
      then();
    });
  return {
    append: (text) => withWriteError(() => writeAll(file, Buffer.from(text), checkpoint.bytes)),
    save: () => sync(() => writeCheckpoint(out, checkpoint)),
    finish: () => sync(() => removeCheckpoint(out)),
    close: () => closeSync(file),
  };
}

function openAt(out: string, checkpoint: Checkpoint): number {
  // The progress file is written first: as long as it exists, the other file is known to belong to a crawl.
  writeCheckpoint(out, checkpoint);
  const file = openSync(out, constants.O_WRONLY | constants.O_CREAT);
  ftruncateSync(file, checkpoint.bytes);
  return file;
}

/** A write to a full disk may write only a part, and fail only at the next call. */
function writeAll(file: number, bytes: Buffer, position: number): number {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
  return written;
}

/** @throws Error if the path exists and is not a regular file */
export function requireRegularFile(out: string): void {
  if (out === STDOUT || (statSync(out, { throwIfNoEntry: false })?.isFile() ?? true)) return;
  throw new Error(
    `${out} is not a regular file, so the crawl could not be resumed. Use --out - to write to standard output.`,
  );
}

/** @returns bytes, undefined if the file does not exist */
export function fileSize(out: string): number | undefined {
  return statSync(out, { throwIfNoEntry: false })?.size;
}

/**
 * Reads the records that a crawl has written before, and adds them to the seen records.
 * @throws Error if the file has been changed since
 */
export async function readBackRecords(
  out: string,
  { bytes, records }: Checkpoint,
  seen: SeenRecords,
  onProgress: (records: number) => void,
): Promise<void> {
  let found = 0;
  try {
    for await (const record of readRecords(out, bytes)) {
      addRecord(seen, record);
      found += 1;
      if (found % 10_000 === 0) onProgress(found);
    }
    if (found !== records) throw new Error(`expected ${records} records, found ${found}`);
  } catch (cause) {
    throw new Error(
      `${out} was changed after the crawl was interrupted, so the crawl cannot be resumed. Use --restart to start over.`,
      { cause },
    );
  }
}

async function* readRecords(out: string, bytes: number): AsyncGenerator<unknown> {
  if (bytes === 0) return;
  if ((fileSize(out) ?? 0) < bytes) throw new Error(`expected at least ${bytes} bytes`);
  for await (const chunk of readText(createReadStream(out, { end: bytes - 1 }))) {
    for (const { text } of splitLines(chunk)) yield JSON.parse(text);
  }
}

/**
 * Prevents other crawls from writing the same file while this process runs.
 * @returns a function that releases the lock
 * @throws Error if another crawl holds it
 */
export function lockOutput(out: string): () => void {
  if (out === STDOUT) return () => {};
  const path = `${out}.lock`;
  const lock = openLock(path);
  if (!lock) return () => {};
  if (!lock.isHeld) {
    const other = lock.heldBy === undefined ? "another crawl" : `another crawl (process ${lock.heldBy})`;
    throw new Error(`${out} is being written by ${other}. Wait until it has ended.`);
  }
  const unlock = () => {
    process.off("exit", unlock);
    rmSync(path, { force: true });
    lock.release();
  };
  process.once("exit", unlock);
  return unlock;
}

/** @returns undefined if no file can be written there; opening the output file reports that in a clearer message */
function openLock(path: string): FileLock | undefined {
  try {
    return lockFile(path);
  } catch {
    return undefined;
  }
}
