import { ROAD_USERS } from "../../src/records/record.ts";
import { describeValue, type Fields, integerKey, isCount, isInteger, isTimestamp } from "./page-response.ts";
import { createRule, type Finding, type Rule } from "./rule.ts";

const FIELDS = ["id", "camera_pk", "camera_ref", "timestamp", "camera_ok", ...ROAD_USERS, "model_name"];

/** The fields of a record that the specification does not name. */
export function listOtherRecordFields(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => !FIELDS.includes(name) && name !== "state");
}

/** The rules for each field. "Record 1" judges missing fields. */
export const FIELD_RULES: Rule[] = [
  createRule("Record 1", "Each record has all twelve fields", {
    record({ fields }) {
      const missing = FIELDS.filter((name) => fields[name] === undefined);
      return missing.length === 0 || `missing fields: ${missing.join(", ")}`;
    },
  }),
  createFieldRule("camera_pk", isInteger, "an integer"),
  createFieldRule(
    "camera_ref",
    (value) => typeof value === "string" && value.trim() !== "",
    "a string, not a blank one",
  ),
  createFieldRule("timestamp", isTimestamp, "a date-time in UTC, YYYY-MM-DDThh:mm:ssZ"),
  ...ROAD_USERS.map((name) => createFieldRule(name, isCount, "an integer, 0 or greater")),
  createFieldRule("camera_ok", isCameraOk, '"True", null, or "False" with counts of 0'),
  createFieldRule("model_name", (value) => value === "tf1", '"tf1"'),
  createRule("States 1", "A record has no field state", {
    record: ({ fields: { state } }) => state === undefined || `state is ${describeValue(state)}`,
  }),
];

/** Before the rules of the count, because a repeated record makes the count wrong. */
export const ID_RULE = createRule("Record.id", "id is an integer, and no two records have the same one", {
  record({ fields: { id }, isRepeated }) {
    if (id === undefined) return undefined;
    if (isRepeated) return `an earlier record has the id ${describeValue(id)}, too`;
    return isInteger(id) || `id is ${describeValue(id)}, not an integer`;
  },
});

function createFieldRule(
  name: string,
  isValid: (value: unknown, fields: Fields) => boolean,
  expected: string,
): Rule {
  return createRule(`Record.${name}`, `${name} is ${expected}`, {
    record({ fields }) {
      const value = fields[name];
      if (value === undefined) return undefined;
      return isValid(value, fields) || `${name} is ${describeValue(value)}, not ${expected}`;
    },
  });
}

function isCameraOk(value: unknown, fields: Fields): boolean {
  // The rules of the counts judge what is not a count.
  const isIdle = ROAD_USERS.every((name) => !isCount(fields[name]) || fields[name] === 0);
  return value === null || value === "True" || (value === "False" && isIdle);
}

/** How records relate to earlier ones. Some of these rules have a memory, so each check needs its own. */
export function createHistoryRules(): Rule[] {
  const rules = [createReferenceRule(), createTimesRule(), ...NEIGHBOUR_RULES, createPeriodRule()];
  return rules.map((rule) => ({
    ...rule,
    record: (seen) => (seen.isRepeated ? undefined : rule.record?.(seen)),
  }));
}

function createReferenceRule(): Rule {
  const references = new Map<unknown, unknown>();
  return createRule("Record 4", "Records with the same camera_pk have the same camera_ref", {
    record({ fields: { camera_pk, camera_ref } }) {
      const camera = integerKey(camera_pk);
      if (camera === undefined || typeof camera_ref !== "string") return undefined;
      const known = references.get(camera);
      references.set(camera, known ?? camera_ref);
      if (known === undefined) return undefined;
      return (
        known === camera_ref ||
        `camera_pk ${camera} has the camera_ref ${describeValue(camera_ref)}, and before ${describeValue(known)}`
      );
    },
  });
}

function createTimesRule(): Rule {
  const cameras = new Set<unknown>();
  /** The cameras with a record of the current timestamp. */
  const current = new Set<unknown>();
  return createRule("Record 2", "A camera has many records, one for each time of observation", {
    record({ fields: { camera_pk, timestamp }, previous }) {
      const camera = integerKey(camera_pk);
      if (timestamp !== previous?.timestamp) current.clear();
      if (camera === undefined || !isTimestamp(timestamp)) return undefined;
      if (current.has(camera))
        return `camera_pk ${camera} has another record with the timestamp ${timestamp}`;
      current.add(camera);
      const isKnown = cameras.has(camera);
      cameras.add(camera);
      return isKnown || undefined;
    },
  });
}

/** How records relate to the record before them. */
const NEIGHBOUR_RULES: Rule[] = [
  createRule("Record 3", "Records of different cameras may have the same timestamp", {
    record: ({ fields, previous }) =>
      (fields.timestamp === previous?.timestamp && fields.camera_pk !== previous?.camera_pk) || undefined,
  }),
  createRule(
    "List records 2",
    "The newest records come first, by timestamp, on each page and from page to page",
    {
      record: ({ fields, previous }) => compareTimes(fields, previous),
      // Page 1 is judged again after the walk, with the records that were added meanwhile.
      page: ({ results }) =>
        results
          .map((record, index) => compareTimes(record, results[index - 1]))
          .find((finding) => typeof finding === "string"),
    },
  ),
  createRule("List records 3", "Among records with the same timestamp, ids may have any order", {
    record: ({ fields, previous }) => fields.timestamp === previous?.timestamp || undefined,
  }),
];

function compareTimes(record: unknown, previous: unknown): Finding {
  const [time, before] = [Object(record).timestamp, Object(previous).timestamp];
  if (!isTimestamp(time) || !isTimestamp(before)) return undefined;
  return time <= before || `the record before it has the older timestamp ${before}, this one has ${time}`;
}

function createPeriodRule(): Rule {
  // As strings, these compare as before and after every timestamp.
  let [newestNull, oldestKnown] = ["", "~"];
  return createRule(
    "List records 4",
    "camera_ok is null in older records, and True or False in more recent ones",
    {
      record({ fields: { camera_ok, timestamp } }) {
        if (!isTimestamp(timestamp)) return undefined;
        if (camera_ok === null && timestamp > newestNull) newestNull = timestamp;
        if (typeof camera_ok === "string" && timestamp < oldestKnown) oldestKnown = timestamp;
        if (newestNull === "" || oldestKnown === "~") return undefined;
        // The two periods may meet within one second, in any order.
        return newestNull <= oldestKnown || `camera_ok is null at ${newestNull}, but not at ${oldestKnown}`;
      },
    },
  );
}
