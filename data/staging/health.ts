import type { TrafficRecord } from "../../src/records/record.ts";

/** All counts of a record, as they go with `camera_ok` `False` (specification, "Record"). */
export const NO_COUNTS = { cars: 0, persons: 0, bicycles: 0, trucks: 0, motorcycles: 0, buses: 0 };
type Count = keyof typeof NO_COUNTS;

const COUNTS = Object.keys(NO_COUNTS) as Count[];

/** Takes a record, gives the first of its counts that should be 0 and is not. */
export function findFalseCount(record: Pick<TrafficRecord, "camera_ok" | Count>): Count | undefined {
  return record.camera_ok === "False" ? COUNTS.find((count) => record[count] !== 0) : undefined;
}
