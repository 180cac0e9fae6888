import { escapeInvisible } from "../../../src/escape.ts";
import { formatCount, formatValue } from "../../messages.ts";

export interface InputPosition {
  /** The path of the file from the command line; `-` is standard input. */
  file: string;
  /** Counted from 1; 0 means the whole file. */
  line: number;
}

export interface ProblemDetail {
  field?: string;
  value?: unknown;
  /** Follows the field and the value in a line, such as "is not a whole number". */
  message: string;
  /** Problems with the same field and cause are grouped. The default is the message. */
  cause?: string;
}

export interface Problem extends InputPosition, ProblemDetail {}

/** Thrown if the rest of a file cannot be read. */
export class UnreadableError extends Error {
  line: number;

  constructor(message: string, line = 0) {
    super(message);
    this.line = line;
  }
}

/** The end of a message about a file in an unsupported format. */
export const CONVERSION_HINT = 'see "Convert your own CSV" in docs/data.md';

/** The end of a message about a load that changed nothing. */
export const NOT_LOADED = "Nothing was loaded.";

/** Thrown for input that cannot be loaded. The message lists the problems. */
export class InputError extends Error {}

/** The longest body that replaces the records, decompressed: about 1,200,000 records, which are sorted while the service responds. */
export const MAX_BODY_BYTES = 64_000_000;

/** Thrown if the body of a request has too many bytes after decompression. */
export class TooLargeError extends Error {}

/** The `file` of a record in memory. Its `line` is the number of the record. */
export const IN_MEMORY_FILE = "records[]";

/** The `file` of a record in the JSON of a request's body. Its `line` is the number of the record. */
export const BODY_RECORDS = "body[]";

/** Formats a position: `counts.csv:17`, or `records[16]`. */
export function formatPosition({ file, line }: InputPosition): string {
  const isList = file === IN_MEMORY_FILE || file === BODY_RECORDS;
  if (isList) return file.replace("[]", `[${line - 1}]`);
  const name = file === "" ? '""' : escapeInvisible(file);
  return line > 0 ? `${name}:${line}` : name;
}

/** Formats a problem as one line: `counts.csv:17: cars "many" is not a whole number, 0 or greater`. */
export function formatProblem({ field, value, message, ...position }: Problem): string {
  const words = [escapeInvisible(message)];
  if (value !== undefined) words.unshift(formatValue(value));
  if (field !== undefined) words.unshift(/^\w+$/.test(field) ? field : formatValue(field));
  return `${formatPosition(position)}: ${words.join(" ")}`;
}

const MAX_SHOWN = 3;

/** The number of causes whose problems are shown. Problems with more causes are only counted. */
const MAX_CAUSES = 10;

const MODEL_HINT =
  "Only model tf1 is supported. To load records of another model as tf1, use --model-name tf1, or modelName in JavaScript.";

/**
 * Groups problems by their cause, and counts them.
 * @param files The names of the files in their order
 * @param max The number of problems after which the input is not read further
 */
export function createProblemList(files: readonly string[], max = Number.POSITIVE_INFINITY) {
  // The shown problems are formatted, because their values may be large.
  const groups = new Map<string, { first: InputPosition; shown: string[]; count: number }>();
  let others = 0;
  let total = 0;
  let hasOtherModel = false;
  const list = {
    /**
     * Problems with the same cause must be added in the order of their files and lines.
     * @throws InputError if there are too many
     */
    add(problem: Problem): void {
      if (++total > max) {
        const lines = [...list.lines(), `Stopped after ${max} problems. ${NOT_LOADED}`];
        throw new InputError(lines.join("\n"));
      }
      const { file, line, field, value, message, cause = message } = problem;
      // At the end of a file that was cut, a part of the name is no other name.
      hasOtherModel ||= field === "model_name" && typeof value === "string" && !"tf1".startsWith(value);
      const key = `${field} ${cause}`;
      const group = groups.get(key) ?? { first: { file, line }, shown: [], count: 0 };
      if (group.count === 0 && groups.size === MAX_CAUSES) {
        others++;
        return;
      }
      groups.set(key, group);
      group.count++;
      if (group.shown.length < MAX_SHOWN) group.shown.push(formatProblem(problem));
    },
    /** Lists the first problems of each cause and the number of the others, in the order of files and lines. */
    lines(): string[] {
      const sorted = [...groups.values()].sort(
        ({ first: one }, { first: other }) =>
          files.indexOf(one.file) - files.indexOf(other.file) || one.line - other.line,
      );
      const lines = sorted.flatMap(({ shown, count }) => [
        ...shown,
        ...(count > shown.length ? [`and ${count - shown.length} more like this`] : []),
      ]);
      if (others > 0) lines.push(`and ${formatCount(others, "more problem")}`);
      return hasOtherModel ? [MODEL_HINT, ...lines] : lines;
    },
  };
  return list;
}
