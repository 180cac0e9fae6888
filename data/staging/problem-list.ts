import { MAX_SHOWN_PROBLEMS, type Problem } from "../formats/problem.ts";

/** Takes the files of a load, gives a list that keeps their first 20 problems in the order of files and lines. */
export function createProblemList(files: readonly string[]) {
  const ranks = new Map(files.map((file, rank) => [file, rank]));
  const rank = (problem: Problem) => ranks.get(problem.file) ?? files.length;
  const first: Problem[] = [];
  let count = 0;
  return {
    first,
    count: () => count,
    add(problem: Problem): void {
      count++;
      const after = (other: Problem) => rank(other) - rank(problem) || other.line - problem.line;
      const at = first.findIndex((other) => after(other) > 0);
      first.splice(at === -1 ? first.length : at, 0, problem);
      first.length = Math.min(first.length, MAX_SHOWN_PROBLEMS);
    },
  };
}
