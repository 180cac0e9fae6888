import type { DatabaseSync } from "node:sqlite";
import type { ObservationRow, Problem, RecordRow } from "../sources/source.ts";
import { prepareInsert } from "./database.ts";
import { findFalseCount, NO_COUNTS } from "./health.ts";

/** Takes the rows of a load into its database. */
export interface Intake {
  /** Takes the next row of the file with this rank. Gives what is wrong with it, if anything. */
  take(row: RecordRow | ObservationRow, rank: number): Problem | undefined;
  count: number;
  zeroed: number;
  /** Whether the rows are observations, which have no numbers yet. */
  observations: boolean;
}

/** Takes the database of a load, gives the way into it. If `strict`, no counts are set to 0. */
export function openIntake(database: DatabaseSync, strict: boolean): Intake {
  const insert = prepareInsert(database);
  const intake: Intake = {
    count: 0,
    zeroed: 0,
    observations: false,
    take(row, rank) {
      const record = "record" in row ? row.record : row.observation;
      const wrong = findFalseCount(record);
      const zeroed = wrong !== undefined && !strict;
      insert(rank, row.line, zeroed ? { ...record, ...NO_COUNTS } : record);
      intake.count++;
      if (zeroed) intake.zeroed++;
      intake.observations = "observation" in row;
      return wrong && strict ? refuseCount(row, wrong, record[wrong]) : undefined;
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
