import { FIELD_RULES, type FieldCheck } from "../../../src/records/field-rules.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { CONVERSION_HINT, type InputPosition, type Problem } from "./problem.ts";

/** A valid record that has not been compared with the rest of the load. */
export interface RecordRow extends InputPosition {
  record: TrafficRecord;
  /**
   * For an image in a report: the times of the capture and of the processing, ISO 8601 in UTC with nine decimals, so that they sort as
   * text. The `id` and the `camera_pk` of the record are 0 until the load has read all images.
   */
  image?: { capturedAt: string; processedAt: string };
  /** True for a record in a page. */
  isInPage?: boolean;
}

/** A record of a file, or its problems. */
export type InputRow = RecordRow | { problems: Problem[] };

/** A field of a record, or a column of a report. */
export interface Field {
  /** Parses a CSV cell. */
  parse(cell: string): unknown;
  check: FieldCheck;
}

/** Parses `3`, and `3.0`, which pandas writes in a column that once had a gap. */
const parseNumber = (cell: string) => (/^-?\d+(\.0+)?$/.test(cell) ? Number(cell) : cell);

/** Cells of `camera_ok`. Spreadsheets and other tools write `True` as `TRUE` or `true`. */
const HEALTHS = new Map(
  Object.entries({ "": null, TRUE: "True", true: "True", FALSE: "False", false: "False" }),
);

/** The parsers for fields that are not numbers. */
const PARSERS: Record<string, Field["parse"]> = {
  camera_ref: String,
  timestamp: String,
  camera_ok: (cell) => (HEALTHS.has(cell) ? HEALTHS.get(cell) : cell),
  model_name: String,
};

export const RECORD_FIELDS = Object.fromEntries(
  Object.entries(FIELD_RULES).map(([name, check]) => [name, { parse: PARSERS[name] ?? parseNumber, check }]),
) as Record<keyof TrafficRecord, Field>;

const ENTRIES = Object.entries(FIELD_RULES);

/** Checks the fields of a record. An object without any field of a record has only one problem. */
export function checkRecord(values: unknown, position: InputPosition): InputRow {
  const reject = (message: string) => ({ problems: [{ ...position, value: values, message }] });
  if (!isObject(values)) return reject("is not a record");
  if (!hasRecordField(values))
    return typeof values.detail === "string"
      ? reject("is an error response, not a page")
      : reject(`is not a record: it has no field of a record; ${CONVERSION_HINT}`);
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

/** Whether an object has a field of a record. */
export function hasRecordField(value: object): boolean {
  return Object.keys(value).some((name) => Object.hasOwn(FIELD_RULES, name));
}

/** Whether a value is an object in JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
