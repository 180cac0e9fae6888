import { formatOptionValue } from "./option-syntax.ts";
import {
  CONDITION_NAMES,
  formatOption,
  formatOptions,
  hasFault,
  isOptionName,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionValues,
  SHARED_NAMES,
} from "./option-table.ts";
import type { Preference } from "./prefer-header.ts";

/** The options between two `else`. The first rule whose conditions are met applies. */
export type Rule = OptionValues;

const MAX_RULES = 20;

/** Describes a problem. A header has room for thousands, so only the first ones are described. */
type Problem = () => string;

const MAX_DESCRIBED = 5;

/** Gets the options that belong to all rules, whichever of them has it. */
export function getSharedOptions(rules: Rule[]): Pick<OptionValues, "grow" | "seed"> {
  const grow = rules.find((rule) => rule.grow !== undefined)?.grow;
  const seed = rules.find((rule) => rule.seed !== undefined)?.seed;
  return { grow, seed };
}

/** Divides preferences at each `else`. */
export function divideIntoRules(preferences: Preference[]): Preference[][] {
  const rules: Preference[][] = [[]];
  for (const preference of preferences) {
    const isElse = preference.name === "else" && preference.value === "";
    if (isElse) rules.push([]);
    else rules.at(-1)?.push(preference);
  }
  return rules;
}

/**
 * Parses the preferences of each rule. A rule without a valid option counts as absent.
 * @returns The rules that can apply, and why other options and rules are not in effect: at most six messages, because a header can contain
 *   them
 */
export function parseRules(divided: Preference[][]) {
  const rules: Rule[] = [];
  const problems: Problem[] = [];
  for (const [index, preferences] of divided.slice(0, MAX_RULES).entries()) {
    const name = `Rule ${index + 1}`;
    if (preferences.length === 0 && divided.length > 1) problems.push(() => `${name} has no option.`);
    const parsed = parseOptions(name, preferences);
    problems.push(...parsed.problems);
    if (Object.keys(parsed.rule).length === 0) continue;
    rules.push(parsed.rule);
    const isLast = index === divided.length - 1;
    if (!isLast && alwaysApplies(parsed.rule)) {
      const conditions = CONDITION_NAMES.join(", ");
      problems.push(
        () => `${name} needs a condition (${conditions}): without one, no rule after it is reached.`,
      );
      break;
    }
  }
  if (divided.length > MAX_RULES)
    problems.push(() => `${divided.length} rules are too many: the limit is ${MAX_RULES}.`);
  for (const name of SHARED_NAMES.filter((shared) => hasSeveralValues(rules, shared)))
    problems.push(() => `${name} belongs to all rules, so it has only one value.`);
  return { rules, problems: describeFirst(problems) };
}

/** Describes the first problems, and counts the others. */
export function describeFirst(problems: Problem[]): string[] {
  const described = problems.slice(0, MAX_DESCRIBED).map((describe) => describe());
  const others = problems.length - described.length;
  return others > 0 ? [...described, `${others} more problems.`] : described;
}

function hasSeveralValues(rules: Rule[], name: OptionName): boolean {
  const values = rules.map((rule) => rule[name]).filter((value) => value !== undefined);
  return new Set(values.map(formatOptionValue)).size > 1;
}

/** Whether a rule applies to every request that reaches it. */
function alwaysApplies(rule: Rule): boolean {
  const conditions = CONDITION_NAMES.filter((name) => rule[name] !== undefined);
  return conditions.every((name) => name === "fail") && (rule.fail ?? 1) === 1;
}

/** Parses the options of a rule. If an option is repeated, its first valid value counts. */
function parseOptions(ruleName: string, preferences: Preference[]): { rule: Rule; problems: Problem[] } {
  const rule: Rule = {};
  const problems: Problem[] = [];
  for (const { name, value } of preferences) {
    const parsed = isOptionName(name) ? OPTIONS[name].parse(value.toLowerCase()) : undefined;
    if (parsed === undefined) problems.push(() => describeProblem(name, value));
    else if (Object.hasOwn(rule, name)) problems.push(() => describeRepetition(name, value));
    else Object.assign(rule, { [name]: parsed });
  }
  const withoutNone = { ...rule, none: undefined };
  if (rule.none === undefined || !hasFault(withoutNone)) return { rule, problems };
  problems.push(() => `${ruleName} has none and a fault: divide them with else.`);
  return { rule: withoutNone, problems };
}

/** What separates options elsewhere: in a form, in a header, and in a command line. */
const OTHER_SYNTAX = /[&;]|\s\S+=/;

/** Describes an unknown or invalid option. */
function describeProblem(name: string, value: string): string {
  const quoted = quote(name === "" ? value : formatOption(name, value));
  if (name === "" || OTHER_SYNTAX.test(value))
    return `${quoted} is invalid: separate options with commas, as in code=503,times=2, or send JSON with its Content-Type.`;
  if (name === "else")
    return `${quoted} is invalid: else stands alone between two rules, and a list has no else between its objects.`;
  if (isOptionName(name)) return `${quoted} is invalid: ${name} must be ${OPTIONS[name].expected}.`;
  return `${quoted} is unknown: the options are ${OPTION_NAMES.join(", ")}; else divides rules.`;
}

function describeRepetition(name: string, value: string): string {
  return `${quote(formatOption(name, value))} repeats the option ${name}. Divide the options with else for several faults.`;
}

/** Quotes an option in printable ASCII, because a header can contain the message. Shortens a long option. */
export function quote(option: string): string {
  return option.replace(/^(.{40}).+/s, "$1...").replaceAll(/[^\x20-\x7e]/g, "?");
}

/** Formats rules as in the parameter `prefer`, so that parsing the text returns equal ones. */
export function formatRules(rules: Rule[]): string {
  return rules.map((rule) => formatOptions(rule).join(", ")).join(", else, ");
}
