import type { TextChunk } from "./input-file.ts";
import { GUIDE, UnreadableError } from "./problem.ts";

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
  /** The arrays that are open around the objects, and what was last in the innermost one. */
  arrays: number;
  last: "bracket" | "item" | "comma";
  object?: OpenObject | undefined;
}

/** The object that is open, as far as it was read. */
interface OpenObject extends JsonObject {
  depth: number;
  values: number;
  isInString: boolean;
  /** Whether the text ends with a backslash that escapes the next character. */
  isEscaped: boolean;
}

/**
 * Finds the objects of a JSON text, which follow each other or are in arrays. It only looks for where they start and end, so they
 * may be invalid.
 * @throws UnreadableError at anything else, and at an object that does not end, is too long or too deep
 */
export async function* readJsonObjects(
  chunks: AsyncIterable<TextChunk>,
): AsyncGenerator<Iterable<JsonObject>> {
  const scan: Scan = { line: 1, arrays: 0, last: "bracket" };
  for await (const { text, line } of chunks) {
    scan.line = line;
    yield scanObjects(scan, text);
  }
  if (scan.object)
    throw new UnreadableError("is the start of a JSON object that never ends", scan.object.line);
  if (scan.arrays > 0) throw new UnreadableError("ends inside an array", scan.line);
}

/** Takes all objects that end in this part of the text. */
function* scanObjects(scan: Scan, text: string): Generator<JsonObject> {
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (!scan.object && character !== "{") {
      skip(scan, character);
      at++;
      continue;
    }
    scan.object ??= startObject(scan);
    const { object } = scan;
    const end = scanObject(scan, object, text, at);
    object.text += text.slice(at, end);
    if (object.text.length > MAX_LENGTH)
      throw new UnreadableError(
        `is a JSON object of more than 8 MB, or one that never ends; ${GUIDE}`,
        object.line,
      );
    at = end;
    if (object.depth > 0) continue;
    scan.object = undefined;
    yield object;
  }
}

/** Skips a character between objects. In an array, exactly one comma is between two of them; elsewhere, there is none. */
function skip(scan: Scan, character: string): void {
  const { arrays, last, line } = scan;
  if (character === "\n") scan.line++;
  else if (character === "[") {
    requireComma(scan);
    [scan.arrays, scan.last] = [arrays + 1, "bracket"];
  } else if (character === "," && arrays > 0 && last === "item") scan.last = "comma";
  else if (character === "]" && arrays > 0 && last !== "comma")
    [scan.arrays, scan.last] = [arrays - 1, "item"];
  else if (character === "," || (character === "]" && arrays > 0))
    throw new UnreadableError("has a comma that is not between two records of an array", line);
  // A file that was concatenated may begin with a byte order mark.
  else if (!(arrays > 0 ? " \t\r" : " \t\r\ufeff").includes(character))
    throw new UnreadableError("is not a record or a page in JSON", line);
}

function requireComma({ arrays, last, line }: Scan): void {
  if (arrays > 0 && last === "item")
    throw new UnreadableError("has no comma between two records of an array", line);
}

function startObject(scan: Scan): OpenObject {
  requireComma(scan);
  scan.last = "item";
  const counts = { keys: 0, depth: 0, values: 0 };
  return { text: "", line: scan.line, innerLines: [], ...counts, isInString: false, isEscaped: false };
}

/** @returns the index after the end of the object, or of the text if the object does not end in it */
function scanObject(scan: Scan, object: OpenObject, text: string, start: number): number {
  let { isInString, isEscaped } = object;
  let at = start;
  do {
    const character = text[at++] as string;
    if (isEscaped) isEscaped = false;
    else if (character === '"') isInString = !isInString;
    else if (isInString) isEscaped = character === "\\";
    else scanCharacter(scan, object, character);
  } while (object.depth > 0 && at < text.length);
  object.isInString = isInString;
  object.isEscaped = isEscaped;
  return at;
}

/** Notes a character outside of strings. */
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
  if (++object.values > MAX_VALUES)
    throw new UnreadableError(`is a JSON object with more than ${MAX_VALUES} values; ${GUIDE}`, object.line);
}
