import { Tokenizer, TokenType } from "@streamparser/json";
import { formatValue } from "../command-line/format.ts";

/** A number that is written otherwise than as an integer (`1.0`, `1e3`), or too large to be held exactly. */
export class WrittenNumber {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

const INTEGER = /^-?\d+$/;

/**
 * Parses the body of an answer, which must be UTF-8 without a byte order mark (RFC 8259, 8.1). Numbers that are not
 * integers as they are written become `WrittenNumber`.
 * @returns the value, and what is wrong with the text; without value if it is not JSON
 */
export function parseBody(body: Uint8Array): { value?: unknown; flaw?: string } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return { flaw: "the body is not UTF-8" };
  }
  try {
    const value: unknown = JSON.parse(text, keepWritten);
    const twice = findDuplicate(body);
    if (twice === undefined) return { value };
    return { value, flaw: `the body has the name ${formatValue(twice)} twice in one object` };
  } catch {
    return { flaw: `the body is not JSON: ${formatValue(text)}` };
  }
}

function keepWritten(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number") return value;
  const source = context?.source ?? String(value);
  return INTEGER.test(source) && Number.isSafeInteger(value) ? value : new WrittenNumber(source);
}

/** The first name that stands twice in an object of a JSON text (RFC 8259, 4: what that means is unpredictable). */
function findDuplicate(json: Uint8Array): string | undefined {
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

/** Whether a value of `parseBody` is an integer, of any size. */
export function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) || (value instanceof WrittenNumber && INTEGER.test(value.text));
}

/** Whether a value of `parseBody` is an integer, 0 or greater. */
export function isCount(value: unknown): boolean {
  return isInteger(value) && Number(value instanceof WrittenNumber ? value.text : value) >= 0;
}

/** Whether a value of `parseBody` is a count that is held exactly, as that of any collection can be. */
export function isTotal(value: unknown): value is number {
  return typeof value === "number" && isCount(value);
}

/** A value of `parseBody` as it is written, shortened. */
export function showValue(value: unknown): string {
  if (value === undefined) return "nothing";
  return value instanceof WrittenNumber ? value.text : formatValue(value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber)
  );
}
