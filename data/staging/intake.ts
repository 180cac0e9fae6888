import type { DatabaseSync } from "node:sqlite";
import { NO_COUNTS } from "../../src/records/classes.ts";
import type { Problem } from "../formats/problem.ts";
import type { ObservationRow, RecordRow } from "../formats/row.ts";
import { findHealthProblem } from "../formats/validation.ts";
import { type Continuation, isNewer, refuseCamera, refuseOlder } from "./continuation.ts";
import { prepareInsert } from "./database.ts";

/** Takes the rows of a load into its database. */
export interface Intake {
  /** Takes the next row of the file with this rank. Gives what is wrong with it, if anything. */
  take(row: RecordRow | ObservationRow, rank: number): Problem[];
  count: number;
  zeroed: number;
  /** Rows that are not newer than what is loaded: passed over, to be compared with it, or refused. */
  skipped: number;
  refused: number;
  /** Whether the rows are observations, which have no numbers yet. */
  observations: boolean;
}

/**
 * Takes the database of a load, gives the way into it. If `strict`, no counts are set to 0.
 * @param continuation what is loaded already, if the rows are to be added to it
 */
export function openIntake(database: DatabaseSync, strict: boolean, continuation?: Continuation): Intake {
  const insert = prepareInsert(database);
  const insertOlder = prepareInsert(database, "older");
  const keep = (row: RecordRow | ObservationRow, rank: number): Problem[] => {
    const record = contentOf(row);
    const problem = findHealthProblem(record, row);
    const zeroed = problem !== undefined && !strict;
    insert(rank, row.line, zeroed ? { ...record, ...NO_COUNTS } : record);
    intake.count++;
    if (zeroed) intake.zeroed++;
    return [strict ? problem : undefined, continuation && refuseCamera(row, continuation)].filter(
      (problem) => problem !== undefined,
    );
  };
  const intake: Intake = {
    count: 0,
    zeroed: 0,
    skipped: 0,
    refused: 0,
    observations: false,
    take(row, rank) {
      intake.observations = "observation" in row;
      const record = contentOf(row);
      if (!continuation || isNewer(record, continuation)) return keep(row, rank);
      if (!continuation.skipKnown) {
        intake.refused++;
        return [refuseOlder(row, record.timestamp, continuation.newest)];
      }
      // As a load would have mended it, which what is loaded is compared with.
      insertOlder(rank, row.line, findHealthProblem(record, row) ? { ...record, ...NO_COUNTS } : record);
      intake.skipped++;
      return [];
    },
  };
  return intake;
}

function contentOf(row: RecordRow | ObservationRow) {
  return "record" in row ? row.record : row.observation;
}
