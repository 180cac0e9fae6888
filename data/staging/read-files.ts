import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readInputFile } from "../formats/formats.ts";
import type { InputFile } from "../formats/input-file.ts";
import type { Problem } from "../formats/problem.ts";
import { formatCount } from "../messages.ts";
import type { Intake } from "./intake.ts";

/** Shows how much of a step is done. */
export interface Progress {
  /**
   * @param done how many are done so far
   * @param total the new total, if it has changed
   */
  update(done: number, total?: number): void;
  close(): void;
}

export type ReadOptions = Pick<InputFile, "modelName" | "stdin">;

/**
 * Reads the files of a load, one after the other.
 * @returns problems of the pages in them
 */
export async function readFiles(
  files: string[],
  options: ReadOptions,
  intake: Intake,
  step: Progress | undefined,
): Promise<Problem[]> {
  const pages: Pages = { file: "", least: Number.POSITIVE_INFINITY, most: -1 };
  const onRead = createProgress(files, step);
  const paths = files.map((file) => (file === "-" ? file : resolve(file)));
  for (const [index, file] of files.entries()) {
    if (paths.indexOf(paths[index] ?? "") < index) {
      intake.report({ file, line: 0, message: "is named twice" });
      continue;
    }
    const onPage: InputFile["onPage"] = (count) => {
      pages.file ||= file;
      [pages.least, pages.most] = [Math.min(pages.least, count), Math.max(pages.most, count)];
    };
    for await (const rows of readInputFile({ ...options, file, onRead, onPage })) {
      for (const row of rows) intake.take(row, index);
    }
  }
  return comparePages(pages, intake.counts.paged);
}

/** The pages of a load. */
interface Pages {
  /** The first file with a page. */
  file: string;
  /** The smallest and the largest number of records that a page counts. */
  least: number;
  most: number;
}

/**
 * Compares pages with what they count.
 * @param held the number of different records in them
 */
function comparePages({ file, least, most }: Pages, held: number): Problem[] {
  if (most < least) return [];
  const changed = `the pages count ${least} to ${most} records, so the collection changed between them`;
  const other = `the pages hold ${formatCount(held, "different record")}, but count ${most}`;
  const messages = [...(least < most ? [changed] : []), ...(held === most ? [] : [other])];
  return messages.map((message) => ({ file, line: 0, message }));
}

/** The bytes of all files; undefined if they are not known, as those of standard input or of a missing file. */
function measureFiles(files: string[]): number | undefined {
  try {
    const found = files.map((file) => statSync(file));
    return found.every((file) => file.isFile()) ? found.reduce((sum, { size }) => sum + size, 0) : undefined;
  } catch {
    // Reading the file reports the error.
    return undefined;
  }
}

function createProgress(files: string[], step: Progress | undefined) {
  const toMegabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
  const total = measureFiles(files);
  let read = 0;
  return (chunk: Uint8Array) => {
    read += chunk.length;
    step?.update(toMegabytes(read), total && toMegabytes(total));
  };
}
