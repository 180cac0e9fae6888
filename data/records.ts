import type { TrafficRecord } from "../src/records/record.ts";
import type { Problem } from "./formats/problem.ts";
import { findHealthProblem, recordValidator } from "./formats/validation.ts";
import { InputError } from "./input-error.ts";

/**
 * Checks records by themselves and against each other, in memory.
 * @returns the records oldest first, the reverse of the collection's order
 * @throws InputError that names the record, the field and the value of each problem
 */
export function requireRecords(records: Iterable<unknown>): TrafficRecord[] {
  const problems: Problem[] = [];
  const valid: TrafficRecord[] = [];
  const findConflicts = createConflictSearch();
  let index = 0;
  for (const record of records) {
    const place = { file: `records[${index++}]`, line: 0 };
    const result = recordValidator.validate(record, place, record);
    if ("problems" in result) {
      problems.push(...result.problems);
      continue;
    }
    const healthProblem = findHealthProblem(result.data, place);
    if (healthProblem) problems.push(healthProblem);
    problems.push(...findConflicts(result.data, place));
    valid.push(result.data);
  }
  if (problems.length > 0) throw new InputError(problems, problems.length, "Nothing was loaded.");
  return valid.sort(compareAge);
}

/** Creates a function that compares a record with those before it (specification, "Record", rules 2 and 4). */
function createConflictSearch() {
  const ids = new Map<number, string>();
  const times = new Map<string, string>();
  const cameras = new Map<number, { ref: string; file: string }>();
  return ({ id, camera_pk, camera_ref, timestamp }: TrafficRecord, place: { file: string; line: number }) => {
    const problems: Problem[] = [];
    const sameId = ids.get(id);
    const sameTime = times.get(`${camera_pk} ${timestamp}`);
    const camera = cameras.get(camera_pk);
    if (sameId !== undefined)
      problems.push({ ...place, field: "id", value: id, message: `already appears in ${sameId}` });
    else if (sameTime !== undefined) {
      const message = `already appears for camera ${JSON.stringify(camera_ref)} in ${sameTime}`;
      problems.push({ ...place, field: "timestamp", value: timestamp, message });
    }
    if (camera && camera.ref !== camera_ref) {
      const message = `differs from ${JSON.stringify(camera.ref)}, the camera_ref of camera_pk ${camera_pk} in ${camera.file}`;
      problems.push({ ...place, field: "camera_ref", value: camera_ref, message });
    }
    ids.set(id, sameId ?? place.file);
    times.set(`${camera_pk} ${timestamp}`, sameTime ?? place.file);
    if (!camera) cameras.set(camera_pk, { ref: camera_ref, file: place.file });
    return problems;
  };
}

/** Compares in the order of positions: the reverse of the collection's order. */
export function compareAge(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  if (one.camera_ref !== other.camera_ref)
    return Buffer.compare(Buffer.from(other.camera_ref), Buffer.from(one.camera_ref));
  return other.id - one.id;
}
