import type { DatabaseSync } from "node:sqlite";
import { NO_COUNTS } from "../../src/records/classes.ts";
import type { ObservationRow, Problem, RecordRow } from "../sources/source.ts";
import { type Continuation, refuseCamera, refuseOld } from "./continuation.ts";
import { prepareInsert } from "./database.ts";
import { findFalseCount } from "./health.ts";

/** Takes the rows of a load into its database. */
export interface Intake {
  /** Takes the next row of the file with this rank. Gives what is wrong with it, if anything. */
  take(row: RecordRow | ObservationRow, rank: number): Problem[];
  count: number;
  zeroed: number;
  /** Rows that are not newer than what is loaded, and were passed over. */
  skipped: number;
  /** Whether the rows are observations, which have no numbers yet. */
  observations: boolean;
}

/**
 * Takes the database of a load, gives the way into it. If `strict`, no counts are set to 0.
 * @param continuation what is loaded already, if the rows are to be added to it
 */
export function openIntake(database: DatabaseSync, strict: boolean, continuation?: Continuation): Intake {
  const insert = prepareInsert(database);
  const keep = (row: RecordRow | ObservationRow, rank: number): Problem[] => {
    const record = "record" in row ? row.record : row.observation;
    const wrong = findFalseCount(record);
    const zeroed = wrong !== undefined && !strict;
    insert(rank, row.line, zeroed ? { ...record, ...NO_COUNTS } : record);
    intake.count++;
    if (zeroed) intake.zeroed++;
    const refused = wrong && strict ? refuseCount(row, wrong, record[wrong]) : undefined;
    return [refused, continuation && refuseCamera(row, continuation)].filter(
      (problem) => problem !== undefined,
    );
  };
  const intake: Intake = {
    count: 0,
    zeroed: 0,
    skipped: 0,
    observations: false,
    take(row, rank) {
      intake.observations = "observation" in row;
      const old = continuation && refuseOld(row, continuation);
      if (!old) return keep(row, rank);
      if (!continuation.skipKnown) return [old];
      intake.skipped++;
      return [];
    },
  };
  return intake;
}

function refuseCount({ file, line }: RecordRow | ObservationRow, count: string, value: number): Problem {
  return {
    file,
    line,
    field: "camera_ok",
    value: "False",
    message: `does not go with ${count} being ${value}`,
  };
}
