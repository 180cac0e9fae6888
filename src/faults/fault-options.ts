import type { AppContext } from "../bindings.ts";
import { HttpError } from "../http/errors.ts";
import { SettingError } from "../setting-error.ts";
import { formatOptionValue } from "./option-syntax.ts";
import {
  hasFault,
  hasKind,
  hasVisibleFault,
  isOptionName,
  OPTION_NAMES,
  OPTIONS,
  type OptionValues,
} from "./option-table.ts";
import { type Preference, parsePreferHeader, parsePreferParameter } from "./prefer-header.ts";

/** The valid options of a request or of a deployment. */
export interface FaultOptions {
  values: OptionValues;
  /** Whether the header `Prefer` has the option `grow`. Caches do not vary on this header. */
  growsByHeader: boolean;
  /** A message about each unknown, invalid or repeated option of the header. RFC 7240 requires servers to ignore such options. */
  warnings: string[];
  /** Whether the client set the options, and not the deployment. */
  isFromClient: boolean;
}

interface RequestedOptions extends FaultOptions {
  /** A message about each such option of the query parameter, which makes the request invalid. */
  errors: string[];
}

/**
 * Gets the options for a request: the client's options if at least one is valid (`none` counts), and otherwise the options of PREFER.
 * @returns undefined if there are no options, or if FAULTS is off
 * @throws 400 if the query has an unknown or invalid option
 */
export function getFaultOptions(c: AppContext, query: URLSearchParams): FaultOptions | undefined {
  const { FAULTS, PREFER = "" } = c.env;
  const header = c.req.header("Prefer") ?? "";
  const parameters = query.getAll("prefer");
  const isPlainRequest = PREFER === "" && header === "" && parameters.length === 0;
  if (FAULTS === "off" || isPlainRequest) return undefined;
  const { errors, ...requested } = parseFaultOptions(header, parameters);
  if (errors.length > 0) throw new HttpError(400, { detail: errors.join(" ") });
  if (hasOptions(requested.values)) return addDefaultFault(requested);
  const { warnings } = requested;
  const defaults = requireFaultOptions("PREFER", PREFER);
  if (hasOptions(defaults.values)) return addDefaultFault({ ...defaults, warnings });
  return warnings.length > 0 ? requested : undefined;
}

const hasOptions = (values: OptionValues) => Object.keys(values).length > 0;

/** Adds `code=503`, or `code=429` for `rate`, if there are conditions but no fault. A delay counts as a fault, except with `fail`, which does not apply to delays. */
function addDefaultFault(options: FaultOptions): FaultOptions {
  const { values } = options;
  const hasOwnFault = values.fail === undefined ? hasFault(values) : hasVisibleFault(values);
  if (hasOwnFault || !hasKind(values, "condition")) return options;
  return { ...options, values: { ...values, code: values.rate === undefined ? 503 : 429 } };
}

/**
 * Parses options that must be valid, such as the setting PREFER.
 * @param options A text such as `code=503, times=1`, or an object such as `{ code: 503, times: 1 }`
 * @throws SettingError if an option is unknown or invalid, with the same message for a text and for an object
 */
export function requireFaultOptions(setting: string, options: string | OptionValues): FaultOptions {
  const preferences = typeof options === "string" ? parsePreferParameter(options) : toPreferences(options);
  const { values, problems } = parseOptions(preferences);
  if (problems.length > 0) throw new SettingError(setting, options, `. ${problems.join(" ")}`);
  return { values, growsByHeader: false, warnings: [], isFromClient: false };
}

/** An option that is `false` is not set: typed clients send it so. */
function toPreferences(values: object): Preference[] {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== false);
  return entries.map(([name, value]) => ({ name, value: formatOptionValue(value) }));
}

/** Preferences of RFC 7240, RFC 8144 and RFC 8674. The header can contain these names without a warning. */
const OTHER_PREFERENCES = ["respond-async", "return", "wait", "handling", "depth-noroot", "safe"];

/** The names of OData have a dot. */
const isOtherPreference = ({ name }: Preference) => OTHER_PREFERENCES.includes(name) || name.includes(".");

/** Parses the options of a request. If the header has a valid option, the options of the query have no effect. */
export function parseFaultOptions(header: string, query: string[]): RequestedOptions {
  const inHeader = parseHeader(header);
  const inQuery = parseOptions(query.flatMap(parsePreferParameter));
  return {
    values: hasOptions(inHeader.values) ? inHeader.values : inQuery.values,
    growsByHeader: inHeader.values.grow !== undefined,
    warnings: inHeader.problems,
    errors: inQuery.problems,
    isFromClient: true,
  };
}

interface ParsedOptions {
  values: OptionValues;
  problems: string[];
}

/** A longer header `Prefer` is refused. It is the maximum length of a URL, and so of the query, too. */
const MAX_HEADER_LENGTH = 8_192;

function parseHeader(header: string): ParsedOptions {
  if (header.length > MAX_HEADER_LENGTH)
    return {
      values: {},
      problems: [`The header Prefer has more than ${MAX_HEADER_LENGTH} characters, and was ignored.`],
    };
  return parseOptions(parsePreferHeader(header).filter((preference) => !isOtherPreference(preference)));
}

/** The maximum number of problems that are described, because a header contains the descriptions. */
const MAX_DESCRIBED = 5;

/** Parses options that are in effect together. If an option is repeated, its first valid value counts in the header. */
function parseOptions(preferences: Preference[]): ParsedOptions {
  const values: OptionValues = {};
  const problems: string[] = [];
  for (const { name, value } of preferences) {
    const parsed = isOptionName(name) ? OPTIONS[name].parse(value.toLowerCase()) : undefined;
    if (parsed === undefined) problems.push(describeProblem(name, value));
    else if (Object.hasOwn(values, name)) problems.push(`${quote(name, value)} repeats the option ${name}.`);
    else Object.assign(values, { [name]: parsed });
  }
  return { values, problems: shorten(problems) };
}

function shorten(problems: string[]): string[] {
  const others = problems.length - MAX_DESCRIBED;
  return others > 0 ? [...problems.slice(0, MAX_DESCRIBED), `${others} more problems.`] : problems;
}

/** Describes an unknown or invalid option. */
function describeProblem(name: string, value: string): string {
  const quoted = quote(name, value);
  if (value.includes(";")) return `${quoted} is invalid: separate options with commas, not semicolons.`;
  if (isOptionName(name)) return `${quoted} is invalid: ${name} must be ${OPTIONS[name].expected}.`;
  return `${quoted} is unknown: the options are ${OPTION_NAMES.join(", ")}.`;
}

/** Quotes an option in printable ASCII, because a header can contain the message. Shortens a long option. */
function quote(name: string, value: string): string {
  const text = [name, value].filter((part) => part !== "").join("=");
  return text.replace(/^(.{40}).+/s, "$1...").replaceAll(/[^\x20-\x7e]/g, "?");
}
