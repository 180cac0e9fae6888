import { ROAD_USERS } from "../../src/records/record.ts";
import { parseUtcTime } from "../../src/records/utc-time.ts";
import { describeValue, type Fields, integerKey, isCount } from "./page-response.ts";
import type { Judge } from "./rules.ts";

const isInteger = (value: unknown) => integerKey(value) !== undefined;

/** Whether the value of a field is valid, by the name of the field. */
const FIELDS: [name: string, isValid: (value: unknown, fields: Fields) => boolean][] = [
  ["id", isInteger],
  ["camera_pk", isInteger],
  ["camera_ref", (value) => typeof value === "string" && value.trim() !== ""],
  ["timestamp", isTimestamp],
  ["camera_ok", isCameraOk],
  ...ROAD_USERS.map((name): [string, typeof isCount] => [name, isCount]),
  ["model_name", (value) => value === "tf1"],
];

/** Judges a record alone. Only "Record 1" judges missing fields. */
export function judgeRecord(judge: Judge, fields: Fields, where: string): void {
  const missing = FIELDS.flatMap(([name]) => (fields[name] === undefined ? [name] : []));
  judge("Record 1", where, missing.length === 0 || `missing fields: ${missing.join(", ")}`);
  for (const [name, isValid] of FIELDS) {
    const value = fields[name];
    if (value === undefined) continue;
    judge(`Record.${name}`, where, isValid(value, fields) || `${name} is ${describeValue(value)}`);
  }
  judge("States 1", where, fields.state === undefined || `state is ${describeValue(fields.state)}`);
}

export type SeenRecords = ReturnType<typeof createSeenRecords>;

/** What is kept of the records of a walk. */
export function createSeenRecords() {
  return {
    ids: new Set<unknown>(),
    /** How many records there are, without those whose id an earlier record has. */
    count: 0,
    /** The latest record of each camera. */
    cameras: new Map<unknown, Fields>(),
    /** The latest timestamp, and the first one without camera health. "" and "~" come before and after all others. */
    timestamp: "~",
    firstNull: "",
  };
}

/** Compares a record with those before it. */
export function compareRecord(judge: Judge, seen: SeenRecords, fields: Fields, where: string): void {
  const compare = (rule: string, finding: true | string) => judge(rule, where, finding);
  const { timestamp, camera_ref, camera_ok } = fields;
  const [id, camera] = [integerKey(fields.id), integerKey(fields.camera_pk)];
  if (seen.ids.has(id)) {
    compare("Record.id", `an earlier record has the id ${id}, too`);
    return;
  }
  if (id !== undefined) seen.ids.add(id);
  seen.count += 1;
  const known = seen.cameras.get(camera);
  if (known) {
    const names = () => `${describeValue(known.camera_ref)} and ${describeValue(camera_ref)}`;
    compare("Record 4", known.camera_ref === camera_ref || `camera ${camera} has the names ${names()}`);
    compare("Record 2", known.timestamp !== timestamp || `camera ${camera} has two records of ${timestamp}`);
  }
  if (camera !== undefined) seen.cameras.set(camera, fields);
  if (!isTimestamp(timestamp)) return;
  compare("List records 2", timestamp <= seen.timestamp || `${timestamp} follows ${seen.timestamp}`);
  seen.timestamp = timestamp;
  if (camera_ok === null) seen.firstNull ||= timestamp;
  // The two periods may meet within one second, in any order.
  const isRecent =
    timestamp >= seen.firstNull || `camera_ok is null at ${seen.firstNull}, but not at ${timestamp}`;
  if (camera_ok !== null) compare("List records 4", isRecent);
}

/** A date-time that exists, in the shape of the specification. */
function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && value.length === 20 && parseUtcTime(value) !== undefined;
}

function isCameraOk(value: unknown, fields: Fields): boolean {
  // The rules of the counts judge what is not a count.
  const isIdle = ROAD_USERS.every((name) => !isCount(fields[name]) || fields[name] === 0);
  return value === null || value === "True" || (value === "False" && isIdle);
}
