import type { AppContext } from "../bindings.ts";
import { formatOptionValue } from "./option-syntax.ts";
import { CONDITION_NAMES, hasFault, OPTION_NAMES, type OptionValues } from "./option-table.ts";
import type { MutablePage, PageChange } from "./page-faults.ts";
import { formatPreference, type Preference } from "./prefer-header.ts";

/** Where options come from: the client's header `Prefer` or parameter `prefer`, or the setting PREFER of the deployment. */
export type OptionSource = "header" | "query" | "setting";

/** The effects of options on a response. */
export interface Effects {
  /** The options that had an effect, with the conditions and the seed that decided about it. */
  options: OptionValues;
  /** What they changed in the page. */
  changes: PageChange[];
  /** The page with these changes, before a fault breaks its body. Undefined without a page, or if no option can change its text. */
  page?: MutablePage | undefined;
  /** Whether the connection closes before the response. */
  isClosed?: boolean;
}

/** The options that affected a response. */
export interface AppliedOptions extends Effects {
  source: OptionSource;
  /** The rule that they come from, such as rule 2 of 3, if there are several. */
  rule?: { number: number; of: number } | undefined;
  /** The first condition that was not met, of each rule that did not apply. */
  unmet: Preference[];
}

declare module "hono" {
  interface ContextVariableMap {
    /** Read by the HTML view. Undefined if the request has no options. */
    applied?: AppliedOptions;
  }
}

/** Notes the options that affect the response to a request, for the HTML view, and for the package, which gets no context back. */
export function noteApplied(c: AppContext, applied: AppliedOptions): void {
  c.set("applied", applied);
  c.executionCtx.props.onApplied?.(applied);
}

/** Whether a client sees faults in the response, and not only in its time. */
export function isChanged({ options, changes }: Effects): boolean {
  const { code, hang, body } = options;
  const isTextChanged = body !== undefined && body !== "slow";
  return code !== undefined || hang === true || isTextChanged || changes.length > 0;
}

/** Adds to the effects on a response the conditions and the seed that decided about them, as `Preference-Applied` lists them. */
export function addConditions(effects: OptionValues, active: OptionValues): OptionValues {
  if (!hasFault(effects)) return effects;
  const names = [...CONDITION_NAMES, "seed"] as const;
  return { ...Object.fromEntries(names.map((name) => [name, active[name]])), ...effects };
}

/** Formats options as in the header `Prefer`. */
export function formatOptions(options: OptionValues): string[] {
  return listOptions(options).map(formatPreference);
}

/** Formats options as in the parameter `prefer`: without the quotes of a header, and with the sign of `count`. */
export function formatTyped(options: OptionValues): string {
  const typed = listOptions(options).map(({ name, value }) => {
    const sign = name === "count" && !value.startsWith("-") ? "+" : "";
    return value === "" ? name : `${name}=${sign}${value}`;
  });
  return typed.join(", ");
}

function listOptions(options: OptionValues): Preference[] {
  const names = OPTION_NAMES.filter((name) => options[name] !== undefined);
  return names.map((name) => ({ name, value: formatOptionValue(options[name]) }));
}
