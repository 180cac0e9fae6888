import {
  hasFault,
  hasVisibleFault,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionValues,
} from "./option-table.ts";

/** The options that affected a response. */
export interface AppliedOptions {
  /** Without conditions. */
  values: OptionValues;
  /** The options as `Preference-Applied` lists them: with a fault, also its conditions and its seed. */
  formatted: string[];
}

export const NOTHING_APPLIED: AppliedOptions = { values: {}, formatted: [] };

/**
 * Lists the options that affected a response.
 * @param values The options without conditions
 * @param active The options with the conditions that were met
 * @param formatted All options of the request as `Preference-Applied` lists them
 */
export function listAppliedOptions(
  values: OptionValues,
  active: OptionValues,
  formatted: Map<OptionName, string>,
): AppliedOptions {
  const isListed = (name: OptionName) =>
    values[name] !== undefined || (active[name] !== undefined && decidesAboutFaults(name, values));
  return { values, formatted: OPTION_NAMES.filter(isListed).flatMap((name) => formatted.get(name) ?? []) };
}

/** Whether an option is a condition or the seed of the applied faults. `fail` does not apply to `delay`. */
function decidesAboutFaults(name: OptionName, applied: OptionValues): boolean {
  if (name === "fail") return hasVisibleFault(applied);
  return (OPTIONS[name].kind === "condition" || name === "seed") && hasFault(applied);
}
