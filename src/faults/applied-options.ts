import { formatOptionValue } from "./option-syntax.ts";
import {
  hasFault,
  hasVisibleFault,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionValues,
} from "./option-table.ts";
import type { BodyChange } from "./page-faults.ts";
import { formatPreference, type Preference } from "./prefer-header.ts";

/** Rule 2 of 3, for example. */
export interface RuleNumber {
  number: number;
  of: number;
}

/** The options that affected a response. */
export interface AppliedOptions {
  values: OptionValues;
  /** The rule that they come from, if there are several. */
  rule?: RuleNumber | undefined;
  /** What they changed in the body: first in the page, and then in its text. */
  changes: BodyChange[];
}

const NOTHING_APPLIED: AppliedOptions = { values: {}, changes: [] };

/** By request, because Hono copies responses. The request must reach `app.fetch` uncopied. */
const applied = new WeakMap<Request, AppliedOptions>();

/** Notes the options that affected the response to a request, for the HTML view and for the package. */
export function setApplied(request: Request, options: AppliedOptions): void {
  applied.set(request, options);
}

/** Gets the options that affected the response to a request. */
export function getApplied(request: Request): AppliedOptions {
  return applied.get(request) ?? NOTHING_APPLIED;
}

/**
 * Adds to the effects on a response the conditions and the seed that decided about them, as `Preference-Applied` lists them.
 * @param effects The options that changed or delayed the response, and `grow`
 * @param active The options whose conditions were met
 */
export function addConditions(effects: OptionValues, active: OptionValues): OptionValues {
  const names = OPTION_NAMES.filter((name) => decidesAboutFaults(name, effects));
  return { ...Object.fromEntries(names.map((name) => [name, active[name]])), ...effects };
}

/** Whether an option is a condition or the seed of faults. `fail` does not apply to `delay`. */
function decidesAboutFaults(name: OptionName, effects: OptionValues): boolean {
  if (name === "fail") return hasVisibleFault(effects);
  const isConditionOrSeed = OPTIONS[name].kind === "condition" || name === "seed";
  return isConditionOrSeed && hasFault(effects);
}

/** Formats options as in the header `Prefer`. */
export function formatOptions(values: OptionValues): string[] {
  return listOptions(values).map(formatPreference);
}

/** Formats options as in the parameter `prefer`: without the quotes of a header, and with the sign of `count`. */
export function formatTyped(values: OptionValues): string {
  const typed = listOptions(values).map(({ name, value }) => {
    const sign = name === "count" && !value.startsWith("-") ? "+" : "";
    return value === "" ? name : `${name}=${sign}${value}`;
  });
  return typed.join(", ");
}

function listOptions(values: OptionValues): Preference[] {
  const names = OPTION_NAMES.filter((name) => values[name] !== undefined);
  return names.map((name) => ({ name, value: formatOptionValue(values[name]) }));
}
