import { escapeInvisible, formatValue } from "../formatting.ts";

/** A place in the input. */
export interface Place {
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
export interface Problem extends Place, ProblemDetail {
  /** How many places it is in; this is the first. By default one. */
  times?: number;
}

/** Any further problems are only counted. */
export const MAX_SHOWN_PROBLEMS = 20;

/** Thrown by a reader that cannot continue with its file. */
export class UnreadableError extends Error {
  line: number;

  constructor(message: string, line = 0) {
    super(message);
    this.line = line;
  }
}

/** In place of a file, the array that records in memory come from; its lines are the records. */
export const ARRAY = "records[]";

/** Formats a place: `counts.csv:17`, or `records[16]`. */
export function formatPlace({ file, line }: Place): string {
  if (file === ARRAY) return `records[${line - 1}]`;
  const name = file === "" ? '""' : escapeInvisible(file);
  return line > 0 ? `${name}:${line}` : name;
}

/** Formats a problem as one line: `counts.csv:17: cars "many" is not a whole number, 0 or greater`. */
export function formatProblem({ field, value, message, times = 1, ...place }: Problem): string {
  const words = [escapeInvisible(message)];
  if (value !== undefined) words.unshift(formatValue(value));
  if (field !== undefined) words.unshift(/^\w+$/.test(field) ? field : formatValue(field));
  if (times > 1) words.push(`(and in ${times - 1} more)`);
  return `${formatPlace(place)}: ${words.join(" ")}`;
}

/**
 * Keeps the first problems in the order of files and lines, and counts all.
 * @param files in their order
 */
export function createProblemList(files: readonly string[]) {
  const indexOf = ({ file }: Problem) => (files.includes(file) ? files.indexOf(file) : files.length);
  const compare = (one: Problem, other: Problem) => indexOf(one) - indexOf(other) || one.line - other.line;
  const models = new Map<string, Problem>();
  let first: Problem[] = [];
  let count = 0;
  return {
    first: () => first,
    count: () => count,
    add(problem: Problem): void {
      count++;
      // A file of another model has this problem in each line, so it is shown once.
      const model = problem.field === "model_name" ? JSON.stringify(problem.value) : undefined;
      const known = model === undefined ? undefined : models.get(model);
      if (known) {
        known.times = (known.times ?? 1) + 1;
        return;
      }
      const kept = { ...problem };
      if (model !== undefined && models.size < MAX_SHOWN_PROBLEMS) models.set(model, kept);
      const at = first.findIndex((other) => compare(other, kept) > 0);
      first = first.toSpliced(at === -1 ? first.length : at, 0, kept).slice(0, MAX_SHOWN_PROBLEMS);
    },
  };
}
