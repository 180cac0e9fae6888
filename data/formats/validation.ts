import * as z from "zod";
import { MAX_REF_LENGTH, TrafficRecord } from "../../src/records/record.ts";
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

/** What a field may hold. */
export interface Field {
  wholeNumber: boolean;
  nullable: boolean;
  /** Completes the sentence "... is not ...". */
  expected: string;
  /** Matches the usual texts of values in a records file: these need no further check, which saves half of the time. */
  usual: RegExp;
}

/**
 * Checks values against a schema and describes problems in words that are derived from the schema.
 * @param schema of an object
 * @param title the name of the object, such as "a record"
 */
export function createValidator<T>(schema: z.ZodType<T>, title: string) {
  const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: "any" });
  const fields = new Map(Object.entries(properties).map(([name, field]) => [name, describeField(field)]));
  const error = (issue: z.core.$ZodRawIssue) => explain(issue, fields, title);
  return {
    fields,
    /** @returns the output of the schema, or a problem for each wrong field */
    validate(values: unknown, position: InputPosition): { data: T } | { problems: Problem[] } {
      const result = schema.safeParse(values, { error });
      if (result.success) return result;
      return { problems: result.error.issues.flatMap((issue) => toProblems(issue, values, position)) };
    },
  };
}

function describeField(field: z.core.JSONSchema._JSONSchema): Field {
  const { anyOf = [field] } = Object(field);
  const choices = anyOf as z.core.JSONSchema.BaseSchema[];
  const described = choices.map(describeChoice);
  return {
    wholeNumber: choices.some(({ type }) => type === "integer"),
    nullable: choices.some(({ type }) => type === "null"),
    expected: described.map(([expected]) => expected).join(", or "),
    usual: new RegExp(`^(${described.map(([, usual]) => usual).join("|")})$`),
  };
}

function describeChoice(choice: z.core.JSONSchema.BaseSchema): [expected: string, usual: string] {
  const { type, format, minimum, maxLength, pattern, enum: values = [choice.const] } = choice;
  if (type === "null") return ["null", ""];
  if (type === "integer")
    return [`a whole number${minimum === 0 ? ", 0 or greater" : ""}`, "0|[1-9][0-9]{0,14}"];
  if (format === "date-time")
    return ["a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)", String(pattern).slice(1, -1)];
  if (values[0] !== undefined)
    return [values.map((value) => JSON.stringify(value)).join(", "), values.join("|")];
  return [
    `a string of 1 to ${maxLength} characters`,
    `[A-Za-z0-9_][A-Za-z0-9_-]{0,${Number(maxLength) - 1}}`,
  ];
}

/** zod prefers a message of the schema itself to this one. */
function explain(issue: z.core.$ZodRawIssue, fields: ReadonlyMap<string, Field>, title: string): string {
  if (issue.code === "unrecognized_keys") return `is not a field of ${title}`;
  if (issue.input === undefined) return "is missing";
  if (issue.code === "too_big" && issue.origin !== "string") return `is greater than ${issue.maximum}`;
  if (issue.code === "too_small" && issue.origin === "int") return `is less than ${issue.minimum}`;
  return `is not ${fields.get(String(issue.path?.[0]))?.expected ?? title}`;
}

function toProblems(issue: z.core.$ZodIssue, values: unknown, position: InputPosition): Problem[] {
  const { message, path } = issue;
  if (issue.code === "unrecognized_keys") return issue.keys.map((field) => ({ ...position, field, message }));
  if (path[0] === undefined) return [{ ...position, value: values, message }];
  const field = String(path[0]);
  return [{ ...position, field, value: Object(values)[field], message }];
}

/** Control and format characters, separators, fillers and half characters, and white space at an end. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]|^\s|\s$/u;

/** A spreadsheet that opens an export would take the value for a formula. */
const FORMULA = /^[=+\-@]/;

/** What would make a `camera_ref` look like that of another camera is refused. */
export const cameraRef = z
  .string()
  .min(1)
  .max(MAX_REF_LENGTH)
  .refine((text) => !INVISIBLE.test(text), { error: ({ input }) => describeInvisible(String(input)) })
  .refine((text) => !FORMULA.test(text), { error: () => "begins like a formula of a spreadsheet" });

function describeInvisible(text: string): string {
  const code = INVISIBLE.exec(text)?.[0].codePointAt(0) ?? 0;
  return `contains the invisible character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const recordValidator = createValidator(TrafficRecord.extend({ camera_ref: cameraRef }), "a record");

export const RECORD_FIELDS = recordValidator.fields;

/** Checks a record by itself. An object of another kind is one problem, not one for each field. */
export function checkRecord(values: unknown, position: InputPosition): InputRow {
  if (isObject(values) && !hasRecordField(values)) {
    const isError = typeof values.detail === "string";
    const message = isError
      ? "is an error response, not a page"
      : "is not a record: it has no field of a record";
    return { problems: [{ ...position, value: values, message }] };
  }
  const checked = recordValidator.validate(values, position);
  return "data" in checked ? { ...position, record: checked.data } : checked;
}

/** Whether an object has at least one field of a record. */
export function hasRecordField(value: object): boolean {
  return Object.keys(value).some((name) => RECORD_FIELDS.has(name));
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
