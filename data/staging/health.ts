import type { TrafficRecord } from "../../src/records/record.ts";
import { type Counts, ROAD_USERS, type RoadUser } from "../../src/records/road-users.ts";
import type { Place, Problem } from "../sources/source.ts";

/** Takes a record, gives the first of its counts that should be 0 and is not (specification, "Record"). */
export function findFalseCount(record: Pick<TrafficRecord, "camera_ok"> & Counts): RoadUser | undefined {
  return record.camera_ok === "False" ? ROAD_USERS.find((name) => record[name] !== 0) : undefined;
}

/** The problem of a record that has such a count. */
export function refuseCount({ file, line }: Place, count: RoadUser, value: number): Problem {
  const message = `does not go with ${count} being ${value}`;
  return { file, line, field: "camera_ok", value: "False", message };
}
