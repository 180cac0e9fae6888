import { formatOptionValue } from "./option-syntax.ts";
import {
  hasFault,
  hasVisibleFault,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionValues,
} from "./option-table.ts";
import { formatPreference } from "./prefer-header.ts";

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
 */
export function listAppliedOptions(values: OptionValues, active: OptionValues): AppliedOptions {
  const isListed = (name: OptionName) => values[name] !== undefined || decidesAboutFaults(name, values);
  const listed = OPTION_NAMES.filter(isListed).map((name) => [name, active[name]]);
  return { values, formatted: formatOptions(Object.fromEntries(listed)) };
}

/** Whether an option is a condition or the seed of the applied faults. `fail` does not apply to `delay`. */
function decidesAboutFaults(name: OptionName, applied: OptionValues): boolean {
  if (name === "fail") return hasVisibleFault(applied);
  const isConditionOrSeed = OPTIONS[name].kind === "condition" || name === "seed";
  return isConditionOrSeed && hasFault(applied);
}

/** Formats options as in the header `Prefer`. */
export function formatOptions(values: OptionValues): string[] {
  const names = OPTION_NAMES.filter((name) => values[name] !== undefined);
  return names.map((name) => formatPreference({ name, value: formatOptionValue(values[name]) }));
}
