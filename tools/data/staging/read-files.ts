import { statSync } from "node:fs";
import type { Progress } from "../../command-line/progress.ts";
import { readInputFile } from "../formats/formats.ts";
import type { InputFile } from "../formats/input-file.ts";
import type { RowCollector } from "./row-collector.ts";

export type ReadOptions = Pick<InputFile, "modelName" | "stdin">;

export async function readFiles(
  files: string[],
  options: ReadOptions,
  { add, addPage }: RowCollector,
  update: Progress["update"],
): Promise<void> {
  const onRead = createByteCounter(files, update);
  for (const [index, file] of files.entries()) {
    const onPage = (count: number) => addPage(file, count);
    for await (const rows of readInputFile({ ...options, file, onRead, onPage })) {
      for (const row of rows) add(row, index);
    }
  }
}

/** Counts the bytes that are read, and shows them as megabytes. */
function createByteCounter(files: string[], update: Progress["update"]) {
  const total = getTotalBytes(files);
  let read = 0;
  return (chunk: Uint8Array) => {
    read += chunk.length;
    update(toMegabytes(read), total === undefined ? undefined : toMegabytes(total));
  };
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

/** Returns undefined if a size is not known, such as the size of standard input or of a missing file. */
function getTotalBytes(files: string[]): number | undefined {
  try {
    const found = files.map((file) => statSync(file));
    if (found.every((file) => file.isFile())) return found.reduce((sum, { size }) => sum + size, 0);
  } catch {
    // Reading the file reports the error.
  }
  return undefined;
}
