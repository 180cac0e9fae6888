import { escapeInvisible, formatCount, formatValue } from "../messages.ts";

/** A position in the input. */
export interface InputPosition {
  /** The file as the user named it; `-` is standard input. */
  file: string;
  /** Counted from 1; 0 is the file as a whole. */
  line: number;
}

/** What is wrong with a value. */
export interface ProblemDetail {
  field?: string;
  value?: unknown;
  /** Completes a sentence that starts with the field and the value, such as "is not a whole number". */
  message: string;
}

/** Why a part of the input cannot be loaded. */
export interface Problem extends InputPosition, ProblemDetail {}

/** Thrown by a reader that cannot continue with its file. */
export class UnreadableError extends Error {
  line: number;

  constructor(message: string, line = 0) {
    super(message);
    this.line = line;
  }
}

/** Input that cannot be loaded; the message lists its problems. */
export class InputError extends Error {}

/** Instead of a file, the array that records in memory come from; its lines are the records. */
export const ARRAY = "records[]";

/** Formats a position: `counts.csv:17`, or `records[16]`. */
export function formatPosition({ file, line }: InputPosition): string {
  if (file === ARRAY) return `records[${line - 1}]`;
  const name = file === "" ? '""' : escapeInvisible(file);
  return line > 0 ? `${name}:${line}` : name;
}

/** Formats a problem as one line: `counts.csv:17: cars "many" is not a whole number, 0 or greater`. */
export function formatProblem(problem: Problem): string {
  return `${formatPosition(problem)}: ${formatDetail(problem)}`;
}

function formatDetail({ field, value, message }: ProblemDetail): string {
  const words = [escapeInvisible(message)];
  if (value !== undefined) words.unshift(formatValue(value));
  if (field !== undefined) words.unshift(/^\w+$/.test(field) ? field : formatValue(field));
  return words.join(" ");
}

/** A problem as it is shown, without its value, which may be large. */
interface Shown extends InputPosition {
  detail: string;
  /** How many positions it is in; this is the first. */
  times: number;
}

/** Any further problems are only counted. */
const MAX_SHOWN = 20;

const MODEL_HINT = "Only model tf1 is served; --model-name tf1 loads files of other models as such.";

/**
 * Keeps the first problems in the order of files and lines, and counts all.
 * @param files in their order
 */
export function createProblemList(files: readonly string[]) {
  let first: Shown[] = [];
  let count = 0;
  let isModelWrong = false;
  const compare = (one: InputPosition, other: InputPosition) =>
    files.indexOf(one.file) - files.indexOf(other.file) || one.line - other.line;
  return {
    add(problem: Problem): void {
      count++;
      const { file, line, field, value } = problem;
      const last = first[MAX_SHOWN - 1];
      if (field !== "model_name" && last && compare(problem, last) >= 0) return;
      const detail = formatDetail(problem);
      // A record without a model cannot be loaded as one of another model.
      isModelWrong ||= field === "model_name" && typeof value === "string";
      // A file of another model has this problem in each line, so it is shown once.
      const known = field === "model_name" && first.find((shown) => shown.detail === detail);
      if (known) known.times++;
      else first = [...first, { file, line, detail, times: 1 }].sort(compare).slice(0, MAX_SHOWN);
    },
    /**
     * @param conclusion the last line of the message
     * @throws InputError if there are problems
     */
    requireNone(conclusion: string): void {
      if (count === 0) return;
      const more = count - first.reduce((sum, { times }) => sum + times, 0);
      const format = ({ detail, times, ...position }: Shown) =>
        `${formatPosition(position)}: ${detail}${times > 1 ? ` (and in ${times - 1} more)` : ""}`;
      const lines = [...(isModelWrong ? [MODEL_HINT] : []), ...first.map(format)];
      if (more > 0) lines.push(`and ${formatCount(more, "more problem")}`);
      throw new InputError([...lines, conclusion].join("\n"));
    },
  };
}
