import type { TextChunk } from "./input-file.ts";
import { UnreadableError } from "./problem.ts";

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

/** A text that is being read. */
interface Scan {
  text: string;
  line: number;
  /** The arrays that are open around the objects. */
  arrays: number;
}

/**
 * Finds the objects of a JSON text, which follow each other with or without white space, or are in arrays. It only looks for where
 * they start and end, so they may be invalid.
 * @throws UnreadableError at anything else, and at an object that does not end, is too long or too deep
 */
export async function* findObjects(chunks: AsyncIterable<TextChunk>): AsyncGenerator<Iterable<JsonObject>> {
  const scan: Scan = { text: "", line: 1, arrays: 0 };
  for await (const { text, line } of chunks) {
    if (scan.text === "") scan.line = line;
    scan.text += text;
    yield readObjects(scan);
    if (scan.text.length > MAX_LENGTH)
      throw new UnreadableError("is a JSON object of more than 8 MB, or one that never ends", scan.line);
  }
  if (scan.text !== "") throw new UnreadableError("is the start of a JSON object that never ends", scan.line);
  if (scan.arrays > 0) throw new UnreadableError("ends inside an array", scan.line);
}

/** Takes all whole objects from the text. */
function* readObjects(scan: Scan): Generator<JsonObject> {
  let at = 0;
  for (; at < scan.text.length; at++) {
    const code = scan.text.charCodeAt(at);
    if (code !== BRACE) {
      skip(scan, code);
      continue;
    }
    const { end, line, keys, innerLines } = scanObject(scan.text, at, scan.line);
    if (end < 0) break;
    yield { text: scan.text.slice(at, end + 1), line: scan.line, keys, innerLines };
    scan.line = line;
    at = end;
  }
  scan.text = scan.text.slice(at);
}

// Comparing the codes of characters is faster than comparing texts.
const [LINE_FEED, QUOTE, COLON, BACKSLASH] = [0x0a, 0x22, 0x3a, 0x5c] as const;
const [BRACKET, END_BRACKET, BRACE, END_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Skips a character between objects. */
function skip(scan: Scan, code: number): void {
  if (code === LINE_FEED) scan.line++;
  else if (code === BRACKET) scan.arrays++;
  else if (code === END_BRACKET && scan.arrays > 0) scan.arrays--;
  else if (!" \t\r,".includes(String.fromCharCode(code)))
    throw new UnreadableError("is not a record or a page in JSON", scan.line);
}

/** What was found in an object so far. */
interface Found extends Pick<JsonObject, "keys" | "line" | "innerLines"> {
  depth: number;
}

/** @returns where the object ends, and in which line; -1 if its end is missing */
function scanObject(text: string, start: number, line: number): Found & { end: number } {
  const found: Found = { depth: 0, keys: 0, line, innerLines: [] };
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== QUOTE) note(found, code);
    else at = findEndOfString(text, at + 1);
    if (at < 0) break;
    if (found.depth === 0) return { ...found, end: at };
  }
  return { ...found, end: -1 };
}

function note(found: Found, code: number): void {
  if (code === COLON) found.keys++;
  else if (code === LINE_FEED) found.line++;
  else if (code === END_BRACE || code === END_BRACKET) found.depth--;
  else if (code === BRACE || code === BRACKET) {
    if (found.depth === 2 && code === BRACE) found.innerLines.push(found.line);
    if (++found.depth > MAX_DEPTH)
      throw new UnreadableError(`is nested more than ${MAX_DEPTH} levels deep`, found.line);
  }
}

function findEndOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end);
    let backslashes = 0;
    while (text.charCodeAt(end - backslashes - 1) === BACKSLASH) backslashes++;
    if (end < 0 || backslashes % 2 === 0) return end;
    end++;
  }
}
