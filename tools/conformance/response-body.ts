import { Tokenizer, TokenType } from "@streamparser/json";
import { formatValue } from "../../data/formatting.ts";
import { TrafficRecord } from "../../src/records/record.ts";

/** A number that is not written as an integer (`1.0`, `1e3`), or that JavaScript cannot represent exactly. */
export class NumberLiteral {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

const INTEGER = /^-?\d+$/;

/** A hundred times the size of a page. Of a larger body, the spelling of numbers and repeated names are not checked. */
const MAX_CHECKED_BYTES = 1024 * 1024;

/** Whether a body is far too large for a page, so that reading it often would take too long. */
export function isOversized(body: Uint8Array): boolean {
  return body.length > MAX_CHECKED_BYTES;
}

/** Far more levels than a page has, and far fewer than would overflow the stack of a recursive function. */
const MAX_LEVELS = 500;

/**
 * Parses the body of a response, which must be UTF-8 without a byte order mark (RFC 8259, 8.1). Numbers that are not
 * written as integers become `NumberLiteral`.
 * @returns the value, and what is wrong with the text; no value if it is not JSON
 */
export function parseBody(body: Uint8Array): { value?: unknown; error?: string } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return { error: "the body is not UTF-8" };
  }
  if (countLevels(text) > MAX_LEVELS)
    return { error: `the body has more than ${MAX_LEVELS} levels of objects and arrays` };
  try {
    if (isOversized(body)) return { value: JSON.parse(text) };
    const value: unknown = JSON.parse(text, keepLiteral);
    const duplicate = findDuplicateName(body);
    if (duplicate === undefined) return { value };
    return { value, error: `the body has the name ${formatValue(duplicate)} twice in one object` };
  } catch {
    return { error: `the body is not JSON: ${formatValue(text.slice(0, MAX_QUOTED))}` };
  }
}

/** More than a message shows. */
const MAX_QUOTED = 100;

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE] = [...'"\\[]{}'].map((one) =>
  one.charCodeAt(0),
);

/** How deep the objects and arrays of a JSON text are nested, found without recursion. */
function countLevels(text: string): number {
  let [level, levels] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = findStringEnd(text, index);
    else if (code === OPEN || code === OPEN_BRACE) levels = Math.max(levels, ++level);
    else if (code === CLOSE || code === CLOSE_BRACE) level -= 1;
  }
  return levels;
}

/** The index of the quote that closes a string, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function keepLiteral(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number") return value;
  const source = context?.source ?? String(value);
  return INTEGER.test(source) && Number.isSafeInteger(value) ? value : new NumberLiteral(source);
}

/** The first name that an object of a JSON text has twice (RFC 8259, 4: the behaviour of its readers is unpredictable). */
function findDuplicateName(json: Uint8Array): string | undefined {
  const objects: Set<string>[] = [];
  let string = "";
  let duplicate: string | undefined;
  const tokenizer = new Tokenizer();
  tokenizer.onToken = ({ token, value }) => {
    if (token === TokenType.STRING) string = String(value);
    else if (token === TokenType.LEFT_BRACE) objects.push(new Set());
    else if (token === TokenType.RIGHT_BRACE) objects.pop();
    else if (token === TokenType.COLON) {
      const names = objects.at(-1);
      if (names?.has(string)) duplicate ??= string;
      names?.add(string);
    }
  };
  tokenizer.write(json);
  return duplicate;
}

// The functions below take values that `parseBody` returned.

/** An integer of any size. */
export function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) || (value instanceof NumberLiteral && INTEGER.test(value.text));
}

/** An integer of any size, 0 or greater. */
export function isCount(value: unknown): boolean {
  return isInteger(value) && Number(value instanceof NumberLiteral ? value.text : value) >= 0;
}

/** An integer from 0 to 2^53, as the number of records of any collection is. */
export function isSafeCount(value: unknown): value is number {
  return typeof value === "number" && isCount(value);
}

/** A date-time that exists, in the shape of the specification. */
export function isTimestamp(value: unknown): value is string {
  return TrafficRecord.shape.timestamp.safeParse(value).success;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
  );
}

/** Formats a value as it is written in the body, shortened; `missing` if there is none. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "missing";
  return value instanceof NumberLiteral ? value.text : formatValue(value);
}
