import { formatProblem, MAX_SHOWN_PROBLEMS, type Problem } from "./formats/problem.ts";
import type { Staged } from "./staging.ts";

/** Input that cannot be loaded; the message lists its problems, a line each. */
export class InputError extends Error {
  /**
   * @param problems all of them or the first ones, in the order of the input
   * @param count how many there are
   * @param conclusions lines that say what follows
   */
  constructor(problems: Problem[], count: number, ...conclusions: string[]) {
    const lines = problems.slice(0, MAX_SHOWN_PROBLEMS).map(formatProblem);
    const more = count - lines.length;
    if (more > 0) lines.push(`and ${more} more problem${more === 1 ? "" : "s"}`);
    super([...lines, ...conclusions].join("\n"));
  }
}

/**
 * Requires that staged records can be loaded.
 * @param conclude gives the last line of the message
 * @throws InputError if they have problems; they are then removed
 */
export function requireLoadable(staged: Staged, conclude: (staged: Staged) => string): Staged {
  const { problems, problemCount } = staged;
  if (problemCount === 0) return staged;
  staged.close();
  // Where there is no model, none can be served as another.
  const isModelWrong = problems.some(
    ({ field, value }) => field === "model_name" && typeof value === "string",
  );
  const hint = "The collection serves only model tf1; --model-name tf1 serves other models as such.";
  throw new InputError(problems, problemCount, ...(isModelWrong ? [hint] : []), conclude(staged));
}
