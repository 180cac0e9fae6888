import { JSONParser, TokenType } from "@streamparser/json";
import { Unreadable } from "./problem.ts";

/** A value of the input that is a record or an envelope, or stands where one should. */
export interface Entry {
  value: unknown;
  /** The line where it begins. */
  line: number;
}

/** Whole documents, the elements of an array, the records of an envelope, the records of an array's envelope. */
const PATHS = ["$", "$.*", "$.results.*", "$.*.results.*"];

/**
 * Gives a parser for JSON documents that follow each other with or without white space. `write` takes the next
 * line and gives the entries that end in it: each record as soon as it is complete, and the envelope after its
 * records, without them, so that memory holds one record at a time. `end` checks that nothing is left open.
 * Both throw `Unreadable`.
 */
export function createDocumentParser() {
  const parser = new JSONParser({ separator: "", paths: PATHS });
  const begins: number[] = [];
  const entries: Entry[] = [];
  let line = 0;
  let begin = 0;
  parser.onToken = ({ token }) => {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) begins.push(line);
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) begin = begins.pop() ?? line;
  };
  parser.onValue = ({ value, parent }) => {
    // What has been given leaves its array, as the parser itself does it for values it does not keep.
    if (Array.isArray(parent)) parent.length -= 1;
    const isEntry = parent === undefined ? !Array.isArray(value) : Array.isArray(parent);
    if (isEntry) entries.push({ value, line: typeof value === "object" && value ? begin : line });
  };
  return {
    *write(next: { text: string; line: number }): Generator<Entry> {
      line = next.line;
      const failure = attempt(() => parser.write(next.text));
      yield* entries.splice(0);
      if (!failure) return;
      const context = begins.length > 0 ? ` after what begins in line ${begins[0]}` : "";
      throw new Unreadable(`is not JSON${context}`, line, next.text.trim());
    },
    end(): void {
      if (!attempt(() => parser.end())) return;
      throw new Unreadable(`ends before the JSON that begins in line ${begins[0] ?? line} is complete`, line);
    },
  };
}

function attempt(action: () => void): boolean {
  try {
    action();
    return false;
  } catch {
    return true;
  }
}
