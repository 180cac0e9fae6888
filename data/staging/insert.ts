import type { DatabaseSync } from "node:sqlite";
import { NO_COUNTS } from "../../src/records/record.ts";
import type { Problem } from "../formats/problem.ts";
import type { ObservationRow, RecordRow } from "../formats/row.ts";
import { findHealthProblem } from "../formats/validation.ts";
import { type AppendBase, describeNotNewer, findCameraProblem } from "./append-base.ts";
import { prepareInsert } from "./database.ts";

/** Inserts the rows of a load into its database. */
export interface Inserter {
  /**
   * @param file the index of the row's file
   * @returns the problems of the row
   */
  insert(row: RecordRow | ObservationRow, file: number): Problem[];
  /** Rows to load. */
  count: number;
  /** Rows whose counts were set to 0. */
  zeroed: number;
  /** Rows that are not newer than the loaded records: kept apart for comparison with them, or refused. */
  skipped: number;
  refused: number;
  /** Whether the rows are observations, which have no numbers yet. */
  observations: boolean;
}

/** @param strict reports counts that should be 0 as a problem; otherwise, they are set to 0 */
export function createInserter(database: DatabaseSync, strict: boolean, base?: AppendBase): Inserter {
  const insertStaged = prepareInsert(database, "staged");
  const insertOlder = prepareInsert(database, "older");
  const keep = (row: RecordRow | ObservationRow, file: number): Problem[] => {
    const record = contentOf(row);
    const healthProblem = findHealthProblem(record, row);
    const zeroed = healthProblem !== undefined && !strict;
    insertStaged(file, row.line, zeroed ? { ...record, ...NO_COUNTS } : record);
    inserter.count++;
    if (zeroed) inserter.zeroed++;
    const problems = [strict ? healthProblem : undefined, base && findCameraProblem(row, base)];
    return problems.filter((problem) => problem !== undefined);
  };
  const inserter: Inserter = {
    count: 0,
    zeroed: 0,
    skipped: 0,
    refused: 0,
    observations: false,
    insert(row, file) {
      inserter.observations = "observation" in row;
      const record = contentOf(row);
      if (!base || record.timestamp > base.newest) return keep(row, file);
      if (!base.skipKnown) {
        inserter.refused++;
        return [describeNotNewer(row, record.timestamp, base.newest)];
      }
      // The loaded record that it is compared with had its counts set to 0 by its own load.
      insertOlder(file, row.line, findHealthProblem(record, row) ? { ...record, ...NO_COUNTS } : record);
      inserter.skipped++;
      return [];
    },
  };
  return inserter;
}

function contentOf(row: RecordRow | ObservationRow) {
  return "record" in row ? row.record : row.observation;
}
