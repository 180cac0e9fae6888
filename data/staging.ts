import type { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import type { TrafficRecord } from "../src/records/record.ts";
import { readSource } from "./formats/formats.ts";
import { createPageTally, type PageTally } from "./formats/page-tally.ts";
import { formatProblem, MAX_SHOWN_PROBLEMS, type Problem } from "./formats/problem.ts";
import type { ObservationRow, RecordRow } from "./formats/row.ts";
import type { AppendBase } from "./staging/append-base.ts";
import { findConflicts } from "./staging/conflicts.ts";
import { numberObservations, openDatabase, selectRecords } from "./staging/database.ts";
import { createInserter, type Inserter } from "./staging/insert.ts";
import { findKnownIds, findUnknownRecords } from "./staging/known-records.ts";
import { createSizeEstimate, type SizeEstimate } from "./staging/size-estimate.ts";

/** Shows how much of a step is done. */
interface Step {
  update(done: number, total?: number): void;
  close(): void;
}

export interface StageOptions {
  /** Replaces the model name of every record. */
  modelName?: TrafficRecord["model_name"] | undefined;
  /**
   * Reports counts above 0 in a record whose `camera_ok` is `False` as a problem; otherwise, they are set to 0. Reports pages
   * that do not hold all records that they count as a problem; otherwise, as a warning.
   */
  strict: boolean;
  /** The loaded collection, if the records are to be appended to it. */
  appendBase?: AppendBase | undefined;
  /** Shows the progress of a step: `reading`, which counts megabytes, or `comparing`. */
  openStep?: ((step: string, unit: string) => Step) | undefined;
  /** Prints a warning while the files are read. */
  warn?: ((line: string) => void) | undefined;
  /** Called with each chunk of bytes, as they are in the files. */
  onRead?: ((chunk: Uint8Array) => void) | undefined;
  /** Replaces the standard input of the process. */
  stdin?: Readable | undefined;
}

/** The records of a load, compared with each other, numbered and ordered, on disk. */
export interface Staged {
  count: number;
  /** Records whose `camera_ok` is `False` and whose counts were set to 0. */
  zeroed: number;
  /** Records that are not newer than the loaded ones: skipped because they are loaded, or refused. */
  skipped: number;
  refused: number;
  /** The first 20, in the order of files and lines. */
  problems: Problem[];
  problemCount: number;
  /** The records oldest first, the reverse of the collection's order. Throws if there are problems. */
  records(): Iterable<TrafficRecord>;
  /** Removes the records from disk. */
  close(): void;
}

/**
 * Reads and checks the files of one load. Reads all of them, even if there are problems, and never throws for a problem of
 * the input.
 * @param files paths; `-` is standard input
 */
export async function stage(files: string[], options: StageOptions): Promise<Staged> {
  const database = openDatabase();
  const size = createSizeEstimate(files, options.warn);
  const pages = createPageTally();
  try {
    const problems = createProblemList(files);
    const { strict, appendBase } = options;
    const inserter = createInserter(database, strict, appendBase);
    database.exec("BEGIN");
    await runStep("reading", options, (step) =>
      readFiles(files, options, inserter, problems.add, step, { size, pages }),
    );
    // An append needs only the pages with newer records.
    for (const problem of appendBase ? [] : pages.problems()) {
      if (strict) problems.add(problem);
      else options.warn?.(`Warning: ${formatProblem(problem)}`);
    }
    await runStep("comparing", options, async () => {
      if (inserter.observations) numberObservations(database, appendBase);
      for await (const problem of compare(database, files, appendBase)) problems.add(problem);
    });
    database.exec("COMMIT");
    const { count, zeroed, skipped, refused } = inserter;
    return {
      count,
      zeroed,
      skipped,
      refused,
      problems: problems.first,
      problemCount: problems.count(),
      records() {
        if (problems.count() === 0) return selectRecords(database);
        throw new Error("The records cannot be read because the load has problems.");
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw size.explain(error);
  }
}

/** Keeps the first problems in the order of files and lines, and counts all. */
function createProblemList(files: readonly string[]) {
  const indexes = new Map(files.map((file, index) => [file, index]));
  const indexOf = (problem: Problem) => indexes.get(problem.file) ?? files.length;
  const compare = (one: Problem, other: Problem) => indexOf(one) - indexOf(other) || one.line - other.line;
  const first: Problem[] = [];
  let count = 0;
  return {
    first,
    count: () => count,
    add(problem: Problem): void {
      count++;
      const at = first.findIndex((other) => compare(other, problem) > 0);
      first.splice(at === -1 ? first.length : at, 0, problem);
      first.length = Math.min(first.length, MAX_SHOWN_PROBLEMS);
    },
  };
}

async function runStep(
  name: string,
  { openStep }: StageOptions,
  action: (step: Step | undefined) => Promise<void>,
): Promise<void> {
  const step = openStep?.(name, "MB");
  await action(step).finally(() => step?.close());
}

async function* compare(
  database: DatabaseSync,
  files: string[],
  base: AppendBase | undefined,
): AsyncGenerator<Problem> {
  yield* findConflicts(database, files);
  if (!base) return;
  yield* findUnknownRecords(database, files, base);
  yield* findKnownIds(database, files, base);
}

async function readFiles(
  files: string[],
  { modelName, stdin, ...options }: StageOptions,
  inserter: Inserter,
  report: (problem: Problem) => void,
  step: Step | undefined,
  { size, pages }: { size: SizeEstimate; pages: PageTally },
): Promise<void> {
  const onRead = (chunk: Uint8Array) => {
    options.onRead?.(chunk);
    size.onRead(chunk.length);
    step?.update(toMegabytes(size.read()), size.total === undefined ? undefined : toMegabytes(size.total));
  };
  let first: FileContent | undefined;
  for (const [index, file] of files.entries()) {
    const onPage = (envelope: object) => pages.onPage(file, envelope);
    for await (const row of readSource({ file, modelName, onRead, onPage }, stdin)) {
      size.onRow();
      pages.onRow(file, row);
      if ("problems" in row) {
        row.problems.forEach(report);
        continue;
      }
      const title = describeContent(row);
      first ??= { title, file };
      if (first.title !== title) {
        report(describeMixture(file, title, first));
        break;
      }
      inserter.insert(row, index).forEach(report);
    }
  }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

interface FileContent {
  title: string;
  file: string;
}

function describeContent(row: RecordRow | ObservationRow): string {
  return "record" in row ? "records" : "a report";
}

/** The load assigns ids to the rows of reports, which would conflict with the ids of records. */
function describeMixture(file: string, title: string, first: FileContent): Problem {
  const message = `contains ${title}, but ${first.file} contains ${first.title}; one load cannot contain both`;
  return { file, line: 0, message };
}
