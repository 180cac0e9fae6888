import { createIdSet } from "../id-set.ts";
import type { RecordEvent } from "./events.ts";
import { isInteger, isObject, isTimestamp, NumberLiteral } from "./response-body.ts";

/** An id that can be compared: a number, or the digits of one that JavaScript cannot represent exactly. */
type Id = number | string;

/** The ids of all records seen so far. */
export interface SeenIds {
  has(id: Id): boolean;
  /** @returns false if it was already there */
  add(id: Id): boolean;
}

/** Ids that JavaScript cannot represent exactly take about 80 bytes each, all others far less. */
export function createSeenIds(): SeenIds {
  const numbers = createIdSet();
  const texts = new Set<string>();
  return {
    has: (id) => (typeof id === "number" ? numbers.has(id) : texts.has(id)),
    add(id) {
      if (typeof id === "number") return numbers.add(id);
      if (texts.has(id)) return false;
      texts.add(id);
      return true;
    },
  };
}

/** @returns undefined if the value is not an integer */
function readId(value: unknown): Id | undefined {
  if (typeof value === "number") return value;
  if (!(value instanceof NumberLiteral && isInteger(value))) return undefined;
  // A copy, because a substring would keep the whole response body in memory.
  return Buffer.from(value.text).toString();
}

/** @returns undefined if the value is not a record or its id is not an integer */
export function readRecordId(record: unknown): Id | undefined {
  return isObject(record) ? readId(record.id) : undefined;
}

/** What is remembered of the records seen so far, newest first: little more than their ids. */
export interface SeenRecords {
  /** Adds a record and describes how it relates to earlier ones. */
  add(url: string, index: number, fields: RecordEvent["fields"]): RecordEvent;
}

export function createSeenRecords(ids: SeenIds): SeenRecords {
  const addCamera = trackCameras();
  const addTimestamp = trackTimestamp();
  const addCameraOk = trackCameraOk();
  return {
    add(url, index, fields) {
      const id = readId(fields.id);
      const subject = id === undefined ? `result ${index + 1}` : `record ${id}`;
      if (id !== undefined && !ids.add(id)) return { url, subject, fields, isDuplicate: true };
      const { timestamp } = fields;
      const knownCameraRef = addCamera(fields);
      const inTime = isTimestamp(timestamp)
        ? { ...addTimestamp(fields, timestamp), cameraOkPeriods: addCameraOk(fields, timestamp) }
        : {};
      return { url, subject, fields, isDuplicate: false, knownCameraRef, ...inTime };
    },
  };
}

type Fields = RecordEvent["fields"];

function trackCameras(): (fields: Fields) => string | undefined {
  const refs = new Map<Id, string>();
  return ({ camera_pk, camera_ref }) => {
    const camera = readId(camera_pk);
    if (camera === undefined) return undefined;
    const known = refs.get(camera);
    if (known === undefined && typeof camera_ref === "string") refs.set(camera, camera_ref);
    return known;
  };
}

type TimestampRelation = Pick<
  RecordEvent,
  "previousTimestamp" | "repeatsCamera" | "sharesTimestamp" | "idsUnordered"
>;

/** Compares a record with the earlier ones of the same timestamp, which directly precede it. */
function trackTimestamp(): (fields: Fields, timestamp: string) => TimestampRelation {
  let previousTimestamp: string | undefined;
  let previousId: number | undefined;
  const cameras = new Set<Id>();
  const seen = { rise: false, fall: false };
  return ({ id, camera_pk }, timestamp) => {
    const relation: TimestampRelation = { previousTimestamp };
    if (timestamp !== previousTimestamp) {
      previousId = undefined;
      cameras.clear();
    }
    const camera = readId(camera_pk);
    relation.repeatsCamera = camera !== undefined && cameras.has(camera);
    relation.sharesTimestamp = camera !== undefined && cameras.size > Number(relation.repeatsCamera);
    if (camera !== undefined) cameras.add(camera);
    if (typeof id === "number" && previousId !== undefined) {
      seen[id > previousId ? "rise" : "fall"] = true;
      relation.idsUnordered = seen.rise && seen.fall;
    }
    previousTimestamp = timestamp;
    previousId = typeof id === "number" ? id : undefined;
    return relation;
  };
}

// As strings, these compare as before and after every timestamp.
const BEFORE_ALL = "";
const AFTER_ALL = "~";

function trackCameraOk(): (fields: Fields, timestamp: string) => RecordEvent["cameraOkPeriods"] {
  let newestNull = BEFORE_ALL;
  let oldestKnown = AFTER_ALL;
  return ({ camera_ok }, timestamp) => {
    if (camera_ok === null) {
      if (timestamp > newestNull) newestNull = timestamp;
      return oldestKnown === AFTER_ALL ? undefined : { newestNull: timestamp, oldestKnown };
    }
    if (camera_ok !== "True" && camera_ok !== "False") return undefined;
    if (timestamp < oldestKnown) oldestKnown = timestamp;
    return newestNull === BEFORE_ALL ? undefined : { newestNull, oldestKnown: timestamp };
  };
}
