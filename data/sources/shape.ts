import * as z from "zod";
import type { ProblemDetail } from "./source.ts";

/** What a value of a field may be, as its schema has it. */
interface Field {
  wholeNumber: boolean;
  nullable: boolean;
  /** Completes the sentence "… is not …". */
  expected: string;
}

/** A schema with its fields in words, so that no rule is written twice. */
export interface Shape<T> {
  schema: z.ZodType<T>;
  fields: ReadonlyMap<string, Field>;
  parameters: z.core.ParseContext<z.core.$ZodIssue>;
}

/** Takes the schema of an object and what to call it, gives its shape. */
export function describeShape<T>(schema: z.ZodType<T>, title: string): Shape<T> {
  const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: "any" });
  const fields = new Map(Object.entries(properties).map(([name, field]) => [name, describeField(field)]));
  return { schema, fields, parameters: { error: (issue) => explain(issue, fields, title) } };
}

function describeField(field: z.core.JSONSchema._JSONSchema): Field {
  const choices = typeof field === "object" ? (field.anyOf ?? [field]) : [];
  return {
    wholeNumber: choices.some((choice) => typeof choice === "object" && choice.type === "integer"),
    nullable: choices.some((choice) => typeof choice === "object" && choice.type === "null"),
    expected: choices.map(describeChoice).join(", or "),
  };
}

function describeChoice(choice: z.core.JSONSchema._JSONSchema): string {
  if (typeof choice === "boolean" || choice.type === "null") return "null";
  if (choice.const !== undefined) return JSON.stringify(choice.const);
  if (choice.enum !== undefined) return choice.enum.map((value) => JSON.stringify(value)).join(", ");
  if (choice.type === "integer")
    return choice.minimum === 0 ? "a whole number, 0 or greater" : "a whole number";
  if (choice.format === "date-time") return "a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)";
  if (choice.format === "uri") return "a URL";
  if (choice.type === "array") return "an array";
  return `a text of 1 to ${choice.maxLength} characters, none of them a control character`;
}

/** A message of the schema itself goes before this one. */
function explain(issue: z.core.$ZodRawIssue, fields: ReadonlyMap<string, Field>, title: string): string {
  if (issue.code === "unrecognized_keys") return `is not a field of ${title}`;
  if (issue.input === undefined) return "is missing";
  if (issue.code === "too_big" && issue.origin !== "string") return `is greater than ${issue.maximum}`;
  if (issue.code === "too_small" && issue.origin === "int") return `is less than ${issue.minimum}`;
  return `is not ${fields.get(String(issue.path?.[0]))?.expected ?? title}`;
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Takes the cells of a row of CSV by column, gives the values that the shape expects there: a whole number
 * for its digits, null for an empty cell. A cell that cannot be one stays a text, for the schema to refuse.
 */
export function readCells(shape: Shape<unknown>, cells: Record<string, string>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, { wholeNumber, nullable }] of shape.fields) {
    const cell = cells[name];
    if (nullable && cell === "") values[name] = null;
    else if (wholeNumber && cell !== undefined && /^-?\d+$/.test(cell)) values[name] = Number(cell);
    else values[name] = cell;
  }
  return values;
}

/**
 * Takes a shape, the values of its fields, their place and the values as they stand in the input. Gives what
 * the schema makes of them, or a problem for each wrong field.
 */
export function checkShape<T, P extends object>(
  shape: Shape<T>,
  values: unknown,
  place: P,
  original: unknown,
): { data: T } | { problems: (P & ProblemDetail)[] } {
  const result = shape.schema.safeParse(values, shape.parameters);
  if (result.success) return result;
  const details = result.error.issues.flatMap((issue) => toDetails(issue, original));
  return { problems: details.map((detail) => ({ ...place, ...detail })) };
}

function toDetails(issue: z.core.$ZodIssue, original: unknown): ProblemDetail[] {
  const { message } = issue;
  if (issue.code === "unrecognized_keys") return issue.keys.map((field) => ({ field, message }));
  const [field] = issue.path;
  if (field === undefined) return [{ value: original, message }];
  const value = Object.entries(original ?? {}).find(([name]) => name === field)?.[1];
  return [{ field: String(field), value, message }];
}
