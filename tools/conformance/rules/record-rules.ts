import { ROAD_USERS, TrafficRecord } from "../../../src/records/record.ts";
import type { RecordEvent, WriteEvent } from "../events.ts";
import { describeValue, isCount, isInteger, isTimestamp } from "../response-body.ts";
import { createNotShownRule, type Finding, type Rule } from "../rule.ts";

const FIELDS = Object.keys(TrafficRecord.shape);

/** The section "Resources and their fields", "Record". */
export const RECORD_RULES: Rule[] = [
  {
    reference: "Record.id",
    sentence: "id: an integer, unique per record",
    record: ({ fields, isDuplicate }) =>
      isDuplicate ? `an earlier record has the id ${describeValue(fields.id)}` : checkInteger(fields, "id"),
  },
  {
    reference: "Record.camera_pk",
    sentence: "camera_pk: an integer",
    record: ({ fields }) => checkInteger(fields, "camera_pk"),
  },
  {
    reference: "Record.camera_ref",
    sentence: "camera_ref: a string, the short textual reference of the camera",
    record: ({ fields }) => checkField(fields, "camera_ref", isReference, "a non-blank string"),
  },
  {
    reference: "Record.timestamp",
    sentence: "timestamp: ISO 8601 date-time in UTC, second precision, shape YYYY-MM-DDThh:mm:ssZ",
    record: ({ fields }) =>
      checkField(fields, "timestamp", isTimestamp, "a date-time in UTC, YYYY-MM-DDThh:mm:ssZ"),
  },
  {
    reference: "Record.camera_ok",
    sentence: 'camera_ok: the string "True" or "False", or null; "False" together with all counts equal to 0',
    record: checkCameraOk,
  },
  ...ROAD_USERS.map((name) => ({
    reference: `Record.${name}`,
    sentence: `${name}: an integer, 0 or greater`,
    record: ({ fields }: RecordEvent) => checkField(fields, name, isCount, "an integer, 0 or greater"),
  })),
  {
    reference: "Record.model_name",
    also: ["Versioning 1"],
    sentence: 'model_name: "tf1", the same as the path segment',
    record: ({ fields }) => checkField(fields, "model_name", (value) => value === "tf1", '"tf1"'),
  },
  {
    reference: "Record 1",
    also: ["Service 2"],
    sentence: "Every record carries all twelve fields",
    record({ fields }) {
      const missing = FIELDS.filter((name) => !Object.hasOwn(fields, name));
      return missing.length === 0 || `missing fields: ${missing.join(", ")}`;
    },
  },
  createNotShownRule("Record.others", "Fields other than the twelve", {
    record({ fields }) {
      const others = Object.keys(fields).filter((name) => !FIELDS.includes(name));
      return others.length === 0 ? undefined : `records also have ${others.map(describeValue).join(", ")}`;
    },
  }),
  {
    reference: "Record 2",
    sentence: "One camera appears in many records, one per observation time",
    record({ fields, repeatsCamera, knownCameraRef }) {
      if (repeatsCamera) {
        const broken = `camera_pk ${describeValue(fields.camera_pk)} has two records with the timestamp ${fields.timestamp}`;
        return { broken, unless: ["Record 4"] };
      }
      return knownCameraRef === undefined ? undefined : true;
    },
  },
  {
    reference: "Record 3",
    sentence: "Two different cameras can have records with an identical timestamp",
    record: ({ sharesTimestamp }) => sharesTimestamp || undefined,
  },
  {
    reference: "Record 4",
    sentence: "For a given camera_pk the camera_ref is constant",
    record({ fields: { camera_pk, camera_ref }, knownCameraRef: known }) {
      if (known === undefined || typeof camera_ref !== "string") return undefined;
      return known === camera_ref || describeRefs(camera_pk, camera_ref, known);
    },
  },
  {
    reference: "Record 5",
    also: ["Service 3"],
    sentence: "Fields of a record are not written by clients; there is no write operation",
    write: checkWrite,
  },
];

function checkField(
  fields: Record<string, unknown>,
  name: string,
  isValid: (value: unknown) => boolean,
  expected: string,
): Finding {
  // "Record 1" reports missing fields.
  if (!Object.hasOwn(fields, name)) return undefined;
  return isValid(fields[name]) || `${name} is ${describeValue(fields[name])}, not ${expected}`;
}

function isReference(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function checkInteger(fields: Record<string, unknown>, name: string): Finding {
  return checkField(fields, name, isInteger, "an integer");
}

function checkCameraOk({ fields }: RecordEvent): Finding {
  const isCameraOk = (value: unknown) => value === null || value === "True" || value === "False";
  const finding = checkField(fields, "camera_ok", isCameraOk, '"True", "False" or null');
  if (fields.camera_ok !== "False") return finding;
  const counted = ROAD_USERS.find((name) => isCount(fields[name]) && fields[name] !== 0);
  return counted === undefined || `camera_ok is "False", but ${counted} is ${describeValue(fields[counted])}`;
}

function describeRefs(pk: unknown, ref: string, known: string): string {
  return `camera_pk ${describeValue(pk)} has the camera_ref ${describeValue(ref)}, but ${describeValue(known)} in an earlier record`;
}

/** 4xx and 501 refuse the request. After any other 5xx it is unknown whether something was written. */
function checkWrite({ status, failure, effect, isEffectUnclear }: WriteEvent): Finding {
  if (effect !== undefined) return `returned ${status}, but ${effect}`;
  if (failure !== undefined) return { inconclusive: failure };
  if (isEffectUnclear) return { inconclusive: `returned ${status}, but the collection keeps changing` };
  if (status < 400) return `returned ${status}`;
  return status < 500 || status === 501 || { inconclusive: `returned ${status}` };
}
