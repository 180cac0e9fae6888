import { JSONParser, TokenType } from "@streamparser/json";
import { UnreadableError } from "./problem.ts";

/** A value of the input that should be a record or an envelope. */
export interface Entry {
  value: unknown;
  /** The line in which it starts. */
  line: number;
}

/** Whole documents, the elements of an array, the records of an envelope, the records of an envelope in an array. */
const PATHS = ["$", "$.*", "$.results.*", "$.*.results.*"];

/**
 * Creates a parser for JSON documents that follow each other with or without white space. Both methods throw
 * `UnreadableError` if the text is not JSON.
 */
export function createJsonParser() {
  const parser = new JSONParser({ separator: "", paths: PATHS });
  const startLines: number[] = [];
  const entries: Entry[] = [];
  let line = 0;
  let closedStart = 0;
  parser.onToken = ({ token }) => {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) startLines.push(line);
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET)
      closedStart = startLines.pop() ?? line;
  };
  parser.onValue = ({ value, parent }) => {
    // Emitted values are removed from their array, as the parser itself does for values that it does not keep.
    if (Array.isArray(parent)) parent.length -= 1;
    const isEntry = parent === undefined ? !Array.isArray(value) : Array.isArray(parent);
    if (isEntry) entries.push({ value, line: typeof value === "object" && value ? closedStart : line });
  };
  return {
    /**
     * Takes the next line and yields the entries that end in it: each record as soon as it is complete, and the envelope
     * without its records after them, so that memory holds one record at a time.
     */
    *write(next: { text: string; line: number }): Generator<Entry> {
      line = next.line;
      const failed = fails(() => parser.write(next.text));
      yield* entries.splice(0);
      if (!failed) return;
      const context = startLines.length > 0 ? ` inside the value that starts in line ${startLines[0]}` : "";
      throw new UnreadableError(`is not valid JSON${context}`, line, next.text.trim());
    },
    /** Checks that the last value is complete. */
    end(): void {
      if (!fails(() => parser.end())) return;
      throw new UnreadableError(
        `ends inside the JSON value that starts in line ${startLines[0] ?? line}`,
        line,
      );
    },
  };
}

function fails(action: () => void): boolean {
  try {
    action();
    return false;
  } catch {
    return true;
  }
}
