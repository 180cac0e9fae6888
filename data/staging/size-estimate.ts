import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { DiskFullError, findSpaceProblem, isDiskFull } from "../file-errors.ts";

/** Estimates the size of a load from the part of its files that has been read. */
export interface SizeEstimate {
  /** Must be called with the bytes of each chunk that is read, as they are in the file. */
  onRead(bytes: number): void;
  /** Must be called for each row. */
  onRow(): void;
  /** The bytes that have been read. */
  read(): number;
  /** The bytes of all files; undefined if they are not known, as those of standard input or of a missing file. */
  total: number | undefined;
  /** Explains an error of the database if the disk is full. */
  explain(error: unknown): unknown;
}

/** A row on disk, and as much again while the rows are compared and sorted. */
const STAGED_BYTES = 250;

/** Rows after which the number of all rows can be estimated. */
const ESTIMATE_ROWS = 10_000;

/** SQLite keeps the database of a load, which has no name, in the folder for temporary files. */
const OTHER_FOLDER = "Set TMPDIR to use another folder.";

/** @param warn called if the folder for temporary files has not enough space */
export function createSizeEstimate(files: readonly string[], warn?: (line: string) => void): SizeEstimate {
  const sizes = files.map(fileSize);
  const total = sizes.reduce(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  let read = 0;
  let rows = 0;
  const estimateBytes = () => (total && read > 0 ? (rows * total) / read : rows) * STAGED_BYTES;
  return {
    onRead(bytes) {
      read += bytes;
    },
    onRow() {
      if (++rows !== ESTIMATE_ROWS) return;
      const problem = findSpaceProblem(tmpdir(), estimateBytes());
      if (problem !== undefined) warn?.(`${problem} ${OTHER_FOLDER}`);
    },
    read: () => read,
    total,
    explain(cause) {
      if (!isDiskFull(cause)) return cause;
      const { message } = new DiskFullError(tmpdir(), estimateBytes());
      return new Error(`${message}. ${OTHER_FOLDER}`, { cause });
    },
  };
}

function fileSize(file: string): number | undefined {
  try {
    const found = statSync(file);
    return found.isFile() ? found.size : undefined;
  } catch {
    // Reading the file reports the error.
    return undefined;
  }
}
