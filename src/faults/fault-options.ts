import { type AppContext, SettingError } from "../bindings.ts";
import { HttpError } from "../http/errors.ts";
import { MAX_HEADER_LENGTH } from "../http/request.ts";
import type { OptionSource } from "./applied-options.ts";
import { formatOptionValue } from "./option-syntax.ts";
import { CONDITION_NAMES, hasFault } from "./option-table.ts";
import { type Preference, parsePreferHeader, parsePreferParameter } from "./prefer-header.ts";
import { divideIntoRules, parseRules, type Rule } from "./rules.ts";

/** The valid options of a request or of a deployment. */
export interface FaultOptions {
  /** Empty without a valid option. */
  rules: Rule[];
  source: OptionSource;
  /** Why options of the header are not in effect. RFC 7240 requires servers to ignore such options. */
  warnings: string[];
}

/**
 * Gets the options for a request: the client's options if at least one is valid (`none` counts), and otherwise the options of PREFER.
 * @returns undefined if there are no options, or if FAULTS is off
 * @throws 400 if the query has an unknown, invalid or repeated option, or a rule that is never reached
 */
export function getFaultOptions(c: AppContext, query: URLSearchParams): FaultOptions | undefined {
  const { FAULTS, PREFER = "" } = c.env;
  const header = c.req.header("Prefer") ?? "";
  const parameters = query.getAll("prefer");
  const isPlainRequest = PREFER === "" && header === "" && parameters.length === 0;
  if (FAULTS === "off" || isPlainRequest) return undefined;
  const { errors, ...requested } = parseFaultOptions(header, parameters);
  if (errors.length > 0) throw new HttpError(400, { detail: errors.join(" ") });
  const { warnings } = requested;
  const isOfClient = requested.rules.length > 0;
  const options = isOfClient ? requested : { ...requireFaultOptions("PREFER", PREFER), warnings };
  if (options.rules.length === 0 && warnings.length === 0) return undefined;
  return { ...options, rules: options.rules.map(addDefaultFault) };
}

/** Adds `code=503`, or `code=429` for `rate`, to a rule with conditions but without a fault, or with `retry-after` but without an error. */
function addDefaultFault(rule: Rule): Rule {
  const { code, hang, rate, "retry-after": retryAfter } = rule;
  const hasCondition = CONDITION_NAMES.some((name) => rule[name] !== undefined);
  const lacksFault = hasCondition && !hasFault(rule);
  const lacksError = retryAfter !== undefined && code === undefined && !hang;
  return lacksFault || lacksError ? { ...rule, code: rate === undefined ? 503 : 429 } : rule;
}

/**
 * Parses options that must be valid, such as the setting PREFER.
 * @param options A text such as `code=503, times=1, else, body=cut, times=1`, an object such as `{ code: 503, times: 1 }`, or a list of
 *   such objects, one for each rule
 * @throws SettingError if an option is unknown, invalid or repeated, or if a rule is never reached, with the same message for a text and
 *   for objects
 */
export function requireFaultOptions(setting: string, options: string | object): FaultOptions {
  const { rules, problems } = parseRules(divideSetting(options));
  if (problems.length > 0) throw new SettingError(setting, options, `. ${problems.join(" ")}`);
  return { rules, source: "setting", warnings: [] };
}

function divideSetting(options: string | object): Preference[][] {
  if (typeof options === "string") return divideIntoRules(parsePreferParameter(options));
  return Array.isArray(options) ? options.map(toPreferences) : [toPreferences(options)];
}

/** Lists the options of an object. `false` means that an option is not set, as in the types of some clients. */
function toPreferences(rule: object): Preference[] {
  const entries = Object.entries(rule).filter(([, value]) => value !== undefined && value !== false);
  return entries.map(([name, value]) => ({ name, value: formatOptionValue(value) }));
}

/** Preferences of RFC 7240, RFC 8144 and RFC 8674. The header can contain these names without a warning. */
const OTHER_PREFERENCES = ["respond-async", "return", "wait", "handling", "depth-noroot", "safe"];

/** The names of OData have a dot. */
const isOtherPreference = ({ name }: Preference) => OTHER_PREFERENCES.includes(name) || name.includes(".");

/**
 * Parses the options of a request. If the header has a valid option, the options of the query have no effect.
 * @returns Also the errors in the query
 */
export function parseFaultOptions(header: string, query: string[]) {
  const inHeader = parseHeader(header);
  const inQuery = parseRules(divideIntoRules(query.flatMap(parsePreferParameter)));
  const source: OptionSource = inHeader.rules.length > 0 ? "header" : "query";
  const { rules } = source === "header" ? inHeader : inQuery;
  return { rules, source, warnings: inHeader.problems, errors: inQuery.problems };
}

function parseHeader(header: string): ReturnType<typeof parseRules> {
  if (header.length > MAX_HEADER_LENGTH) {
    const problem = `The header Prefer has more than ${MAX_HEADER_LENGTH} characters, and was ignored.`;
    return { rules: [], problems: [problem] };
  }
  const preferences = parsePreferHeader(header);
  return parseRules(divideIntoRules(preferences.filter((preference) => !isOtherPreference(preference))));
}
