import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { readSource } from "../formats/formats.ts";
import { createPageTally, type PageTally } from "../formats/page-tally.ts";
import type { Problem } from "../formats/problem.ts";
import type { Source } from "../formats/row.ts";
import type { Intake } from "./insert.ts";

/** Shows how much of a step is done. */
export interface Progress {
  /**
   * @param done how many are done so far
   * @param total the new total, if it has changed
   */
  update(done: number, total?: number): void;
  close(): void;
}

export interface ReadOptions {
  /** Replaces the model name of every record. */
  modelName?: Source["modelName"];
  /** Replaces the standard input of the process. */
  stdin?: Readable | undefined;
}

/** Where the rows of files and their problems go. */
interface Targets {
  intake: Intake;
  report: (problem: Problem) => void;
  step: Progress | undefined;
}

/**
 * Reads the files of a load, one after the other.
 * @returns what the pages in them say
 */
export async function readFiles(
  files: string[],
  { modelName, stdin }: ReadOptions,
  { intake, report, step }: Targets,
): Promise<PageTally> {
  const pages = createPageTally();
  const onRead = createProgress(files, step);
  const paths = files.map((file) => (file === "-" ? file : resolve(file)));
  for (const [index, file] of files.entries()) {
    if (paths.indexOf(paths[index] ?? "") < index) {
      report({ file, line: 0, message: "is named twice" });
      continue;
    }
    const onPage: Source["onPage"] = (page) => pages.onPage(file, page);
    for await (const rows of readSource({ file, modelName, onRead, onPage }, stdin)) {
      for (const row of rows) intake.take(row, index).forEach(report);
      pages.onRecords(file, rows.length);
    }
  }
  return pages;
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
  const total = measureFiles(files);
  let read = 0;
  return (chunk: Uint8Array) => {
    read += chunk.length;
    step?.update(toMegabytes(read), total && toMegabytes(total));
  };
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
