import * as z from "zod";
import { MAX_REF_LENGTH, type TrafficRecord } from "../../src/records/record.ts";
import type { InputPosition, Problem } from "./problem.ts";

/** A valid record that has not been compared with the other records of the load. */
export interface RecordRow extends InputPosition {
  record: TrafficRecord;
  /**
   * Only of an image in the detection engine's report: when it was processed, ISO 8601 in UTC with nine decimals, so that text order
   * is time order. Its `id` and its `camera_pk` are 0: the load assigns both when it has read all images.
   */
  processedAt?: string;
  /** True for a record in a page. */
  isInPage?: boolean;
}

/** What reading a file yields for each record, in the order of the file. */
export type InputRow = RecordRow | { problems: Problem[] };

/** A field of a record, or a column of a report. */
export interface Field {
  /** Completes the sentence "... is not ...". */
  expected: string;
  /** Matches the usual cells of a records file: these need no further check, which saves half of the time. */
  usual: RegExp;
  /** The value of a cell of CSV. */
  parse(cell: string): unknown;
  /** @returns true for a valid value; otherwise false, or what else to say than `is not ${expected}` */
  check(value: unknown): boolean | string;
}

type Fields = ReadonlyMap<string, Field>;

const INTEGER: Field = {
  expected: "a whole number",
  usual: /^(0|[1-9][0-9]{0,14})$/,
  parse: (cell) => (/^-?\d+$/.test(cell) ? Number(cell) : cell),
  check(value) {
    const [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    if (typeof value !== "number" || !Number.isInteger(value)) return false;
    return Number.isSafeInteger(value) || (value > 0 ? `is greater than ${most}` : `is less than ${least}`);
  },
};

export const COUNT: Field = {
  ...INTEGER,
  expected: "a whole number, 0 or greater",
  check: (value) => (typeof value === "number" && value < 0 ? false : INTEGER.check(value)),
};

function createTextField(expected: string, pattern: RegExp): Field {
  const check = (value: unknown) => typeof value === "string" && pattern.test(value);
  return { expected, usual: pattern, parse: String, check };
}

export const UTC = createTextField(
  "a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)",
  z.regexes.datetime({ precision: 0 }),
);

export const MODEL = createTextField('"tf1"', /^tf1$/);

const HEALTH: Field = {
  expected: '"True", "False", or null',
  usual: /^(True|False|)$/,
  parse: (cell) => cell || null,
  check: (value) => value === null || value === "True" || value === "False",
};

/** Control and format characters, separators, fillers and half characters, and white space at an end. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]|^\s|\s$/u;

/** What would make a `camera_ref` look like that of another camera is refused. */
export const REF: Field = {
  expected: `a string of 1 to ${MAX_REF_LENGTH} characters`,
  usual: new RegExp(`^\\w[\\w-]{0,${MAX_REF_LENGTH - 1}}$`),
  parse: String,
  check(value) {
    if (typeof value !== "string" || value === "" || [...value].length > MAX_REF_LENGTH) return false;
    const code = INVISIBLE.exec(value)?.[0].codePointAt(0)?.toString(16).toUpperCase();
    if (code !== undefined) return `contains the invisible character U+${code.padStart(4, "0")}`;
    // A spreadsheet that opens an export would take the value for a formula.
    return !/^[=+\-@]/.test(value) || "begins like a formula of a spreadsheet";
  },
};

const RECORD: Record<keyof TrafficRecord, Field> = {
  ...{ id: INTEGER, camera_pk: INTEGER, camera_ref: REF, timestamp: UTC, camera_ok: HEALTH },
  ...{ cars: COUNT, persons: COUNT, bicycles: COUNT, trucks: COUNT, motorcycles: COUNT, buses: COUNT },
  model_name: MODEL,
};

export const RECORD_FIELDS: Fields = new Map(Object.entries(RECORD));

/**
 * Checks the values of an object.
 * @param title the name of the object, such as "a record"
 * @returns a problem for each wrong value
 */
export function checkValues(values: unknown, fields: Fields, title: string, place: InputPosition): Problem[] {
  if (!isObject(values)) return [{ ...place, value: values, message: `is not ${title}` }];
  const problems: Problem[] = [];
  for (const [field, { expected, check }] of fields) {
    const value = values[field];
    const result = check(value);
    if (result === true) continue;
    const message = value === undefined ? "is missing" : result || `is not ${expected}`;
    problems.push({ ...place, field, value, message });
  }
  for (const field of Object.keys(values))
    if (!fields.has(field)) problems.push({ ...place, field, message: `is not a field of ${title}` });
  return problems;
}

/** Checks a record by itself. An object of another kind is one problem, not one for each field. */
export function checkRecord(values: unknown, position: InputPosition): InputRow {
  if (isObject(values) && !hasRecordField(values)) {
    const isError = typeof values.detail === "string";
    const message = isError
      ? "is an error response, not a page"
      : "is not a record: it has no field of a record";
    return { problems: [{ ...position, value: values, message }] };
  }
  const problems = checkValues(values, RECORD_FIELDS, "a record", position);
  return problems.length > 0 ? { problems } : { ...position, record: values as TrafficRecord };
}

/** Whether an object has at least one field of a record. */
export function hasRecordField(value: object): boolean {
  return Object.keys(value).some((name) => RECORD_FIELDS.has(name));
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
