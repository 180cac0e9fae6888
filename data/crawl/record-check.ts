import { createIdSet, type IdSet } from "../../client/id-set.ts";
import { TrafficRecord } from "../../src/records/record.ts";
import { checkShape, describeShape } from "../sources/shape.ts";
import type { Place, Problem } from "../sources/source.ts";
import { findFalseCount } from "../staging/health.ts";
import { idOf } from "./doubt.ts";

/** What all records copied so far have in common, to hold the next one against. */
export interface Copied {
  ids: IdSet;
  /** The camera_ref of each camera_pk. */
  cameras: Map<number, string>;
  /** Of the last record. */
  timestamp: string | null;
}

/** @param timestamp of the last record copied, null if there is none */
export function createCopied(timestamp: string | null): Copied {
  return { ids: createIdSet(), cameras: new Map(), timestamp };
}

const shape = describeShape(TrafficRecord, "a record");

/**
 * Holds a record against the specification and against those copied before, and takes it to these.
 * @param record what stands in `results`, whatever it is
 * @returns a problem for each rule that it breaks
 */
export function checkRecord(record: unknown, place: Place, copied: Copied): Problem[] {
  const checked = checkShape(shape, record, place, record);
  const problems = "problems" in checked ? checked.problems : checkHealth(checked.data, place);
  problems.push(...checkOrder(record, place, copied));
  const [id, camera] = takeRecord(record, copied);
  if (id !== undefined) problems.push({ ...place, field: "id", value: id, message: "already stands before" });
  if (camera !== undefined) problems.push(describeCamera(record, camera, place));
  return problems;
}

/**
 * Takes a record to those copied.
 * @returns the id if it repeats another one, and the camera_ref that its camera_pk had before if it is another one
 */
export function takeRecord(
  record: unknown,
  { ids, cameras }: Copied,
): [number | undefined, string | undefined] {
  const id = idOf(record);
  const repeated = id !== undefined && !ids.add(id) ? id : undefined;
  const { camera_pk: pk, camera_ref: ref } = Object(record);
  if (typeof pk !== "number" || typeof ref !== "string") return [repeated, undefined];
  const before = cameras.get(pk);
  if (before === undefined) cameras.set(pk, ref);
  return [repeated, before === ref ? undefined : before];
}

function describeCamera(record: unknown, before: string, place: Place): Problem {
  const { camera_pk, camera_ref } = Object(record);
  const message = `is not the camera_ref of camera_pk ${camera_pk}, which is ${JSON.stringify(before)} before`;
  return { ...place, field: "camera_ref", value: camera_ref, message };
}

/** Specification, "Record": `False` appears together with all counts equal to 0. */
function checkHealth(record: TrafficRecord, place: Place): Problem[] {
  const count = findFalseCount(record);
  if (count === undefined) return [];
  const message = `does not go with ${count} being ${record[count]}`;
  return [{ ...place, field: "camera_ok", value: "False", message }];
}

/** Specification, "List records", rules 2 and 3: newest first, in any order within one timestamp. */
function checkOrder(record: unknown, place: Place, copied: Copied): Problem[] {
  const { timestamp: value } = Object(record);
  const before = copied.timestamp;
  if (typeof value !== "string") return [];
  copied.timestamp = value;
  if (before === null || value <= before) return [];
  return [
    { ...place, field: "timestamp", value, message: `is later than that of the record before, ${before}` },
  ];
}
