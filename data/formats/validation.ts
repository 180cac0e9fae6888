import * as z from "zod";
import { MAX_REF_LENGTH, type TrafficRecord } from "../../src/records/record.ts";
import type { InputPosition, Problem } from "./problem.ts";

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
  /** The value of a cell of CSV. */
  parse(cell: string): unknown;
  /** @returns what is wrong with a value, such as "is not a whole number"; undefined if nothing is */
  check(value: unknown): string | undefined;
}

function createNumberField(expected: string, min = Number.NEGATIVE_INFINITY): Field {
  const [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return {
    parse: (cell) => (/^-?\d+$/.test(cell) ? Number(cell) : cell),
    check(value) {
      if (typeof value !== "number" || !Number.isInteger(value) || value < min) return `is not ${expected}`;
      if (Number.isSafeInteger(value)) return undefined;
      return value > 0 ? `is greater than ${most}` : `is less than ${least}`;
    },
  };
}

const INTEGER = createNumberField("a whole number");

export const COUNT = createNumberField("a whole number, 0 or greater", 0);

function createTextField(expected: string, pattern: RegExp): Field {
  const isValid = (value: unknown) => typeof value === "string" && pattern.test(value);
  return { parse: String, check: (value) => (isValid(value) ? undefined : `is not ${expected}`) };
}

const UTC = createTextField(
  "a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)",
  z.regexes.datetime({ precision: 0 }),
);

export const MODEL = createTextField('"tf1"', /^tf1$/);

const HEALTH: Field = {
  parse: (cell) => cell || null,
  check: (value) =>
    value === null || value === "True" || value === "False"
      ? undefined
      : 'is not "True", "False", or null, which is an empty cell in CSV',
};

/** Control and format characters, separators, fillers and half characters, and white space at an end. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]|^\s|\s$/u;

/** A `camera_ref` that needs no slower check. */
const USUAL_REF = new RegExp(`^\\w[\\w-]{0,${MAX_REF_LENGTH - 1}}$`);

/** What would make a `camera_ref` look like that of another camera is refused. */
export const REF: Field = {
  parse: String,
  check(value) {
    const text = typeof value === "string" ? value : "";
    if (USUAL_REF.test(text)) return undefined;
    if (text === "" || [...text].length > MAX_REF_LENGTH)
      return `is not a string of 1 to ${MAX_REF_LENGTH} characters`;
    const code = INVISIBLE.exec(text)?.[0].codePointAt(0)?.toString(16).toUpperCase();
    if (code !== undefined) return `contains the invisible character U+${code.padStart(4, "0")}`;
    // A spreadsheet that opens an export would take the value for a formula.
    return /^[=+\-@]/.test(text) ? "begins like a formula of a spreadsheet" : undefined;
  },
};

export const RECORD_FIELDS: Record<keyof TrafficRecord, Field> = {
  id: INTEGER,
  camera_pk: INTEGER,
  camera_ref: REF,
  timestamp: UTC,
  camera_ok: HEALTH,
  cars: COUNT,
  persons: COUNT,
  bicycles: COUNT,
  trucks: COUNT,
  motorcycles: COUNT,
  buses: COUNT,
  model_name: MODEL,
};

const ENTRIES = Object.entries(RECORD_FIELDS);

/** Checks what should be a record by itself. An object of another kind is one problem, not one for each field. */
export function checkRecord(values: unknown, position: InputPosition): InputRow {
  const refuse = (message: string) => ({ problems: [{ ...position, value: values, message }] });
  if (!isObject(values)) return refuse("is not a record");
  if (!hasRecordField(values))
    return typeof values.detail === "string"
      ? refuse("is an error response, not a page")
      : refuse("is not a record: it has no field of a record");
  const problems: Problem[] = [];
  for (const [field, { check }] of ENTRIES) {
    const value = values[field];
    const message = value === undefined ? "is missing" : check(value);
    if (message !== undefined) problems.push({ ...position, field, value, message });
  }
  for (const field of Object.keys(values))
    if (!Object.hasOwn(RECORD_FIELDS, field))
      problems.push({ ...position, field, message: "is not a field of a record" });
  return problems.length > 0 ? { problems } : { ...position, record: values as unknown as TrafficRecord };
}

/** Whether an object has at least one field of a record. */
export function hasRecordField(value: object): boolean {
  return Object.keys(value).some((name) => Object.hasOwn(RECORD_FIELDS, name));
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
