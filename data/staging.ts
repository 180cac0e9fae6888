import type { DatabaseSync } from "node:sqlite";
import { listInputFiles } from "./formats/input-file.ts";
import { ARRAY, createProblemList, InputError } from "./formats/problem.ts";
import { checkRecord } from "./formats/validation.ts";
import { type Collection, encodeCollection, nameSources } from "./load-content.ts";
import { createWriteError, formatCount, isSqliteFull } from "./messages.ts";
import {
  numberObservations,
  openDatabase,
  readConflicts,
  selectBlocks,
  sortLines,
} from "./staging/database.ts";
import {
  createIntake,
  type Intake,
  type IntakeCounts,
  type IntakeOptions,
  type Progress,
  type ReadOptions,
  readFiles,
} from "./staging/intake.ts";

export interface StageOptions extends ReadOptions, IntakeOptions {
  /** Where the records come from; by default the names of the files. */
  source?: string | undefined;
  /** The last line of a refusal; by default, that nothing was loaded. */
  conclusion?: string | undefined;
  /** Shows the progress of a step: `reading`, which counts megabytes, or `comparing`. */
  openStep?: ((step: string, options: { unit: string }) => Progress) | undefined;
  /** Prints a warning while the files are read. */
  warn?: ((line: string) => void) | undefined;
}

/** The records of a load, compared with each other, numbered and ordered, on disk: what a load writes. */
export interface Staged extends Collection, IntakeCounts {
  /** Removes the records from disk. */
  close(): void;
}

/**
 * Reads and checks the files of one load. Reads all of them, even if there are problems.
 * @param paths The paths of files, or of folders with files; `-` is standard input.
 * @throws InputError if any line of the files cannot be loaded
 * @throws Error if the disk is full
 */
export function stage(paths: string[], options: StageOptions = {}): Promise<Staged> {
  const files = paths.flatMap(listInputFiles);
  return run(files, nameSources(files, options.source), options, (intake, onRead) =>
    readFiles(files, options, intake, onRead),
  );
}

/** The source of records that a program passes to `createService`. */
const RECORDS_SOURCE = "records of a program";

/** Checks records in memory as `stage` checks those of files. */
export function stageRecords(records: Iterable<unknown>): Promise<Staged> {
  return run([ARRAY], [RECORDS_SOURCE], { strict: true }, async (intake) => {
    let line = 0;
    for (const record of records) intake.take(checkRecord(record, { file: ARRAY, line: ++line }), 0);
  });
}

/** Describes how many records there are, how many were corrected, and how many were skipped. */
export function describeCounts({ count, zeroed, duplicates }: IntakeCounts): string {
  const corrected = `set the counts of ${formatCount(zeroed, "record")} with camera_ok "False" to 0`;
  const skipped = `skipped ${formatCount(duplicates, "record")} with the same camera_ref and timestamp as an earlier one`;
  const remarks = [...(zeroed > 0 ? [corrected] : []), ...(duplicates > 0 ? [skipped] : [])];
  return `${formatCount(count, "record")}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`;
}

async function run(
  files: string[],
  sources: string[],
  options: StageOptions,
  read: (intake: Intake, onRead: Progress["update"]) => Promise<void>,
): Promise<Staged> {
  const database = openDatabase();
  const [problems, warnings] = [createProblemList(files), createProblemList(files)];
  const intake = createIntake(database, options, problems.add, warnings.add);
  try {
    database.exec("BEGIN");
    await runStep("reading", options, (step) => read(intake, (done, total) => step?.update(done, total)));
    intake.end();
    for (const line of warnings.lines()) options.warn?.(`Warning: ${line}`);
    await runStep("comparing", options, async () => {
      compare(database, files, intake);
      const lines = problems.lines();
      if (lines.length > 0)
        throw new InputError([...lines, options.conclusion ?? "Nothing was loaded."].join("\n"));
      sortLines(database);
    });
    database.exec("COMMIT");
    // Unlike closures, bound functions do not keep the intake in memory while the records are written.
    const listBlocks = selectBlocks.bind(null, database);
    const collection = encodeCollection(intake.counts.count, listBlocks, intake.statistics(), sources);
    return { ...intake.counts, ...collection, close: database.close.bind(database) };
  } catch (error) {
    database.close();
    throw isSqliteFull(error)
      ? createWriteError(`A temporary file in ${getTemporaryFolder()}`, error)
      : error;
  }
}

/** Compares the records, after the numbers that observations do not have are assigned. */
function compare(database: DatabaseSync, files: string[], { kinds, report }: Intake): void {
  if (kinds.report && kinds.records) return;
  if (kinds.report) numberObservations(database);
  for (const problem of readConflicts(database, files)) report(problem);
}

async function runStep(name: string, { openStep }: StageOptions, action: (step?: Progress) => Promise<void>) {
  const step = openStep?.(name, { unit: "MB" });
  return action(step).finally(() => step?.close());
}

/** The folder in which SQLite keeps a database without a name. */
function getTemporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  return SQLITE_TMPDIR || TMPDIR || "/var/tmp";
}
