import { formatValue } from "../../tools/command-line/format.ts";
import type { Problem, ProblemDetail } from "./source.ts";

/** Problems that are told; of any more, how many there are. */
export const SHOWN = 20;

/** Thrown by a reader that cannot go on with its file. `line` is 0 where the file as a whole is meant. */
export class Unreadable extends Error {
  line: number;
  value: unknown;

  constructor(message: string, line = 0, value?: unknown) {
    super(message);
    this.line = line;
    this.value = value;
  }
}

/** Takes a problem, gives it as one line: `counts.csv:17: cars: "many" is not a whole number, 0 or greater`. */
export function formatProblem({ file, line, ...detail }: Problem): string {
  return `${line > 0 ? `${file}:${line}` : file}: ${formatDetail(detail)}`;
}

/** For example `cars: "many" is not a whole number, 0 or greater`. */
export function formatDetail({ field, value, message }: ProblemDetail): string {
  const predicate = value === undefined ? message : `${formatValue(value)} ${message}`;
  if (field === undefined) return predicate;
  return `${/^\w+$/.test(field) ? field : formatValue(field)}: ${predicate}`;
}
