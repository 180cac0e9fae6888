import { statSync } from "node:fs";

/** Estimates the size of a load from the part of its files that has been read. */
export interface SizeEstimate {
  /** Must be called with the bytes of each chunk that is read. */
  onRead(bytes: number): void;
  /**
   * Estimates the number of rows in all files.
   * @param rows read so far
   * @returns undefined if the size of the files is not known
   */
  estimateRows(rows: number): number | undefined;
}

/** The size of standard input, of a pipe and of a missing file is not known. */
export function createSizeEstimate(files: readonly string[]): SizeEstimate {
  let size = 0;
  for (const file of files) {
    size += fileSize(file) ?? Number.NaN;
  }
  let read = 0;
  return {
    onRead(bytes) {
      read += bytes;
    },
    estimateRows: (rows) => (Number.isNaN(size) || read === 0 ? undefined : Math.round((rows * size) / read)),
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
