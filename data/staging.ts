import { tmpdir } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import type { Statistics } from "../src/records/statistics.ts";
import type { Collection } from "./collection.ts";
import { DiskFullError, isDiskFull } from "./file-errors.ts";
import { ARRAY, createProblemList, formatProblem, type Problem } from "./formats/problem.ts";
import { checkRecord } from "./formats/validation.ts";
import { describeMixture, findConflicts } from "./staging/conflicts.ts";
import { numberObservations, openDatabase, selectBlocks, sortLines } from "./staging/database.ts";
import { createIntake, type Intake, type IntakeCounts, type IntakeOptions } from "./staging/insert.ts";
import { type Progress, type ReadOptions, readFiles } from "./staging/read-files.ts";

export interface StageOptions extends ReadOptions, IntakeOptions {
  /** Shows the progress of a step: `reading`, which counts megabytes, or `comparing`. */
  openStep?: ((step: string, options: { unit: string }) => Progress) | undefined;
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
export function stage(files: string[], options: StageOptions): Promise<Staged> {
  return run(files, options, async (intake, report, step) => {
    const pages = await readFiles(files, options, { intake, report, step });
    for (const problem of pages.problems()) {
      if (options.strict) report(problem);
      else options.warn?.(`Warning: ${formatProblem(problem)}`);
    }
  });
}

/** Checks records in memory as `stage` checks those of files. */
export function stageRecords(records: Iterable<unknown>): Promise<Staged> {
  return run([ARRAY], { strict: true }, async (intake, report) => {
    let line = 0;
    for (const record of records)
      intake.take(checkRecord(record, { file: ARRAY, line: ++line }), 0).forEach(report);
  });
}

type Read = (intake: Intake, report: (problem: Problem) => void, step?: Progress) => Promise<void>;

async function run(files: string[], options: StageOptions, read: Read): Promise<Staged> {
  const database = openDatabase();
  const problems = createProblemList(files);
  try {
    const intake = createIntake(database, options);
    database.exec("BEGIN");
    await runStep("reading", options, (step) => read(intake, problems.add, step));
    intake.end();
    const statistics = await runStep("comparing", options, async () => {
      const gathered = compare(database, files, intake, problems.add);
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

/**
 * Compares the records, after the numbers that observations do not have are assigned.
 * @returns the statistics of all records
 */
function compare(
  database: DatabaseSync,
  files: string[],
  { gathering, counts }: Intake,
  report: (problem: Problem) => void,
): Statistics {
  const gathered = gathering.statistics();
  if (counts.observations > 0 && counts.observations < counts.count) {
    report(describeMixture(database, files));
    return gathered;
  }
  const cameras = counts.observations > 0 ? numberObservations(database) : gathered.cameras;
  for (const problem of findConflicts(database, files)) report(problem);
  return { ...gathered, cameras };
}

async function runStep<T>(
  name: string,
  { openStep }: StageOptions,
  action: (step: Progress | undefined) => Promise<T>,
): Promise<T> {
  const step = openStep?.(name, { unit: "MB" });
  return action(step).finally(() => step?.close());
}

/** SQLite keeps a database without a name in the folder for temporary files. */
function explain(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  const { message } = new DiskFullError(tmpdir());
  return new Error(`${message} Set TMPDIR to use another folder.`, { cause: error });
}
