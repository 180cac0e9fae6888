import { tmpdir } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import type { Statistics } from "../src/records/statistics.ts";
import type { Collection } from "./collection.ts";
import { DiskFullError, isDiskFull } from "./file-errors.ts";
import { createPageTally } from "./formats/page-tally.ts";
import { createProblemList, formatProblem, type Problem } from "./formats/problem.ts";
import { findConflicts } from "./staging/conflicts.ts";
import { numberObservations, openDatabase, selectBlocks, sortLines } from "./staging/database.ts";
import { createIntake, type Intake, type IntakeCounts, type IntakeOptions } from "./staging/insert.ts";
import { type ReadOptions, readFiles, type Step } from "./staging/read-files.ts";

export interface StageOptions extends ReadOptions, IntakeOptions {
  /** Shows the progress of a step: `reading`, which counts megabytes, or `comparing`. */
  openStep?: ((step: string, unit: string) => Step) | undefined;
  /** Prints a warning while the files are read. */
  warn?: ((line: string) => void) | undefined;
}

/** The records of a load, compared with each other, numbered and ordered, on disk: what a load writes. */
export interface Staged extends Collection, IntakeCounts {
  /** The first 20, in the order of files and lines. If there are any, the records cannot be written. */
  problems: Problem[];
  problemCount: number;
  /** The bytes that the records take in a store. */
  bytes(): number;
  /** Removes the records from disk. */
  close(): void;
}

/**
 * Reads and checks the files of one load. Reads all of them, even if there are problems, and never throws for a problem of
 * the input.
 * @param files paths; `-` is standard input
 * @throws Error if the disk is full
 */
export async function stage(files: string[], options: StageOptions): Promise<Staged> {
  const database = openDatabase();
  const problems = createProblemList(files);
  try {
    const intake = createIntake(database, options);
    database.exec("BEGIN");
    const pages = createPageTally();
    const targets = { intake, pages, report: problems.add };
    await runStep("reading", options, (step) => readFiles(files, options, targets, step));
    for (const problem of pages.problems()) {
      if (options.strict) problems.add(problem);
      else options.warn?.(`Warning: ${formatProblem(problem)}`);
    }
    const statistics = await runStep("comparing", options, async () => {
      const gathered = number(database, intake);
      for (const problem of findConflicts(database, files)) problems.add(problem);
      if (problems.count() === 0) sortLines(database);
      return gathered;
    });
    database.exec("COMMIT");
    return {
      ...intake.counts,
      problems: problems.first(),
      problemCount: problems.count(),
      statistics: () => statistics,
      blocks() {
        if (problems.count() === 0) return selectBlocks(database);
        throw new Error("The records cannot be written because the load has problems.");
      },
      bytes: () =>
        Number(database.prepare("SELECT sum(octet_length(line) + 2) AS bytes FROM sorted").get()?.bytes),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw explain(error);
  }
}

/** SQLite keeps a database without a name in the folder for temporary files. */
function explain(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  const { message } = new DiskFullError(tmpdir());
  return new Error(`${message} Set TMPDIR to use another folder.`, { cause: error });
}

async function runStep<T>(
  name: string,
  { openStep }: StageOptions,
  action: (step: Step | undefined) => Promise<T>,
): Promise<T> {
  const step = openStep?.(name, "MB");
  return action(step).finally(() => step?.close());
}

/** The statistics of all records, after the numbers that observations do not have are assigned. */
function number(database: DatabaseSync, { gathering }: Intake): Statistics {
  const gathered = gathering.statistics();
  const first = database.prepare("SELECT id FROM staged LIMIT 1").get();
  return first?.id === null ? { ...gathered, cameras: numberObservations(database) } : gathered;
}
