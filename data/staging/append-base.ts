import type { TrafficRecord } from "../../src/records/record.ts";
import type { Place, Problem } from "../formats/problem.ts";
import type { ObservationRow, RecordRow } from "../formats/row.ts";

/** The loaded collection to which records are appended. */
export interface AppendBase {
  /** The newest timestamp; "" if no record is loaded. */
  newest: string;
  largestId: number;
  /** The camera_ref of each camera_pk. */
  cameras: ReadonlyMap<number, string>;
  /** Skips records that are not newer, if they are loaded. Otherwise, every record that is not newer is a problem. */
  skipKnown: boolean;
  /** Yields the given ids that are loaded. */
  findIds(ids: Iterable<number>): AsyncIterable<number>;
  /** Reads all loaded records from this timestamp on, and possibly some older ones, oldest first. */
  readSince(timestamp: string): AsyncIterable<TrafficRecord>;
}

/** The problem of a record that cannot be placed after all loaded records. */
export function describeNotNewer({ file, line }: Place, timestamp: string, newest: string): Problem {
  const message = `is not later than ${JSON.stringify(newest)}, the newest loaded timestamp`;
  return { file, line, field: "timestamp", value: timestamp, message };
}

/** For a given camera_pk the camera_ref is constant (specification, "Record", rule 4). */
export function findCameraProblem(
  row: RecordRow | ObservationRow,
  { cameras }: Pick<AppendBase, "cameras">,
): Problem | undefined {
  if (!("record" in row)) return undefined;
  const { camera_pk, camera_ref } = row.record;
  const loaded = cameras.get(camera_pk);
  if (loaded === undefined || loaded === camera_ref) return undefined;
  const message = `differs from ${JSON.stringify(loaded)}, the camera_ref of camera_pk ${camera_pk} in the loaded records`;
  return { file: row.file, line: row.line, field: "camera_ref", value: camera_ref, message };
}
