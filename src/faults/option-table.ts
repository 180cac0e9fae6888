import { CONDITIONS } from "./conditions.ts";
import type { Option } from "./option.ts";
import { PAGE_OPTIONS } from "./page-faults.ts";
import { RESPONSE_OPTIONS } from "./response-options.ts";

/** Every option by its name. The documentation, the effects and `Preference-Applied` follow the order of this table. */
export const OPTIONS = { ...RESPONSE_OPTIONS, ...PAGE_OPTIONS, ...CONDITIONS };

export type OptionName = keyof typeof OPTIONS;

/** The parsed values of the options of a request. */
export type OptionValues = {
  [Name in OptionName]?: NonNullable<ReturnType<(typeof OPTIONS)[Name]["parse"]>>;
};

export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

/** An option with its value. */
export type OptionEntry = [name: OptionName, option: Option, value: unknown];

/** Lists the options that have a value, in the order of the table. */
export function listEntries(values: OptionValues): OptionEntry[] {
  const names = OPTION_NAMES.filter((name) => values[name] !== undefined);
  return names.map((name) => [name, OPTIONS[name] as Option, values[name]]);
}
