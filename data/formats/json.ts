import type { TrafficRecord } from "../../src/records/record.ts";
import type { InputFile, TextChunk } from "./input-file.ts";
import { findObjects, type JsonObject } from "./json-objects.ts";
import type { InputPosition, ProblemDetail } from "./problem.ts";
import { checkRecord, type InputRow, isObject } from "./validation.ts";

/**
 * Reads JSON: records and pages, one after the other or in arrays.
 * @throws UnreadableError if it is something else
 */
export async function* readJson(
  chunks: AsyncIterable<TextChunk>,
  source: InputFile,
): AsyncGenerator<InputRow[]> {
  for await (const objects of findObjects(chunks)) {
    const rows: InputRow[] = [];
    try {
      for (const object of objects) rows.push(...readObject(object, source));
    } finally {
      yield rows;
    }
  }
}

function readObject(object: JsonObject, { file, modelName, onPage }: InputFile): InputRow[] {
  const position = { file, line: object.line };
  const parsed = parseExactly(object);
  if ("message" in parsed) return [{ problems: [{ ...position, ...parsed }] }];
  const { value } = parsed;
  if (!Array.isArray(value.results)) return [checkNamed(value, position, modelName)];
  onPage?.(value);
  const lineOf = (index: number) => object.innerLines[index] ?? object.line;
  return value.results.map((result, index) => checkNamed(result, { file, line: lineOf(index) }, modelName));
}

function checkNamed(value: unknown, position: InputPosition, modelName: InputFile["modelName"]): InputRow {
  const replaces = modelName && isObject(value) && typeof value.model_name === "string";
  return checkRecord(replaces ? { ...value, model_name: modelName } : value, position);
}

/** Parses an object, unless something would be lost: a key that is repeated, or a number that is not exact. */
function parseExactly({ text, keys }: JsonObject): { value: Record<string, unknown> } | ProblemDetail {
  let problem: ProblemDetail | undefined;
  // A number of JavaScript holds every number of 15 digits unless it is very small.
  const mayLose = /\d[\d.eE]{15}|\d[.eE]/.test(text);
  const requireExact = (field: string, value: unknown, { source }: { source: string }) => {
    if (typeof value === "number" && !isExact(value, source)) problem ??= describeInexact(field, source);
    return value;
  };
  try {
    const value = mayLose ? parseWithSource(text, requireExact) : JSON.parse(text);
    if (problem) return problem;
    return countKeys(value) === keys ? { value } : { message: "has a key twice in one object" };
  } catch {
    return { value: text, message: "is not valid JSON" };
  }
}

/** A function that also gets the text of a value (ECMAScript, "JSON.parse source text access"). */
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;

function parseWithSource(text: string, reviver: Reviver) {
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

function isExact(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = source.replace(/e.*/i, "").replaceAll(/[-.]/g, "").replace(/^0+/, "");
  return digits.length <= 15 && Number.isFinite(value) && (value !== 0 || digits === "");
}

/** The message shows the number as it is in the input. */
function describeInexact(field: string, source: string): ProblemDetail {
  const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };
  return { field, value: rawJSON(source), message: "cannot be read exactly" };
}

/** The number of keys in an object or an array, also of those inside. */
function countKeys(value: object): number {
  const inner = Object.values(value);
  let keys = Array.isArray(value) ? 0 : inner.length;
  for (const one of inner) if (typeof one === "object" && one !== null) keys += countKeys(one);
  return keys;
}

export async function* writeJsonLines(
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}
