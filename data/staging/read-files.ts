import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { readSource } from "../formats/formats.ts";
import type { PageTally } from "../formats/page-tally.ts";
import type { Problem } from "../formats/problem.ts";
import type { Row, Source } from "../formats/row.ts";
import type { Intake } from "./insert.ts";

/** Shows how much of a step is done. */
export interface Step {
  update(done: number, total?: number): void;
  close(): void;
}

export interface ReadOptions {
  /** Replaces the model name of every record. */
  modelName?: Source["modelName"];
  /** Called with each chunk of bytes, as they are in the files. */
  onRead?: Source["onRead"];
  /** Replaces the standard input of the process. */
  stdin?: Readable | undefined;
  /** Replaces the reader of a file. */
  read?: ((source: Source) => AsyncIterable<Row[]>) | undefined;
}

/** Where the rows of files and their problems go. */
interface Targets {
  intake: Intake;
  pages: PageTally;
  report(problem: Problem): void;
}

/** Reads the files of a load, one after the other. */
export async function readFiles(
  files: string[],
  { modelName, stdin, read = (source) => readSource(source, stdin), ...options }: ReadOptions,
  { intake, pages, report }: Targets,
  step: Step | undefined,
): Promise<void> {
  const onRead = createProgress(files, options.onRead, step);
  const paths = files.map((file) => (file === "-" ? file : resolve(file)));
  const take = createTaker(intake, report);
  for (const [index, file] of files.entries()) {
    if (paths.indexOf(paths[index] ?? "") < index) {
      report({ file, line: 0, message: "is named twice" });
      continue;
    }
    const onPage = (envelope: object) => pages.onPage(file, envelope);
    for await (const rows of read({ file, modelName, onRead, onPage })) {
      if (!rows.every((row) => take(row, file, index))) return;
      pages.onRecords(file, rows.length);
    }
  }
  intake.end();
}

/** @returns a function that takes a row; false if the load must not go on with it */
function createTaker(intake: Intake, report: (problem: Problem) => void) {
  let first: { file: string; content: string } | undefined;
  return (row: Row, file: string, index: number): boolean => {
    if ("problems" in row) {
      row.problems.forEach(report);
      return true;
    }
    const content = "record" in row ? "records" : "a report";
    first ??= { file, content };
    if (first.content === content) intake.take(row, index).forEach(report);
    else report({ file, line: 0, message: describeMixture(content, first) });
    return first.content === content;
  };
}

/** The load assigns ids to the rows of reports, which would conflict with the ids of records. */
function describeMixture(content: string, first: { file: string; content: string }): string {
  return `contains ${content}, but ${first.file} contains ${first.content}; one load cannot contain both`;
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

function createProgress(files: string[], onRead: ReadOptions["onRead"], step: Step | undefined) {
  const total = measureFiles(files);
  let read = 0;
  return (chunk: Uint8Array) => {
    onRead?.(chunk);
    read += chunk.length;
    step?.update(toMegabytes(read), total && toMegabytes(total));
  };
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
