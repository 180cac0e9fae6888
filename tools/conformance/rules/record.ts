import { TrafficRecord } from "../../../src/records/record.ts";
import { ROAD_USERS } from "../../../src/records/road-users.ts";
import { isCount, isInteger, showValue } from "../json.ts";
import { isMoment } from "../moment.ts";
import type { SeenAnswer, SeenRecord } from "../observation.ts";
import { type Finding, notShown, type Rule } from "../rule.ts";

const FIELDS = Object.keys(TrafficRecord.shape);

/** "Resources and their fields", "Record". */
export const RECORD: Rule[] = [
  {
    place: "Record.id",
    sentence: "id: an integer, unique per record",
    record: ({ fields, repeated }) =>
      repeated ? `${showValue(fields.id)} stands before` : integer(fields, "id"),
  },
  {
    place: "Record.camera_pk",
    sentence: "camera_pk: an integer",
    record: ({ fields }) => integer(fields, "camera_pk"),
  },
  {
    place: "Record.camera_ref",
    sentence: "camera_ref: a string, the short textual reference of the camera",
    record: ({ fields }) => field(fields, "camera_ref", isReference, "a string with text"),
  },
  {
    place: "Record.timestamp",
    sentence: "timestamp: ISO 8601 date-time in UTC, second precision, shape YYYY-MM-DDThh:mm:ssZ",
    record: ({ fields }) => field(fields, "timestamp", isMoment, "a date-time in UTC, YYYY-MM-DDThh:mm:ssZ"),
  },
  {
    place: "Record.camera_ok",
    sentence: 'camera_ok: the string "True" or "False", or null; "False" together with all counts equal to 0',
    record: judgeHealth,
  },
  ...ROAD_USERS.map((name) => ({
    place: `Record.${name}`,
    sentence: `${name}: an integer, 0 or greater`,
    record: ({ fields }: SeenRecord) => field(fields, name, isCount, "an integer, 0 or greater"),
  })),
  {
    place: "Record.model_name",
    also: ["Versioning 1"],
    sentence: 'model_name: "tf1", the same as the path segment',
    record: ({ fields }) => field(fields, "model_name", (value) => value === "tf1", '"tf1"'),
  },
  {
    place: "Record 1",
    also: ["Service 2"],
    sentence: "Every record carries all twelve fields",
    record({ fields }) {
      const missing = FIELDS.filter((name) => !Object.hasOwn(fields, name));
      return missing.length === 0 || `lacks ${missing.join(", ")}`;
    },
  },
  notShown("Record.others", "Fields beside the twelve", {
    record({ fields }) {
      const others = Object.keys(fields).filter((name) => !FIELDS.includes(name));
      return others.length === 0 ? undefined : `records carry ${others.map(showValue).join(", ")} too`;
    },
  }),
  {
    place: "Record 2",
    sentence: "One camera appears in many records, one per observation time",
    record({ fields, sameMoment, knownRef }) {
      if (sameMoment) return `camera_pk ${fields.camera_pk} has another record of ${fields.timestamp}`;
      return knownRef === undefined ? undefined : true;
    },
  },
  {
    place: "Record 3",
    sentence: "Two different cameras can have records with an identical timestamp",
    record: ({ sharedMoment }) => sharedMoment || undefined,
  },
  {
    place: "Record 4",
    sentence: "For a given camera_pk the camera_ref is constant",
    record({ fields: { camera_pk, camera_ref }, knownRef }) {
      if (knownRef === undefined || typeof camera_ref !== "string") return undefined;
      return knownRef === camera_ref || judgeRef(camera_pk, camera_ref, knownRef);
    },
  },
  {
    place: "Record 5",
    also: ["Service 3"],
    sentence: "Fields of a record are not written by clients; there is no write operation",
    write: judgeWrite,
  },
];

function field(
  fields: Record<string, unknown>,
  name: string,
  is: (value: unknown) => boolean,
  expected: string,
): Finding {
  // "Record 1" is about missing fields.
  if (!Object.hasOwn(fields, name)) return undefined;
  return is(fields[name]) || `${name} is ${showValue(fields[name])}, not ${expected}`;
}

function isReference(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function integer(fields: Record<string, unknown>, name: string): Finding {
  return field(fields, name, isInteger, "an integer");
}

function judgeHealth({ fields }: SeenRecord): Finding {
  const isHealth = (value: unknown) => value === null || value === "True" || value === "False";
  const finding = field(fields, "camera_ok", isHealth, '"True", "False" or null');
  if (fields.camera_ok !== "False") return finding;
  const counted = ROAD_USERS.find((name) => isCount(fields[name]) && fields[name] !== 0);
  return counted === undefined || `camera_ok is "False", but ${counted} is ${showValue(fields[counted])}`;
}

function judgeRef(pk: unknown, ref: string, known: string): string {
  return `camera_pk ${showValue(pk)} has the camera_ref ${showValue(ref)}, and ${showValue(known)} before`;
}

/** Refused is what the client must not do (4xx) or the service cannot (501); a crash may come before or after writing. */
function judgeWrite({ status }: SeenAnswer): Finding {
  if (status < 400) return `is answered ${status}`;
  return status < 500 || status === 501 || { open: `is answered ${status}` };
}
