import {
  closeSync,
  constants,
  createReadStream,
  fsyncSync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from "node:fs";
import { readText, splitLines } from "../formats/input-file.ts";
import { removeCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { type Copied, takeRecord } from "./record-check.ts";
import type { CrawlState } from "./state.ts";

/** The name of standard output. */
export const PIPE = "-";

/** The file that a crawl writes, and the progress file beside it. All but `close` throw if it cannot be written. */
export interface CopyFile {
  /** Writes after what the state counts. Gives the bytes. */
  append(text: string): number;
  /** Makes the file and its progress outlast whatever happens next. */
  save(): void;
  /** The copy is complete: there is nothing to go on with. */
  finish(): void;
  close(): void;
}

/**
 * Opens the file of a crawl for writing where the state says, and cuts off what was written after it. From then on
 * there is a progress file.
 * @throws Error if it cannot be written
 */
export function openCopyFile(out: string, state: CrawlState): CopyFile {
  const file = attempt(out, () => openAt(out, state));
  const sync = (then: () => void) =>
    attempt(out, () => {
      fsyncSync(file);
      then();
    });
  return {
    append: (text) => attempt(out, () => writeAll(file, Buffer.from(text), state.bytes)),
    save: () => sync(() => writeCheckpoint(out, state)),
    finish: () => sync(() => removeCheckpoint(out)),
    close: () => closeSync(file),
  };
}

function openAt(out: string, state: CrawlState): number {
  // The progress file goes first: beside it, whatever the other one holds is known to be a crawl's.
  writeCheckpoint(out, state);
  const file = openSync(out, constants.O_WRONLY | constants.O_CREAT);
  ftruncateSync(file, state.bytes);
  return file;
}

function attempt<T>(out: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw new Error(`${out} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** A write to a full disk may take a part only, and say so the next time. */
function writeAll(file: number, bytes: Buffer, position: number): number {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
  return written;
}

/** @throws Error if there is something that is no file, which a crawl could not go on with */
export function refuseOther(out: string): void {
  if (out === PIPE || (statSync(out, { throwIfNoEntry: false })?.isFile() ?? true)) return;
  throw new Error(`${out} is no file, which a copy needs to be gone on with; --out - is standard output`);
}

/** @returns the bytes of the file, undefined if there is none */
export function measureFile(out: string): number | undefined {
  return statSync(out, { throwIfNoEntry: false })?.size;
}

/**
 * Takes the records that a crawl has written to those copied.
 * @throws Error if the file is not as the crawl left it
 */
export async function recallRecords(
  out: string,
  { bytes, records }: CrawlState,
  copied: Copied,
  onProgress: (records: number) => void,
): Promise<void> {
  let recalled = 0;
  try {
    for await (const record of readRecords(out, bytes)) {
      takeRecord(record, copied);
      recalled += 1;
      if (recalled % 10_000 === 0) onProgress(recalled);
    }
    if (recalled !== records) throw new Error(`it has ${recalled} records instead of ${records}`);
  } catch (cause) {
    throw new Error(`${out} is not as the crawl left it and cannot be gone on with; --restart begins anew`, {
      cause,
    });
  }
}

async function* readRecords(out: string, bytes: number): AsyncGenerator<unknown> {
  if (bytes === 0) return;
  if ((measureFile(out) ?? 0) < bytes) throw new Error("it is shorter");
  for await (const chunk of readText(createReadStream(out, { end: bytes - 1 }))) {
    for (const { text } of splitLines(chunk)) yield JSON.parse(text);
  }
}
