import type { DatabaseSync } from "node:sqlite";
import type { Problem } from "../formats/problem.ts";
import { selectRows } from "./database.ts";

/** Two records of one load of which only one can be right. The earlier one is earlier in the input. */
interface Conflict {
  file: number;
  line: number;
  id: number;
  camera_pk: number;
  camera_ref: string;
  timestamp: string;
  earlier_file: number;
  earlier_line: number;
  earlier_ref: string;
}

interface ConflictRule {
  /** SQL that selects pairs of positions. */
  pairs: string;
  /** SQL: whether a pair is a conflict. */
  condition: string;
  /** @param earlier file and line of the earlier record */
  describe(conflict: Conflict, earlier: string): Omit<Problem, "file" | "line">;
}

const REPEATED_ID: ConflictRule = {
  pairs: "SELECT position, min(position) OVER (PARTITION BY id) AS earlier FROM staged",
  condition: "true",
  describe: ({ id }, earlier) => ({ field: "id", value: id, message: `already appears in ${earlier}` }),
};

/** For a given camera_pk the camera_ref is constant (specification, "Record", rule 4). */
const SEVERAL_REFS: ConflictRule = {
  pairs: `
    SELECT position, earlier FROM staged JOIN (
      SELECT camera_pk, min(position) AS earlier FROM staged
      GROUP BY camera_pk HAVING min(camera_ref) <> max(camera_ref)
    ) USING (camera_pk)`,
  condition: "later.camera_ref <> earlier.camera_ref",
  describe: ({ camera_pk, camera_ref, earlier_ref }, earlier) => ({
    field: "camera_ref",
    value: camera_ref,
    message: `differs from ${JSON.stringify(earlier_ref)}, the camera_ref of camera_pk ${camera_pk} in ${earlier}`,
  }),
};

/** A camera has one record per observation time (specification, "Record", rule 2). */
const REPEATED_TIME: ConflictRule = {
  pairs: "SELECT position, min(position) OVER (PARTITION BY camera_pk, timestamp) AS earlier FROM staged",
  // With the same id it is the same record twice, which REPEATED_ID reports.
  condition: "later.id <> earlier.id",
  describe: ({ timestamp, camera_ref }, earlier) => ({
    field: "timestamp",
    value: timestamp,
    message: `already appears for camera ${JSON.stringify(camera_ref)} in ${earlier}`,
  }),
};

/**
 * Compares the records of a load with each other. Their ids must be assigned.
 * @param files the names of the files of the load
 * @returns a problem for the later record of each conflict
 */
export function* findConflicts(database: DatabaseSync, files: readonly string[]): Generator<Problem> {
  for (const rule of [REPEATED_ID, SEVERAL_REFS, REPEATED_TIME]) {
    for (const conflict of selectConflicts(database, rule)) {
      const earlier = `${files[conflict.earlier_file]}:${conflict.earlier_line}`;
      yield { file: files[conflict.file] ?? "", line: conflict.line, ...rule.describe(conflict, earlier) };
    }
  }
}

function selectConflicts(database: DatabaseSync, { pairs, condition }: ConflictRule): Iterable<Conflict> {
  return selectRows<Conflict>(
    database,
    `SELECT later.file, later.line, later.id, later.camera_pk, later.camera_ref, later.timestamp,
      earlier.file AS earlier_file, earlier.line AS earlier_line, earlier.camera_ref AS earlier_ref
    FROM (${pairs}) AS pair
    JOIN staged AS later ON later.position = pair.position
    JOIN staged AS earlier ON earlier.position = pair.earlier
    WHERE pair.earlier < pair.position AND ${condition}`,
  );
}
