import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { UnreadableError } from "./problem.ts";
import { InexactNumber } from "./validation.ts";

/** A value of the input that should be a record or an envelope. */
export interface Entry {
  value: unknown;
  /** The line in which it starts. */
  line: number;
}

/** Records have one level, and pages in an array four. */
const MAX_DEPTH = 100;

/** Whole documents, the elements of an array, the records of an envelope, the records of an envelope in an array. */
const PATHS = ["$", "$.*", "$.results.*", "$.*.results.*"];

/** Replaces numbers that would be read as other ones. */
class ExactTokenizer extends Tokenizer {
  override parseNumber(text: string): number {
    return parseNumber(text) as number;
  }
}

/** A number of JavaScript holds every whole number up to 2^53, and every number of 15 digits unless it is very small. */
function parseNumber(text: string): number | InexactNumber {
  const value = Number(text);
  const digits = text.replace(/e.*/i, "").replaceAll(/[-.]/g, "").replace(/^0+/, "");
  const isWhole = /^-?\d+$/.test(text) && Number.isSafeInteger(value);
  const isShort = digits.length <= 15 && Number.isFinite(value) && (value !== 0 || digits === "");
  return isWhole || isShort ? value : new InexactNumber(text);
}

/** Follows the nesting of a document, and refuses what would be lost or is too deep. */
function createNesting() {
  const open: { startLine: number; keys: Set<unknown> }[] = [];
  let key: unknown;
  const nesting = {
    line: 0,
    /** The line in which the last closed value started. */
    closedStart: 0,
    /** The line in which the document started, if it is not complete. */
    startLine: () => open[0]?.startLine,
    problem: undefined as UnreadableError | undefined,
    onToken({ token, value }: { token: TokenType; value: unknown }): void {
      if (token === TokenType.STRING) key = value;
      else if (token === TokenType.COLON) addKey();
      else if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) enter();
      else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET)
        nesting.closedStart = open.pop()?.startLine ?? nesting.line;
    },
  };
  const refuse = (message: string) => {
    nesting.problem = new UnreadableError(message, nesting.line);
    throw nesting.problem;
  };
  const addKey = () => {
    const keys = open.at(-1)?.keys;
    if (keys?.has(key)) refuse(`has the key ${JSON.stringify(key)} twice in one object`);
    keys?.add(key);
  };
  const enter = () => {
    if (open.length === MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} levels deep`);
    open.push({ startLine: nesting.line, keys: new Set() });
  };
  return nesting;
}

/**
 * Creates a parser for JSON documents that follow each other with or without white space. It accepts only what can be read
 * without a loss. Both methods throw `UnreadableError` if the text is not such JSON.
 */
export function createJsonParser() {
  const tokenizer = new ExactTokenizer({ separator: "" });
  const parser = new TokenParser({ separator: "", paths: PATHS });
  const nesting = createNesting();
  const entries: Entry[] = [];
  tokenizer.onToken = (token) => {
    nesting.onToken(token);
    parser.write(token);
  };
  tokenizer.onEnd = () => parser.isEnded || parser.end();
  parser.onError = tokenizer.error.bind(tokenizer);
  parser.onValue = ({ value, parent }) => {
    // Emitted values are removed from their array, as the parser itself does for values that it does not keep.
    if (Array.isArray(parent)) parent.length -= 1;
    const isEntry = parent === undefined ? !Array.isArray(value) : Array.isArray(parent);
    const line = typeof value === "object" && value ? nesting.closedStart : nesting.line;
    if (isEntry) entries.push({ value, line });
  };
  return {
    /**
     * Takes the next line and yields the entries that end in it: each record as soon as it is complete, and the envelope
     * without its records after them, so that memory holds one record at a time.
     */
    *write({ text, line }: { text: string; line: number }): Generator<Entry> {
      nesting.line = line;
      const failed = fails(() => tokenizer.write(text));
      yield* entries.splice(0);
      if (!failed) return;
      if (nesting.problem) throw nesting.problem;
      const start = nesting.startLine();
      const context = start === undefined ? "" : ` inside the value that starts in line ${start}`;
      throw new UnreadableError(`is not valid JSON${context}`, line, text.trim());
    },
    /** Checks that the last value is complete. */
    end(): void {
      if (!fails(() => tokenizer.end())) return;
      const start = nesting.startLine() ?? nesting.line;
      throw new UnreadableError(`ends inside the JSON value that starts in line ${start}`, nesting.line);
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
