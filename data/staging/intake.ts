import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { NO_COUNTS, ROAD_USERS } from "../../src/records/record.ts";
import { encodeRecord } from "../../src/store/block.ts";
import { formatPosition, type InputPosition, type Problem } from "../formats/problem.ts";
import type { InputRow, RecordRow } from "../formats/validation.ts";
import { gatherStatistics } from "../statistics.ts";
import { createInserter } from "./database.ts";

export interface IntakeOptions {
  /**
   * Reports counts above 0 in a record whose `camera_ok` is `False` as a problem; otherwise, they are set to 0. Reports pages
   * that do not hold all records that they count as a problem; otherwise, as a warning.
   */
  strict?: boolean | undefined;
  /** Skips a record with the camera and the timestamp of an earlier one; otherwise, it is a problem. */
  skipDuplicates?: boolean | undefined;
}

export interface IntakeCounts {
  /** Rows to load. */
  count: number;
  /** Rows whose counts were set to 0. */
  zeroed: number;
  /** Rows of reports. */
  observations: number;
  /** Rows with the camera and the timestamp of an earlier one. */
  duplicates: number;
  /** Different records in pages. */
  paged: number;
}

/** Takes the rows of a load, reports their problems, and counts what happens to them. */
export function createIntake(
  database: DatabaseSync,
  { strict = false, skipDuplicates = false }: IntakeOptions,
  report: (problem: Problem) => void,
) {
  const staged = createInserter(database);
  const gathering = gatherStatistics();
  const checkCamera = createCameraCheck(report);
  const isDuplicate = createDuplicateSearch(database, "seen");
  const isRepeated = createDuplicateSearch(database, "paged");
  const counts: IntakeCounts = { count: 0, observations: 0, zeroed: 0, duplicates: 0, paged: 0 };
  const keep = (row: RecordRow, file: number) => {
    const problem = findHealthProblem(row);
    const record = problem ? { ...row.record, ...NO_COUNTS } : row.record;
    counts.count++;
    if (row.processedAt !== undefined) counts.observations++;
    if (problem) counts.zeroed++;
    if (problem && strict) report(problem);
    checkCamera(row);
    gathering.add(record);
    staged.insert(toValues({ ...row, record }, file));
  };
  return {
    counts,
    gathering,
    report,
    /** @param file the index of the row's file */
    take(row: InputRow, file: number): void {
      if ("record" in row && row.isInPage && !isRepeated(row)) counts.paged++;
      if ("problems" in row) row.problems.forEach(report);
      else if (skipDuplicates && isDuplicate(row)) counts.duplicates++;
      else keep(row, file);
    },
    /** Must be called after the last row. */
    end: staged.flush,
  };
}

export type Intake = ReturnType<typeof createIntake>;

function toValues({ line, record, processedAt }: RecordRow, file: number): SQLInputValue[] {
  const { id, camera_pk, camera_ref, timestamp } = record;
  const numbers = processedAt === undefined ? [null, id, camera_pk] : [processedAt, null, null];
  return [file, line, ...numbers, camera_ref, timestamp, lineEnd(encodeRecord(record))];
}

/** The end of a stored line, after the id and the camera_pk, neither of which contains a comma. */
function lineEnd(line: string): string {
  return line.slice(line.indexOf(",", line.indexOf(",") + 1) + 1);
}

/** A `camera_ok` of `False` appears together with all counts equal to 0 (specification, "Record"). */
function findHealthProblem({ file, line, record }: RecordRow): Problem | undefined {
  if (record.camera_ok !== "False") return undefined;
  const wrong = ROAD_USERS.find((name) => record[name] !== 0);
  if (wrong === undefined) return undefined;
  const message = `requires counts of 0, but ${wrong} is ${record[wrong]}`;
  return { file, line, field: "camera_ok", value: "False", message };
}

/** For a given camera_pk the camera_ref is constant (specification, "Record", rule 4). */
function createCameraCheck(report: (problem: Problem) => void) {
  const cameras = new Map<number, { ref: string; position: InputPosition }>();
  return ({ file, line, record, processedAt }: RecordRow): void => {
    if (processedAt !== undefined) return;
    const { camera_pk: pk, camera_ref: ref } = record;
    const earlier = cameras.get(pk);
    if (!earlier) cameras.set(pk, { ref, position: { file, line } });
    if (!earlier || earlier.ref === ref) return;
    const message = `differs from ${JSON.stringify(earlier.ref)}, the camera_ref of camera_pk ${pk} in ${formatPosition(earlier.position)}`;
    report({ file, line, field: "camera_ref", value: ref, message });
  };
}

/** The camera of an image in a report is known by its camera_ref only. */
function createDuplicateSearch(database: DatabaseSync, table: "seen" | "paged") {
  const insert = database.prepare(`INSERT OR IGNORE INTO ${table} (timestamp, camera) VALUES (?, ?)`);
  return ({ record: { timestamp, camera_pk, camera_ref }, processedAt }: RecordRow): boolean =>
    insert.run(timestamp, processedAt === undefined ? String(camera_pk) : camera_ref).changes === 0;
}
