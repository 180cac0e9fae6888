import { FIELD_RULES, type FieldCheck } from "../../src/records/field-rules.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { GUIDE, type InputPosition, type Problem } from "./problem.ts";

/** A valid record that has not been compared with the other records of the load. */
export interface RecordRow extends InputPosition {
  record: TrafficRecord;
  /**
   * Only of an image in the detection engine's report: when it was taken and processed, ISO 8601 in UTC with nine decimals, so that
   * text order is time order. Its `id` and its `camera_pk` are 0: the load assigns both when it has read all images.
   */
  image?: { capturedAt: string; processedAt: string };
  /** True for a record in a page. */
  isInPage?: boolean;
}

/** What reading a file yields for each record, in the order of the file. */
export type InputRow = RecordRow | { problems: Problem[] };

/** A field of a record, or a column of a report. */
export interface Field {
  /** Parses a cell of CSV. */
  parse(cell: string): unknown;
  check: FieldCheck;
}

const parseNumber = (cell: string) => (/^-?\d+$/.test(cell) ? Number(cell) : cell);

/** Other programs write the values of CSV as booleans. */
const HEALTH_CELLS = new Map<string, TrafficRecord["camera_ok"]>([
  ["", null],
  ...["TRUE", "true"].map((cell) => [cell, "True"] as const),
  ...["FALSE", "false"].map((cell) => [cell, "False"] as const),
]);

const createField = (name: keyof TrafficRecord, parse: Field["parse"]): Field => ({
  parse,
  check: FIELD_RULES[name],
});

export const RECORD_FIELDS: Record<keyof TrafficRecord, Field> = {
  id: createField("id", parseNumber),
  camera_pk: createField("camera_pk", parseNumber),
  camera_ref: createField("camera_ref", String),
  timestamp: createField("timestamp", String),
  camera_ok: createField("camera_ok", (cell) => (HEALTH_CELLS.has(cell) ? HEALTH_CELLS.get(cell) : cell)),
  cars: createField("cars", parseNumber),
  persons: createField("persons", parseNumber),
  bicycles: createField("bicycles", parseNumber),
  trucks: createField("trucks", parseNumber),
  motorcycles: createField("motorcycles", parseNumber),
  buses: createField("buses", parseNumber),
  model_name: createField("model_name", String),
};

const ENTRIES = Object.entries(FIELD_RULES);

/** Checks what should be a record by itself. An object of another kind is one problem, not one for each field. */
export function checkRecord(values: unknown, position: InputPosition): InputRow {
  const refuse = (message: string) => ({ problems: [{ ...position, value: values, message }] });
  if (!isObject(values)) return refuse("is not a record");
  if (!hasRecordField(values))
    return typeof values.detail === "string"
      ? refuse("is an error response, not a page")
      : refuse(`is not a record: it has no field of a record; ${GUIDE}`);
  const problems: Problem[] = [];
  for (const [field, check] of ENTRIES) {
    const value = values[field];
    const message = value === undefined ? "is missing" : check(value);
    if (message !== undefined) problems.push({ ...position, field, value, message });
  }
  for (const field of Object.keys(values))
    if (!Object.hasOwn(FIELD_RULES, field))
      problems.push({ ...position, field, message: "is not a field of a record" });
  return problems.length > 0 ? { problems } : { ...position, record: values as unknown as TrafficRecord };
}

/** Whether an object has at least one field of a record. */
export function hasRecordField(value: object): boolean {
  return Object.keys(value).some((name) => Object.hasOwn(FIELD_RULES, name));
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
