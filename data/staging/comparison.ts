import type { DatabaseSync } from "node:sqlite";
import type { Problem } from "../formats/problem.ts";

/** A record that does not go with an earlier one of the load. */
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

type Wording = (conflict: Conflict, earlier: string) => Omit<Problem, "file" | "line">;

/** Records with the id of an earlier one. */
const REPEATED_IDS = `
  SELECT position, min(position) OVER (PARTITION BY id) AS earlier FROM staged`;

/** Records with the camera and time of an earlier one. */
const REPEATED_TIMES = `
  SELECT position, min(position) OVER (PARTITION BY camera_pk, timestamp) AS earlier FROM staged`;

/** Records of cameras that have several refs (specification, "Record", rule 4). */
const SEVERAL_REFS = `
  SELECT position, earlier FROM staged JOIN (
    SELECT camera_pk, min(position) AS earlier FROM staged
    GROUP BY camera_pk HAVING min(camera_ref) <> max(camera_ref)
  ) USING (camera_pk)`;

/** The pairs to look for, the condition that makes a pair a conflict, and the words for it. */
const COMPARISONS: { pairs: string; condition: string; describe: Wording }[] = [
  {
    pairs: REPEATED_IDS,
    condition: "true",
    describe: ({ id }, earlier) => ({ field: "id", value: id, message: `already stands in ${earlier}` }),
  },
  {
    pairs: SEVERAL_REFS,
    condition: "later.camera_ref <> earlier.camera_ref",
    describe: ({ camera_pk, camera_ref, earlier_ref }, earlier) => ({
      field: "camera_ref",
      value: camera_ref,
      message: `is not the camera_ref of camera_pk ${camera_pk}, which is ${JSON.stringify(earlier_ref)} in ${earlier}`,
    }),
  },
  {
    pairs: REPEATED_TIMES,
    // With the same id it is one record twice, which is told already.
    condition: "later.id <> earlier.id",
    describe: ({ timestamp, camera_ref }, earlier) => ({
      field: "timestamp",
      value: timestamp,
      message: `already stands for camera ${JSON.stringify(camera_ref)} in ${earlier}`,
    }),
  },
];

/**
 * Takes the database of a load, its records numbered, and the names of its files. Gives a problem for each
 * record that repeats the id, or the camera and time, of an earlier one, or has another camera_ref for its camera_pk.
 */
export function* compareRecords(database: DatabaseSync, files: readonly string[]): Generator<Problem> {
  for (const { pairs, condition, describe } of COMPARISONS) {
    for (const conflict of selectConflicts(database, pairs, condition)) {
      const earlier = `${files[conflict.earlier_file]}:${conflict.earlier_line}`;
      yield { file: files[conflict.file] ?? "", line: conflict.line, ...describe(conflict, earlier) };
    }
  }
}

function selectConflicts(database: DatabaseSync, pairs: string, condition: string): Iterable<Conflict> {
  const select = database.prepare(`
    SELECT later.file, later.line, later.id, later.camera_pk, later.camera_ref, later.timestamp,
      earlier.file AS earlier_file, earlier.line AS earlier_line, earlier.camera_ref AS earlier_ref
    FROM (${pairs}) AS pair
    JOIN staged AS later ON later.position = pair.position
    JOIN staged AS earlier ON earlier.position = pair.earlier
    WHERE pair.earlier < pair.position AND ${condition}`);
  return select.iterate() as Iterable<unknown> as Iterable<Conflict>;
}
