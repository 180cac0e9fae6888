import * as z from "zod";
import { type Counts, ROAD_USERS, TrafficRecord } from "../../src/records/record.ts";
import type { ProblemDetail } from "./problem.ts";

/** A number in JSON that a number of JavaScript cannot hold exactly. No field accepts it. */
export class InexactNumber {
  readonly isWhole: boolean;
  readonly isNegative: boolean;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.isWhole = /^-?\d+$/.test(text);
    this.isNegative = text.startsWith("-");
  }

  /** Messages show it as it is in the input. */
  toJSON(): unknown {
    return (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON(this.#text);
  }
}

/** What a field may hold. */
export interface Field {
  wholeNumber: boolean;
  nullable: boolean;
  /** Completes the sentence "... is not ...". */
  expected: string;
  /** Matches the usual texts of values in a records file: these need no further check, which saves half of the time. */
  usual: RegExp;
}

/** Checks values against a schema and describes problems in words that are derived from the schema. */
interface Validator<T> {
  fields: ReadonlyMap<string, Field>;
  /**
   * @param place where the values are, for the problems
   * @param original the values as they are in the input, for the problems
   * @returns the output of the schema, or a problem for each wrong field
   */
  validate<P extends object>(
    values: unknown,
    place: P,
    original: unknown,
  ): { data: T } | { problems: (P & ProblemDetail)[] };
}

/**
 * @param schema of an object
 * @param title the name of the object, such as "a record"
 */
export function createValidator<T>(schema: z.ZodType<T>, title: string): Validator<T> {
  const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: "any" });
  const fields = new Map(Object.entries(properties).map(([name, field]) => [name, describeField(field)]));
  const context: z.core.ParseContext<z.core.$ZodIssue> = { error: (issue) => explain(issue, fields, title) };
  return {
    fields,
    validate(values, place, original) {
      const result = schema.safeParse(values, context);
      if (result.success) return result;
      const details = result.error.issues.flatMap((issue) => toDetails(issue, original));
      return { problems: details.map((detail) => ({ ...place, ...detail })) };
    },
  };
}

function describeField(field: z.core.JSONSchema._JSONSchema): Field {
  const choices = typeof field === "object" ? (field.anyOf ?? [field]) : [];
  return {
    wholeNumber: choices.some((choice) => typeof choice === "object" && choice.type === "integer"),
    nullable: choices.some((choice) => typeof choice === "object" && choice.type === "null"),
    expected: choices.map(describeChoice).join(", or "),
    usual: new RegExp(`^(${choices.map(describeUsual).join("|")})$`),
  };
}

function describeUsual(choice: z.core.JSONSchema._JSONSchema): string {
  if (typeof choice === "boolean" || choice.type === "null") return "";
  if (choice.type === "integer") return "0|[1-9][0-9]{0,14}";
  if (choice.const !== undefined) return String(choice.const);
  if (choice.enum !== undefined) return choice.enum.join("|");
  return choice.format === "date-time" ? String(choice.pattern).slice(1, -1) : "[A-Za-z0-9_-]{1,255}";
}

function describeChoice(choice: z.core.JSONSchema._JSONSchema): string {
  if (typeof choice === "boolean" || choice.type === "null") return "null";
  if (choice.const !== undefined) return JSON.stringify(choice.const);
  if (choice.enum !== undefined) return choice.enum.map((value) => JSON.stringify(value)).join(", ");
  if (choice.type === "integer")
    return choice.minimum === 0 ? "a whole number, 0 or greater" : "a whole number";
  if (choice.format === "date-time") return "a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)";
  if (choice.type === "array") return "an array";
  return `a string of 1 to ${choice.maxLength} characters`;
}

/** zod prefers a message of the schema itself to this one. */
function explain(issue: z.core.$ZodRawIssue, fields: ReadonlyMap<string, Field>, title: string): string {
  if (issue.code === "unrecognized_keys") return `is not a field of ${title}`;
  if (issue.input === undefined) return "is missing";
  if (issue.input instanceof InexactNumber && issue.input.isWhole)
    return `is ${issue.input.isNegative ? "less than -" : "greater than "}${Number.MAX_SAFE_INTEGER}`;
  if (issue.code === "too_big" && issue.origin !== "string") return `is greater than ${issue.maximum}`;
  if (issue.code === "too_small" && issue.origin === "int") return `is less than ${issue.minimum}`;
  return `is not ${fields.get(String(issue.path?.[0]))?.expected ?? title}`;
}

function toDetails(issue: z.core.$ZodIssue, original: unknown): ProblemDetail[] {
  const { message } = issue;
  if (issue.code === "unrecognized_keys") return issue.keys.map((field) => ({ field, message }));
  const [field] = issue.path;
  if (field === undefined) return [{ value: original, message }];
  const value = Object.entries(original ?? {}).find(([name]) => name === field)?.[1];
  return [{ field: String(field), value, message }];
}

/** Characters that nothing is shown for: control and format characters, separators, fillers and half characters. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;

/**
 * Invisible characters, or white space around a `camera_ref`, would make it look like that of another camera, so both are
 * refused.
 */
export const cameraRef = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => explainText(text) === undefined, { error: ({ input }) => explainText(String(input)) });

/** What is wrong with a text; undefined if nothing is. */
function explainText(text: string): string | undefined {
  if (/^[\w-]+$/.test(text)) return undefined;
  const [invisible] = INVISIBLE.exec(text) ?? [];
  if (invisible !== undefined) return `contains ${describeCharacter(invisible)}`;
  const [space] = /^\s|\s$/u.exec(text) ?? [];
  return space === undefined ? undefined : `has white space around it (${formatCodePoint(space)})`;
}

function describeCharacter(character: string): string {
  const code = formatCodePoint(character);
  return /\p{Cs}/u.test(character) ? `${code}, which is half a character` : `the invisible character ${code}`;
}

function formatCodePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

export const recordValidator = createValidator(TrafficRecord.extend({ camera_ref: cameraRef }), "a record");

/** A `camera_ok` of `False` appears together with all counts equal to 0 (specification, "Record"). */
export function findHealthProblem<P extends object>(
  record: Pick<TrafficRecord, "camera_ok"> & Counts,
  place: P,
): (P & ProblemDetail) | undefined {
  if (record.camera_ok !== "False") return undefined;
  const wrong = ROAD_USERS.find((name) => record[name] !== 0);
  if (wrong === undefined) return undefined;
  const message = `requires counts of 0, but ${wrong} is ${record[wrong]}`;
  return { ...place, field: "camera_ok", value: "False", message };
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
