import type { DatabaseSync } from "node:sqlite";
import { formatPosition, type Problem, type ProblemDetail } from "../formats/problem.ts";
import { selectRows } from "./database.ts";

/** Two records of one load of which only one can be right. The earlier one is earlier in the input. */
interface Conflict {
  file: number;
  line: number;
  id: number;
  camera_ref: string;
  timestamp: string;
  earlier_file: number;
  earlier_line: number;
}

type Describe = (conflict: Conflict, earlier: string) => ProblemDetail;

/** Columns whose values no two records share, and what is wrong with the later one. */
const RULES: [columns: string, describe: Describe][] = [
  ["id", ({ id }, earlier) => ({ field: "id", value: id, message: `already appears in ${earlier}` })],
  [
    // A camera has one record per observation time (specification, "Record", rule 2). Files are usually sorted by time.
    "timestamp, camera_pk",
    ({ timestamp, camera_ref }, earlier) => {
      const message = `already appears for camera ${JSON.stringify(camera_ref)} in ${earlier}`;
      return { field: "timestamp", value: timestamp, message };
    },
  ],
];

/**
 * The load assigns ids to the rows of reports, which would conflict with the ids of records.
 * @param files the names of the files of a load that contains both
 */
export function describeMixture(database: DatabaseSync, files: readonly string[]): Problem {
  const findFile = (condition: string) => {
    const select = database.prepare(`SELECT file FROM staged WHERE id IS ${condition} LIMIT 1`);
    return files[Number(select.get()?.file)] ?? "";
  };
  const message = `contains a report, but ${findFile("NOT NULL")} contains records; one load cannot contain both`;
  return { file: findFile("NULL"), line: 0, message };
}

/**
 * Compares the records of a load with each other. Their ids must be assigned.
 * @param files the names of the files of the load
 * @returns a problem for the later record of each conflict
 */
export function* findConflicts(database: DatabaseSync, files: readonly string[]): Generator<Problem> {
  const nameOf = (file: number) => files[file] ?? "";
  for (const [columns, describe] of RULES) {
    // The same record twice is reported for its id only.
    const condition = columns === "id" ? "" : "AND later.id <> earlier.id";
    const conflicts = selectRows<Conflict>(
      database,
      `WITH repeated AS (SELECT ${columns}, min(rowid) AS first FROM staged GROUP BY ${columns} HAVING count(*) > 1)
      SELECT later.file, later.line, later.id, later.camera_ref, later.timestamp,
        earlier.file AS earlier_file, earlier.line AS earlier_line
      FROM repeated JOIN staged AS later USING (${columns}) JOIN staged AS earlier ON earlier.rowid = first
      WHERE later.rowid > first ${condition}`,
    );
    for (const conflict of conflicts) {
      const earlier = formatPosition({ file: nameOf(conflict.earlier_file), line: conflict.earlier_line });
      yield { file: nameOf(conflict.file), line: conflict.line, ...describe(conflict, earlier) };
    }
  }
}
