import type { InputFile, TextChunk } from "./input-file.ts";
import { type InputPosition, type ProblemDetail, UnreadableError } from "./problem.ts";
import { checkRecord, hasRecordField, type InputRow, isObject } from "./validation.ts";

/** The members of an envelope (specification, "Page envelope"). */
const ENVELOPE = ["count", "next", "previous", "results"];

/** Rows that are passed on at once: a page of 8 MB may have any number. */
const BATCH_ROWS = 1_000;

/**
 * Reads JSON: records and pages, one after the other or in arrays.
 * @throws UnreadableError if it is something else
 */
export async function* readJson(
  chunks: AsyncIterable<TextChunk>,
  source: InputFile,
): AsyncGenerator<InputRow[]> {
  for await (const objects of findObjects(chunks)) {
    let rows: InputRow[] = [];
    try {
      for (const object of objects) {
        for (const row of readObject(object, source)) {
          rows.push(row);
          if (rows.length < BATCH_ROWS) continue;
          yield rows;
          rows = [];
        }
      }
    } finally {
      yield rows;
    }
  }
}

function* readObject(object: JsonObject, { file, modelName, onPage }: InputFile): Generator<InputRow> {
  const position = { file, line: object.line };
  const parsed = parseObject(object);
  if ("message" in parsed) return yield { problems: [{ ...position, ...parsed }] };
  const { value } = parsed;
  if (!isPage(value)) return yield checkNamed(value, position, modelName);
  const { count, results } = value;
  if (typeof count === "number" && Number.isSafeInteger(count)) onPage?.(count);
  else yield { problems: [{ ...position, field: "count", value: count, message: "is not a whole number" }] };
  for (const [index, result] of results.entries()) {
    const row = checkNamed(result, { file, line: object.innerLines[index] ?? object.line }, modelName);
    yield "record" in row ? { ...row, isInPage: true } : row;
  }
}

/** A record with the members of an envelope is still a record. */
function isPage(value: Record<string, unknown>): value is { count: unknown; results: unknown[] } {
  return ENVELOPE.every((name) => name in value) && Array.isArray(value.results) && !hasRecordField(value);
}

function checkNamed(value: unknown, position: InputPosition, modelName: InputFile["modelName"]): InputRow {
  const replaces = modelName && isObject(value) && typeof value.model_name === "string";
  return checkRecord(replaces ? { ...value, model_name: modelName } : value, position);
}

/** Parses an object, unless a key is repeated: all but one of its values would be lost. */
function parseObject({ text, keys }: JsonObject): { value: Record<string, unknown> } | ProblemDetail {
  try {
    const value = JSON.parse(text);
    return countKeys(value) === keys ? { value } : { message: "has a key twice in one object" };
  } catch {
    return { value: text, message: "is not valid JSON" };
  }
}

/** The number of keys in an object or an array, also of those inside. */
function countKeys(value: object): number {
  const inner = Object.values(value);
  let keys = Array.isArray(value) ? 0 : inner.length;
  for (const one of inner) if (typeof one === "object" && one !== null) keys += countKeys(one);
  return keys;
}

/** An object of a JSON text that is inside no other object. */
export interface JsonObject {
  text: string;
  /** The line in which it starts. */
  line: number;
  /** The lines in which the objects in its arrays start: the records of a page. */
  innerLines: number[];
  /** The number of keys, also of those inside. */
  keys: number;
}

/** Records have one level, and pages three. */
const MAX_DEPTH = 100;

/** In characters; a page has about 4,000. A large file in one object must not fill the memory. */
const MAX_LENGTH = 1 << 23;

/** A page of 15,000 records has as many. Other objects of 8 MB could take a hundred times the memory of their text. */
const MAX_VALUES = 200_000;

/** A text that is being read. Each of its characters is looked at once. */
interface Scan {
  line: number;
  /** The arrays that are open around the objects. */
  arrays: number;
  object?: OpenObject | undefined;
}

/** The object that is open, as far as it was read. */
interface OpenObject extends JsonObject {
  depth: number;
  values: number;
  isInString: boolean;
  /** Whether the last character is a backslash that escapes the next one. */
  isEscaped: boolean;
}

/**
 * Finds the objects of a JSON text, which follow each other or are in arrays, with or without commas. It only looks for where they
 * start and end, so they may be invalid.
 * @throws UnreadableError at anything else, and at an object that does not end, is too long or too deep
 */
export async function* findObjects(chunks: AsyncIterable<TextChunk>): AsyncGenerator<Iterable<JsonObject>> {
  const scan: Scan = { line: 1, arrays: 0 };
  for await (const { text, line } of chunks) {
    scan.line = line;
    yield readObjects(scan, text);
  }
  if (scan.object)
    throw new UnreadableError("is the start of a JSON object that never ends", scan.object.line);
  if (scan.arrays > 0) throw new UnreadableError("ends inside an array", scan.line);
}

/** Takes all objects that end in this part of the text. */
function* readObjects(scan: Scan, text: string): Generator<JsonObject> {
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (!scan.object && code !== BRACE) {
      skip(scan, code);
      at++;
      continue;
    }
    scan.object ??= openObject(scan.line);
    const { object } = scan;
    const end = scanObject(scan, object, text, at);
    object.text += text.slice(at, end);
    if (object.text.length > MAX_LENGTH)
      throw new UnreadableError("is a JSON object of more than 8 MB, or one that never ends", object.line);
    at = end;
    if (object.depth > 0) continue;
    scan.object = undefined;
    yield object;
  }
}

function openObject(line: number): OpenObject {
  const counts = { keys: 0, depth: 0, values: 0 };
  return { text: "", line, innerLines: [], ...counts, isInString: false, isEscaped: false };
}

// Comparing the codes of characters is faster than comparing texts.
const [LINE_FEED, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c] as const;
const [BRACKET, END_BRACKET, BRACE, END_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Skips a character between objects. */
function skip(scan: Scan, code: number): void {
  if (code === LINE_FEED) scan.line++;
  else if (code === BRACKET) scan.arrays++;
  else if (code === END_BRACKET && scan.arrays > 0) scan.arrays--;
  else if (!", \t\r".includes(String.fromCharCode(code)))
    throw new UnreadableError("is not a record or a page in JSON", scan.line);
}

/** @returns the index after the end of the object, or of the text if the object does not end in it */
function scanObject(scan: Scan, object: OpenObject, text: string, start: number): number {
  let at = start;
  let { isInString, isEscaped } = object;
  do {
    const code = text.charCodeAt(at++);
    if (isEscaped) isEscaped = false;
    else if (code === QUOTE) isInString = !isInString;
    else if (isInString) isEscaped = code === BACKSLASH;
    else note(scan, object, code);
  } while (object.depth > 0 && at < text.length);
  Object.assign(object, { isInString, isEscaped });
  return at;
}

/** Notes a character outside of strings. */
function note(scan: Scan, object: OpenObject, code: number): void {
  if (code === COLON) object.keys++;
  else if (code === LINE_FEED) scan.line++;
  else if (code === COMMA) countValue(object);
  else if (code === END_BRACE || code === END_BRACKET) object.depth--;
  else if (code === BRACE || code === BRACKET) {
    countValue(object);
    if (object.depth === 2 && code === BRACE) object.innerLines.push(scan.line);
    if (++object.depth > MAX_DEPTH)
      throw new UnreadableError(`is nested more than ${MAX_DEPTH} levels deep`, scan.line);
  }
}

function countValue(object: OpenObject): void {
  if (++object.values > MAX_VALUES)
    throw new UnreadableError(`is a JSON object with more than ${MAX_VALUES} values`, object.line);
}
