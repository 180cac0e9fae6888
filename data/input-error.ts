import { formatProblem, MAX_SHOWN_PROBLEMS, type Problem } from "./formats/problem.ts";
import { formatCount } from "./formatting.ts";
import type { Staged } from "./staging.ts";

const MODEL_HINT =
  "The collection serves only model tf1; npm run data -- load --model-name tf1 loads other models as such.";

/** Input that cannot be loaded; the message lists its problems, a line each. */
export class InputError extends Error {
  /**
   * @param problems all of them or the first ones, in the order of the input
   * @param count how many there are
   * @param conclusion the last line
   */
  constructor(problems: Problem[], count: number, conclusion: string) {
    const shown = problems.slice(0, MAX_SHOWN_PROBLEMS);
    const lines = shown.map(formatProblem);
    const more = count - shown.reduce((sum, { times = 1 }) => sum + times, 0);
    if (more > 0) lines.push(`and ${formatCount(more, "more problem")}`);
    // Where there is no model, none can be served as another.
    const isModelWrong = shown.some(
      ({ field, value }) => field === "model_name" && typeof value === "string",
    );
    super([...(isModelWrong ? [MODEL_HINT] : []), ...lines, conclusion].join("\n"));
  }
}

/**
 * Requires that staged records can be loaded.
 * @param conclusion the last line of the message
 * @throws InputError if they have problems; they are then removed
 */
export function requireLoadable(staged: Staged, conclusion: string): Staged {
  const { problems, problemCount } = staged;
  if (problemCount === 0) return staged;
  staged.close();
  throw new InputError(problems, problemCount, conclusion);
}

/** How many records, how many of them were corrected, and how many were left out. */
export function summarise({ count, zeroed, duplicates }: Staged): string {
  const corrected = `${zeroed} of them with camera_ok "False" had counts above 0, which are now 0`;
  const skipped = `skipped ${duplicates} with the camera and the timestamp of an earlier one`;
  const remarks = [...(zeroed > 0 ? [corrected] : []), ...(duplicates > 0 ? [skipped] : [])];
  return `${formatCount(count, "record")}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`;
}
