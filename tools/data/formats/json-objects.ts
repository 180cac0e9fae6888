import { formatValue } from "../../messages.ts";
import type { TextChunk } from "./input-file.ts";
import { CONVERSION_HINT, UnreadableError } from "./problem.ts";

// A scanner of our own, because stream-json and @streamparser/json take three to six times as long, and lose line numbers, repeated keys
// and the digits of numbers.

/** A JSON object that is inside no other object. */
export interface JsonObject {
  text: string;
  line: number;
  /** The lines in which the objects in its arrays start. In a page, they are the records. */
  innerLines: number[];
  /** The number of keys, including the keys of inner objects. */
  keys: number;
}

/** The maximum nesting of objects and arrays. A record has one level, and a page has three. */
const MAX_DEPTH = 100;

/** The maximum number of characters in an object, so that a large file with one object does not fill the memory. */
const MAX_LENGTH = 1 << 23;

/** The maximum number of values in an object: a page of 15,000 records. An object of 8 MB with more values could fill the memory. */
const MAX_VALUES = 200_000;

/** The state of a scan, which reads each character of a file once. */
interface Scan {
  line: number;
  /** The number of open arrays around the objects. */
  arrays: number;
  /** What came last in the innermost of these arrays. */
  previous: "bracket" | "item" | "comma";
  object?: OpenObject | undefined;
}

interface OpenObject extends JsonObject {
  depth: number;
  values: number;
  isInString: boolean;
  /** Whether the text ends with a backslash that escapes the next character. */
  isEscaped: boolean;
}

/**
 * Finds the objects in JSON, in sequence or in arrays. Only the end of each object is checked, so its content may be invalid.
 * @throws UnreadableError at anything else, and at an object that does not end, is too long or too deep
 */
export async function* readJsonObjects(
  chunks: AsyncIterable<TextChunk>,
): AsyncGenerator<Iterable<JsonObject>> {
  const scan: Scan = { line: 1, arrays: 0, previous: "bracket" };
  for await (const { text, line } of chunks) {
    scan.line = line;
    yield scanObjects(scan, text);
  }
  if (scan.object)
    throw new UnreadableError("is the start of a JSON object that never ends", scan.object.line);
  if (scan.arrays > 0) throw new UnreadableError("ends inside an array", scan.line);
}

/** Scans the next part of the text, and yields the JSON objects that end in this part. */
function* scanObjects(scan: Scan, text: string): Generator<JsonObject> {
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at);
    if (!scan.object && character !== "{") {
      skip(scan, character);
      at++;
      continue;
    }
    scan.object ??= startObject(scan);
    const { object } = scan;
    const end = scanObject(scan, object, text, at);
    object.text += text.slice(at, end);
    if (object.text.length > MAX_LENGTH) {
      const message = `is a JSON object of more than 8 MB, or one that never ends; ${CONVERSION_HINT}`;
      throw new UnreadableError(message, object.line);
    }
    at = end;
    if (object.depth > 0) continue;
    scan.object = undefined;
    yield object;
  }
}

/** Skips a character between objects. In an array, exactly one comma separates two objects. Elsewhere, there is no comma. */
function skip(scan: Scan, character: string): void {
  const { previous, line } = scan;
  const isInArray = scan.arrays > 0;
  if (character === "\n") {
    scan.line++;
  } else if (character === "[") {
    requireComma(scan);
    scan.arrays++;
    scan.previous = "bracket";
  } else if (character === "," && isInArray && previous === "item") {
    scan.previous = "comma";
  } else if (character === "]" && isInArray && previous !== "comma") {
    scan.arrays--;
    scan.previous = "item";
  } else if (character === "," || (character === "]" && isInArray)) {
    throw new UnreadableError("has a comma that is not between two records of an array", line);
    // A concatenated file may begin with a byte order mark.
  } else if (!(isInArray ? " \t\r" : " \t\r\ufeff").includes(character)) {
    throw new UnreadableError(`is not a record or a page in JSON: ${formatValue(character)}`, line);
  }
}

function requireComma({ arrays, previous, line }: Scan): void {
  if (arrays > 0 && previous === "item")
    throw new UnreadableError("has no comma between two records of an array", line);
}

function startObject(scan: Scan): OpenObject {
  requireComma(scan);
  scan.previous = "item";
  const counts = { keys: 0, depth: 0, values: 0 };
  return { text: "", line: scan.line, innerLines: [], ...counts, isInString: false, isEscaped: false };
}

/** Returns the index after the object, or the length of the text if the object continues in the next part. */
function scanObject(scan: Scan, object: OpenObject, text: string, start: number): number {
  let { isInString, isEscaped } = object;
  let at = start;
  do {
    const character = text.charAt(at++);
    if (isEscaped) isEscaped = false;
    else if (character === '"') isInString = !isInString;
    else if (isInString) isEscaped = character === "\\";
    else scanCharacter(scan, object, character);
  } while (object.depth > 0 && at < text.length);
  object.isInString = isInString;
  object.isEscaped = isEscaped;
  return at;
}

/** Scans a character outside of strings. */
function scanCharacter(scan: Scan, object: OpenObject, character: string): void {
  if (character === ":") object.keys++;
  else if (character === "\n") scan.line++;
  else if (character === ",") countValue(object);
  else if (character === "}" || character === "]") object.depth--;
  else if (character === "{" || character === "[") {
    countValue(object);
    if (object.depth === 2 && character === "{") object.innerLines.push(scan.line);
    if (++object.depth > MAX_DEPTH)
      throw new UnreadableError(`is nested more than ${MAX_DEPTH} levels deep`, scan.line);
  }
}

function countValue(object: OpenObject): void {
  if (++object.values <= MAX_VALUES) return;
  const message = `is a JSON object with more than ${MAX_VALUES} values; ${CONVERSION_HINT}`;
  throw new UnreadableError(message, object.line);
}
