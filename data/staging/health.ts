import { CLASSES, type Class, type Counts } from "../../src/records/classes.ts";
import type { TrafficRecord } from "../../src/records/record.ts";

/** Takes a record, gives the first of its counts that should be 0 and is not (specification, "Record"). */
export function findFalseCount(record: Pick<TrafficRecord, "camera_ok"> & Counts): Class | undefined {
  return record.camera_ok === "False" ? CLASSES.find((name) => record[name] !== 0) : undefined;
}
