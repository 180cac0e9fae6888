import { formatValue } from "../formatting.ts";

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
export interface Problem extends Place, ProblemDetail {}

/** Any further problems are only counted. */
export const MAX_SHOWN_PROBLEMS = 20;

/** Thrown by a reader that cannot continue with its file. */
export class UnreadableError extends Error {
  line: number;
  value: unknown;

  constructor(message: string, line = 0, value?: unknown) {
    super(message);
    this.line = line;
    this.value = value;
  }
}

/** Formats a problem as one line: `counts.csv:17: cars "many" is not a whole number, 0 or greater`. */
export function formatProblem({ file, line, ...detail }: Problem): string {
  const name = file === "" ? '""' : file;
  return `${line > 0 ? `${name}:${line}` : name}: ${formatDetail(detail)}`;
}

/** Formats what is wrong without its place: `cars "many" is not a whole number, 0 or greater`. */
export function formatDetail({ field, value, message }: ProblemDetail): string {
  const words = [message];
  if (value !== undefined) words.unshift(formatValue(value));
  if (field !== undefined) words.unshift(/^\w+$/.test(field) ? field : formatValue(field));
  return words.join(" ");
}
