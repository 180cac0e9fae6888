import {
  BODY_FAULTS,
  NEXT_FAULTS,
  OPTION_DOCS,
  type OptionName,
  RECORD_FAULTS,
  ROW_FAULTS,
} from "./option-docs.ts";
import {
  LARGEST_CUT,
  LEAST_RATE,
  parseDelay,
  parseFlag,
  parseGrowth,
  parseMediaType,
  parseOffset,
  parseOutage,
  parseRetryAfter,
  parseShare,
  parseTarget,
  parseTime,
  parseWhole,
} from "./option-values.ts";
import type { Preference } from "./prefer-header.ts";
import { findNearest } from "./spelling.ts";

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T | undefined =>
    values.find((value) => value === text);

/** How the value of each option is read. */
const PARSERS = {
  code: (text: string) => parseWhole(text, 400, 599),
  delay: parseDelay,
  fail: parseShare,
  seed: (text: string) => parseWhole(text, 0, Number.MAX_SAFE_INTEGER),
  on: parseTarget,
  outage: parseOutage,
  until: parseTime,
  body: oneOf(BODY_FAULTS),
  cut: (text: string) => parseWhole(text, 0, LARGEST_CUT),
  rate: (text: string) => parseWhole(text, LEAST_RATE, Number.MAX_SAFE_INTEGER),
  hang: parseFlag,
  "retry-after": parseRetryAfter,
  rows: oneOf(ROW_FAULTS),
  count: parseOffset,
  next: oneOf(NEXT_FAULTS),
  record: oneOf(RECORD_FAULTS),
  type: parseMediaType,
  grow: parseGrowth,
  strict: parseFlag,
} satisfies Record<OptionName, (text: string) => unknown>;

/** The options of the mock in a request; undefined if an option is absent or has an invalid value. */
export type MockOptions = { [K in OptionName]: ReturnType<(typeof PARSERS)[K]> | undefined };

/** Preferences of other specifications: RFC 7240, RFC 8144 and RFC 8674. Names with a dot belong to OData. */
const OTHER_PREFERENCES = /^(?:respond-async|return|wait|handling|depth-noroot|safe|.*\..*)$/;

/**
 * Reads the options of a request. If an option is repeated, the first one counts (RFC 7240, 2).
 * @param preferences in their order of precedence
 * @returns the options, and a sentence about each preference that is ignored because its name is unknown or its value is
 *   invalid. The sentences are printable ASCII, because a header carries them.
 */
export function readOptions(preferences: Preference[]): { options: MockOptions; warnings: string[] } {
  const warnings: string[] = [];
  const options: Record<string, unknown> = {};
  for (const { name, value: describedAs } of OPTION_DOCS) {
    const preference = preferences.find((one) => one.name === name);
    const value = preference && PARSERS[name](preference.value.toLowerCase());
    if (preference && value === undefined)
      warnings.push(`${quote(preference)} is ignored: ${name} must be ${describedAs}`);
    options[name] = value;
  }
  const unknown = preferences.filter(({ name }) => !(name in PARSERS) && !OTHER_PREFERENCES.test(name));
  for (const preference of unknown.slice(0, MAX_UNKNOWN)) warnings.push(writeUnknown(preference));
  return { options: options as MockOptions, warnings };
}

/** More of them would make the header too long. */
const MAX_UNKNOWN = 5;

function writeUnknown(preference: Preference): string {
  const nearest = findNearest(
    preference.name,
    OPTION_DOCS.map(({ name }) => name),
  );
  const hint = nearest === undefined ? "" : `, did you mean ${nearest}?`;
  return `${quote(preference)} is ignored: unknown preference${hint}`;
}

/** How many characters of a preference a warning repeats. */
const LONGEST_QUOTE = 40;

function quote({ text }: Preference): string {
  const start = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text;
  return start.replaceAll(/[^\x20-\x7e]/g, "?");
}
