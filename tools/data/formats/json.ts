import { NOT_A_COUNT, Page } from "../../../src/records/schema.ts";
import { getMessage } from "../../messages.ts";
import type { InputFile, TextChunk } from "./input-file.ts";
import { type JsonObject, readJsonObjects } from "./json-objects.ts";
import { BODY_RECORDS, type InputPosition, type ProblemDetail } from "./problem.ts";
import { checkRecord, type InputRow, isObject } from "./validation.ts";

/** The maximum number of rows in a batch. A page of 8 MB can have many more, and after too many problems the rest of them is not checked. */
const BATCH_ROWS = 1_000;

/**
 * Reads records and pages in JSON, in sequence or in arrays.
 * @throws UnreadableError if the text contains anything else
 */
export async function* readJson(
  chunks: AsyncIterable<TextChunk>,
  input: InputFile,
): AsyncGenerator<InputRow[]> {
  let records = 0;
  // The JSON of a body is usually one line, so its records are numbered.
  const locate = (line: number): InputPosition =>
    input.body === undefined ? { file: input.file, line } : { file: BODY_RECORDS, line: ++records };
  for await (const objects of readJsonObjects(chunks)) {
    let rows: InputRow[] = [];
    try {
      for (const object of objects) {
        for (const row of parseObject(object, input, locate)) {
          rows.push(row);
          if (rows.length < BATCH_ROWS) continue;
          yield rows;
          rows = [];
        }
      }
    } finally {
      // Also the rows before an error.
      yield rows;
    }
  }
}

/** Locates the next record, which begins in a line of the text. */
type Locate = (line: number) => InputPosition;

function* parseObject(object: JsonObject, input: InputFile, locate: Locate): Generator<InputRow> {
  const parsed = parseExactly(object);
  if ("message" in parsed) return yield { problems: [{ ...locate(object.line), ...parsed }] };
  yield* checkObject(parsed.value, input, locate, object);
}

/**
 * Checks a record, or the records of a page.
 * @param lines The line of the value, and those of the records in a page
 */
export function* checkObject(
  value: unknown,
  { file, modelName, onPage }: InputFile,
  locate: Locate,
  { line, innerLines }: Pick<JsonObject, "line" | "innerLines">,
): Generator<InputRow> {
  if (!isPage(value)) return yield checkValue(value, locate(line), modelName);
  const missing = Page.keyof().options.filter((name) => !(name in value));
  if (missing.length > 0) {
    const message = `has results, but is not a page: missing: ${missing.join(", ")}`;
    return yield { problems: [{ file, line, message }] };
  }
  const { count, results } = value;
  const known = Page.shape.count.safeParse(count);
  if (known.success) onPage?.(file, known.data);
  else yield { problems: [{ file, line, field: "count", value: count, message: NOT_A_COUNT }] };
  for (const [index, result] of results.entries()) {
    const row = checkValue(result, locate(innerLines[index] ?? line), modelName);
    yield "problems" in row ? row : { ...row, isInPage: true };
  }
}

function isPage(value: unknown): value is { count?: unknown; results: unknown[] } {
  return isObject(value) && Array.isArray(value.results);
}

function checkValue(value: unknown, position: InputPosition, modelName: InputFile["modelName"]) {
  const replaces = modelName !== undefined && isObject(value) && typeof value.model_name === "string";
  return checkRecord(replaces ? { ...value, model_name: modelName } : value, position);
}

// TypeScript does not know the proposal "JSON.parse source text access" of ECMAScript.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Parses an object, unless a value would be lost: a repeated key, or a number that is not exact. */
function parseExactly({ text, keys }: JsonObject): { value: Record<string, unknown> } | ProblemDetail {
  let problem: ProblemDetail | undefined;
  // JavaScript represents every number of 15 digits exactly, unless it is very small.
  const mayLose = /\d[\d.eE]{15}|\d[.eE]/.test(text);
  const requireExact = (field: string, value: unknown, context?: { source: string }) => {
    const isLost = context !== undefined && typeof value === "number" && !isExact(value, context.source);
    if (isLost) problem ??= { field, value: rawJSON(context.source), message: "cannot be read exactly" };
    return value;
  };
  try {
    const value = JSON.parse(text, mayLose ? requireExact : undefined);
    if (problem) return problem;
    return countKeys(value) === keys ? { value } : { message: "has a key twice in one object" };
  } catch (error) {
    // The runtime quotes the place, or counts from the start of the object.
    const message = `is the start of an object that cannot be parsed: ${getMessage(error)}`;
    return { message, cause: "syntax" };
  }
}

function isExact(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  // Without the sign, the point, the exponent, and the zeros at both ends.
  const [significant = ""] = /[1-9](?:\d*[1-9])?/.exec(source.replaceAll(/e.*|[-.]/gi, "")) ?? [];
  const isUnderflow = value === 0 && significant !== "";
  return significant.length <= 15 && Number.isFinite(value) && !isUnderflow;
}

/** Counts the keys in an object or an array, including the keys of inner objects. */
function countKeys(value: object): number {
  const inner = Object.values(value);
  let keys = Array.isArray(value) ? 0 : inner.length;
  for (const one of inner) if (typeof one === "object" && one !== null) keys += countKeys(one);
  return keys;
}
