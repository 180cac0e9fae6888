import type { TrafficRecord } from "../../src/records/record.ts";
import { createIdSet, type IdSet } from "../../tools/http-client/id-set.ts";
import type { Place, Problem } from "../formats/problem.ts";
import { findHealthProblem, recordValidator } from "../formats/validation.ts";
import { idOf } from "./doubt.ts";

/** What all records copied so far have in common, to hold the next one against. */
export interface Copied {
  ids: IdSet;
  /** The camera_ref of each camera_pk. */
  cameras: Map<number, string>;
  /** Of the last record. */
  timestamp: string | null;
  /** The cameras that have a record of a timestamp: that of the last record, since equal ones stand together. */
  present: { timestamp: string | null; cameras: Set<number> };
}

/** What a record repeats, or contradicts, of those before. */
interface Conflicts {
  id?: number;
  /** The camera_ref that its camera_pk had before, if it is another one. */
  ref?: string;
  /** Its timestamp, if its camera has a record of it. */
  timestamp?: string;
}

/** @param timestamp of the last record copied, null if there is none */
export function createCopied(timestamp: string | null): Copied {
  const present = { timestamp, cameras: new Set<number>() };
  return { ids: createIdSet(), cameras: new Map(), timestamp, present };
}

/**
 * Holds a record against the specification and against those copied before, and takes it to these.
 * @param record what stands in `results`, whatever it is
 * @returns a problem for each rule that it breaks
 */
export function checkRecord(record: unknown, place: Place, copied: Copied): Problem[] {
  const checked = recordValidator.validate(record, place, record);
  const problems = "problems" in checked ? checked.problems : checkHealth(checked.data, place);
  problems.push(...checkOrder(record, place, copied));
  const { id, ref, timestamp } = takeRecord(record, copied);
  if (id !== undefined) problems.push({ ...place, field: "id", value: id, message: "already stands before" });
  if (ref !== undefined) problems.push(describeCamera(record, ref, place));
  // With the same id it is one record twice, which is told already.
  if (timestamp !== undefined && id === undefined) problems.push(describeTime(record, timestamp, place));
  return problems;
}

/** Takes a record to those copied, gives what it has in common with one of them and should not. */
export function takeRecord(record: unknown, copied: Copied): Conflicts {
  const id = idOf(record);
  const conflicts: Conflicts = id !== undefined && !copied.ids.add(id) ? { id } : {};
  const { camera_pk: pk, camera_ref: ref, timestamp } = Object(record);
  if (typeof pk !== "number") return conflicts;
  if (typeof timestamp === "string" && !takeCamera(pk, timestamp, copied)) conflicts.timestamp = timestamp;
  if (typeof ref !== "string") return conflicts;
  const before = copied.cameras.get(pk);
  if (before === undefined) copied.cameras.set(pk, ref);
  else if (before !== ref) conflicts.ref = before;
  return conflicts;
}

/** @returns false if the camera has a record of that timestamp already */
function takeCamera(pk: number, timestamp: string, copied: Copied): boolean {
  if (copied.present.timestamp !== timestamp) copied.present = { timestamp, cameras: new Set() };
  if (copied.present.cameras.has(pk)) return false;
  copied.present.cameras.add(pk);
  return true;
}

/** A camera has one record of an observation time (specification, "Record", rule 2). */
function describeTime(record: unknown, timestamp: string, place: Place): Problem {
  const message = `already stands for camera ${JSON.stringify(Object(record).camera_ref)} before`;
  return { ...place, field: "timestamp", value: timestamp, message };
}

function describeCamera(record: unknown, before: string, place: Place): Problem {
  const { camera_pk, camera_ref } = Object(record);
  const message = `is not the camera_ref of camera_pk ${camera_pk}, which is ${JSON.stringify(before)} before`;
  return { ...place, field: "camera_ref", value: camera_ref, message };
}

/** Specification, "Record": `False` appears together with all counts equal to 0. */
function checkHealth(record: TrafficRecord, place: Place): Problem[] {
  const problem = findHealthProblem(record, place);
  return problem ? [problem] : [];
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
