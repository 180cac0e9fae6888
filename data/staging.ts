import type { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import type { TrafficRecord } from "../src/records/record.ts";
import type { Progress } from "../tools/command-line/progress.ts";
import { readSource } from "./formats/formats.ts";
import type { Problem } from "./formats/problem.ts";
import type { ObservationRow, RecordRow } from "./formats/row.ts";
import { compareRecords } from "./staging/comparison.ts";
import { type Continuation, compareIds } from "./staging/continuation.ts";
import { numberObservations, openDatabase, selectRecords } from "./staging/database.ts";
import { type Intake, openIntake } from "./staging/intake.ts";
import { compareOlder } from "./staging/older.ts";
import { createProblemList } from "./staging/problem-list.ts";
import { measureVolume } from "./staging/volume.ts";

export type { Continuation } from "./staging/continuation.ts";

export interface StageOptions {
  /** The model to serve every record as, whatever the input says. */
  modelName?: TrafficRecord["model_name"] | undefined;
  /** Makes a problem of counts above 0 in a record whose `camera_ok` is `False`, which are set to 0 otherwise. */
  strict: boolean;
  /** What is loaded already, if the records are to be added to it. */
  continuation?: Continuation | undefined;
  /** Shows how far a step is: `reading`, which counts rows, or `comparing`. */
  openStep?: ((step: string) => Progress) | undefined;
  /** What the file `-` is; the standard input of the process if absent. */
  stdin?: Readable | undefined;
}

/** The records of a load, compared with each other, numbered and ordered, on disk. */
export interface Staged {
  count: number;
  /** Records whose `camera_ok` is `False` and whose counts were set to 0. */
  zeroed: number;
  /** Records that are not newer than what is loaded: passed over because they are loaded, or refused. */
  skipped: number;
  refused: number;
  /** The first 20, in the order of files and lines. */
  problems: Problem[];
  problemCount: number;
  /** The records oldest first, the reverse of the collection's total order. Throws if there are problems. */
  records(): Iterable<TrafficRecord>;
  /** Removes the records from disk. */
  close(): void;
}

/**
 * Takes the files of one load (paths; `-` is standard input), gives their records, or what is wrong with them.
 * It reads everything, however much is wrong, and never throws for what is wrong with a file.
 */
export async function stage(files: string[], options: StageOptions): Promise<Staged> {
  const database = openDatabase();
  try {
    const problems = createProblemList(files);
    const { strict, continuation } = options;
    const intake = openIntake(database, strict, continuation);
    database.exec("BEGIN");
    await take("reading", options, (step) => readFiles(files, options, intake, problems.add, step));
    await take("comparing", options, async () => {
      if (intake.observations) numberObservations(database, continuation);
      for await (const problem of compare(database, files, continuation)) problems.add(problem);
    });
    database.exec("COMMIT");
    return {
      count: intake.count,
      zeroed: intake.zeroed,
      skipped: intake.skipped,
      refused: intake.refused,
      problems: problems.first,
      problemCount: problems.count(),
      records() {
        if (problems.count() > 0) throw new Error("The records of a load with problems are in no order.");
        return selectRecords(database);
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Takes a step, which is shown. */
async function take(
  name: string,
  { openStep }: StageOptions,
  action: (step: Progress | undefined) => Promise<void>,
): Promise<void> {
  const step = openStep?.(name);
  await action(step).finally(() => step?.close());
}

async function* compare(
  database: DatabaseSync,
  files: string[],
  continuation: Continuation | undefined,
): AsyncGenerator<Problem> {
  yield* compareRecords(database, files);
  if (!continuation) return;
  yield* compareOlder(database, files, continuation);
  yield* compareIds(database, files, continuation);
}

async function readFiles(
  files: string[],
  { modelName, stdin }: StageOptions,
  intake: Intake,
  report: (problem: Problem) => void,
  step: Progress | undefined,
): Promise<void> {
  const volume = measureVolume(files);
  let rows = 0;
  const tell = () => step?.update(rows, volume.estimate(rows));
  let kind: Kind | undefined;
  for (const [rank, file] of files.entries()) {
    for await (const row of readSource({ file, modelName, onRead: volume.onRead }, stdin)) {
      if (++rows % 1000 === 0) tell();
      if ("problems" in row) {
        row.problems.forEach(report);
        continue;
      }
      kind ??= { title: nameKind(row), file };
      if (kind.title !== nameKind(row)) {
        report(refuseMixture(file, nameKind(row), kind));
        break;
      }
      intake.take(row, rank).forEach(report);
    }
    tell();
  }
}

interface Kind {
  title: string;
  file: string;
}

function nameKind(row: RecordRow | ObservationRow): string {
  return "record" in row ? "records" : "a report";
}

/** Reports get their ids from the load, which the ids of records would clash with. */
function refuseMixture(file: string, title: string, first: Kind): Problem {
  const message = `contains ${title}, but ${first.file} contains ${first.title}; one load cannot contain both`;
  return { file, line: 0, message };
}
