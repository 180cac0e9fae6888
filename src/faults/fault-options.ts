import { type AppContext, SettingError } from "../bindings.ts";
import { HttpError } from "../http/errors.ts";
import { getHeader } from "../http/request.ts";
import type { OptionSource } from "./applied-options.ts";
import { formatOptionValue } from "./option-syntax.ts";
import { CONDITION_NAMES, DESCRIPTIONS, formatOption, hasFault } from "./option-table.ts";
import { isOtherPreference, type Preference, parsePreferences } from "./prefer-header.ts";
import { describeFirst, divideIntoRules, parseRules, quote, type Rule } from "./rules.ts";

/** The valid options of a request or of a deployment. */
export interface FaultOptions {
  /** Empty without a valid option. */
  rules: Rule[];
  source: OptionSource;
  /** Why options are not in effect: invalid ones of the header, which RFC 7240 requires servers to ignore, and misplaced ones. */
  warnings: string[];
}

/**
 * Gets the options for a request: the client's options if at least one is valid (`none` counts), and otherwise the options of PREFER.
 * @returns undefined if there are no options, or if FAULTS is off
 * @throws 400 if the query has an unknown, invalid or repeated option, or a rule that is never reached
 */
export function getFaultOptions(c: AppContext, query: URLSearchParams): FaultOptions | undefined {
  const { FAULTS, PREFER = "" } = c.env;
  const header = getHeader(c.req.raw.headers, "Prefer") ?? "";
  const parameters = query.getAll("prefer");
  const misplaced = describeMisplaced(query);
  const hasNothing = [PREFER, header, parameters, misplaced].every(({ length }) => length === 0);
  if (FAULTS === "off" || hasNothing) return undefined;
  const { errors, ...requested } = parseFaultOptions(header, parameters);
  if (errors.length > 0) throw new HttpError(400, { detail: errors.join(" ") });
  const warnings = [...requested.warnings, ...misplaced];
  const isByDefault = requested.rules.length === 0 && PREFER !== "";
  const rules = isByDefault ? requireFaultOptions("PREFER", PREFER) : requested.rules;
  if (rules.length === 0 && warnings.length === 0) return undefined;
  const completed = rules.map((rule) => completeRule(rule, c.req.method));
  return { rules: completed, source: isByDefault ? "setting" : requested.source, warnings };
}

/** Describes options outside of `prefer`, which have no effect: `perfer=code=503`, or `times=1` in `prefer=code=503&times=1`. */
function describeMisplaced(query: URLSearchParams): string[] {
  const isWord = (text: string) => Object.hasOwn(DESCRIPTIONS, text);
  // Without `prefer`, a parameter such as `count=5` is no option.
  const isBesidePrefer = query.has("prefer");
  const misplaced = Array.from(query).filter(([name, value]) => {
    if (name === "prefer") return false;
    const isMisspelt = value.includes("=") && isWord(value.split("=", 1)[0] ?? "");
    return isMisspelt || (isBesidePrefer && isWord(name));
  });
  const advice = "has no effect: write options as in prefer=code=503,times=2.";
  return describeFirst(misplaced.map((option) => () => `${quote(formatOption(...option))} ${advice}`));
}

/**
 * Adds `code=503`, or `code=429` for `rate`, to a rule with conditions but without a fault, or with `retry-after` but without an error.
 * Removes `body` if the response has none.
 */
function completeRule(rule: Rule, method: string): Rule {
  const { code, hang, close, body, rate, "retry-after": retryAfter } = rule;
  const hasCondition = CONDITION_NAMES.some((name) => rule[name] !== undefined);
  const lacksFault = hasCondition && !hasFault(rule);
  const lacksError = retryAfter !== undefined && code === undefined && !hang;
  const defaultCode = rate === undefined ? 503 : 429;
  return {
    ...rule,
    code: lacksFault || lacksError ? defaultCode : code,
    body: close || method === "HEAD" ? undefined : body,
  };
}

/**
 * Parses options that must be valid, such as the setting PREFER.
 * @param options A text such as `code=503, times=1, else, body=cut, times=1`, an object such as `{ code: 503, times: 1 }`, or a list of
 *   such objects, one for each rule
 * @throws SettingError if an option is unknown, invalid or repeated, or if a rule is never reached, with the same message for a text and
 *   for objects
 */
export function requireFaultOptions(setting: string, options: string | object): Rule[] {
  const { rules, problems } = parseRules(divideSetting(options));
  if (problems.length > 0) throw new SettingError(setting, options, `. ${problems.join(" ")}`);
  return rules;
}

function divideSetting(options: string | object): Preference[][] {
  if (typeof options === "string") return divideIntoRules(parsePreferences(options));
  return Array.isArray(options) ? options.map(toPreferences) : [toPreferences(options)];
}

/** Lists the options of an object. An option that is `false` is not set: `{ hang: isSlow }`. */
function toPreferences(rule: object): Preference[] {
  const entries = Object.entries(rule).filter(([, value]) => value !== undefined && value !== false);
  return entries.map(([name, value]) => {
    // Only `on` is a list. JSON shows the brackets in the message that the value of another option is invalid.
    const isWrongList = Array.isArray(value) && name !== "on";
    return { name, value: isWrongList ? JSON.stringify(value) : formatOptionValue(value) };
  });
}

/** Parses the options of a request. If the header has a valid one, those of the query have no effect, but must be valid. */
export function parseFaultOptions(header: string, query: string[]) {
  const ofHeader = parsePreferences(header).filter((preference) => !isOtherPreference(preference));
  const inHeader = parseRules(divideIntoRules(ofHeader));
  const inQuery = parseRules(divideIntoRules(query.flatMap(parsePreferences)));
  const source: OptionSource = inHeader.rules.length > 0 ? "header" : "query";
  const { rules } = source === "header" ? inHeader : inQuery;
  return { rules, source, warnings: inHeader.problems, errors: inQuery.problems };
}
