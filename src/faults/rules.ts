import { formatOptions } from "./applied-options.ts";
import { formatOptionValue } from "./option-syntax.ts";
import {
  CONDITION_NAMES,
  hasFault,
  isOptionName,
  OPTION_NAMES,
  OPTIONS,
  type OptionValues,
  SHARED_NAMES,
} from "./option-table.ts";
import type { Preference } from "./prefer-header.ts";

/** The options of one rule. The first rule whose conditions are met applies. */
export type Rule = OptionValues;

interface ParsedRules {
  /** The rules that can apply. Empty without a valid option. */
  rules: Rule[];
  /** Why options and rules are not in effect. At most six sentences, because a header can contain them. */
  problems: string[];
}

const MAX_RULES = 20;

/** The maximum number of problems that are described. */
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

/** Parses the preferences of each rule. */
export function parseRules(divided: Preference[][]): ParsedRules {
  const named = divided.map((preferences, index) => ({ name: `Rule ${index + 1}`, preferences }));
  const filled = named.filter(({ preferences }) => preferences.length > 0).slice(0, MAX_RULES);
  const parsed = filled.map(({ name, preferences }) => ({ name, ...parseOptions(name, preferences) }));
  const unconditional = parsed.findIndex(({ values }) => alwaysApplies(values));
  const reachable = unconditional === -1 ? parsed : parsed.slice(0, unconditional + 1);
  const problems = parsed.flatMap((rule) => rule.problems);
  const empty = named.find(({ preferences }) => preferences.length === 0);
  if (empty && divided.length > 1) problems.push(`${empty.name} has no option.`);
  if (divided.length > MAX_RULES)
    problems.push(`${divided.length} rules are too many: the limit is ${MAX_RULES}.`);
  if (reachable.length < parsed.length) {
    const conditions = CONDITION_NAMES.join(", ");
    problems.push(
      `${reachable.at(-1)?.name} needs a condition (${conditions}): without one, no rule after it is reached.`,
    );
  }
  for (const name of SHARED_NAMES) {
    const values = parsed.map((rule) => rule.values[name]).filter((value) => value !== undefined);
    if (new Set(values.map(formatOptionValue)).size > 1)
      problems.push(`${name} belongs to all rules, so it has only one value.`);
  }
  const rules = reachable.map(({ values }) => values);
  const hasOptions = rules.some((rule) => Object.keys(rule).length > 0);
  return { rules: hasOptions ? rules : [], problems: shorten(problems) };
}

/** Whether a rule applies to every request that reaches it. */
function alwaysApplies(rule: Rule): boolean {
  return CONDITION_NAMES.every((name) => rule[name] === undefined || (name === "fail" && rule.fail === 1));
}

function shorten(problems: string[]): string[] {
  const others = problems.length - MAX_DESCRIBED;
  return others > 0 ? [...problems.slice(0, MAX_DESCRIBED), `${others} more problems.`] : problems;
}

/** Parses the options of a rule. If an option is repeated, its first valid value counts. */
function parseOptions(rule: string, preferences: Preference[]): { values: OptionValues; problems: string[] } {
  const values: OptionValues = {};
  const problems: string[] = [];
  for (const { name, value } of preferences) {
    const parsed = isOptionName(name) ? OPTIONS[name].parse(value.toLowerCase()) : undefined;
    if (parsed === undefined) problems.push(describeProblem(name, value));
    else if (Object.hasOwn(values, name)) problems.push(describeRepetition(name, value));
    else Object.assign(values, { [name]: parsed });
  }
  const faults = { ...values, none: undefined };
  if (values.none === undefined || !hasFault(faults)) return { values, problems };
  return { values: faults, problems: [...problems, `${rule} has none and a fault: divide them with else.`] };
}

/** What separates options elsewhere: in a form, in a header, and in a command line. */
const OTHER_SYNTAX = /[&;]|\s\S+=/;

/** Describes an unknown or invalid option. */
function describeProblem(name: string, value: string): string {
  const quoted = quote(name, value);
  if (name === "" || OTHER_SYNTAX.test(value))
    return `${quoted} is invalid: separate options with commas, as in code=503,times=2, or send JSON with its Content-Type.`;
  if (name === "else")
    return `${quoted} is invalid: else stands alone between two rules, and a list has no else between its objects.`;
  if (isOptionName(name)) return `${quoted} is invalid: ${name} must be ${OPTIONS[name].expected}.`;
  return `${quoted} is unknown: the options are ${OPTION_NAMES.join(", ")}; else divides rules.`;
}

function describeRepetition(name: string, value: string): string {
  return `${quote(name, value)} repeats the option ${name}. Divide the options with else for several faults.`;
}

/** Quotes an option in printable ASCII, because a header can contain the message. Shortens a long option. */
function quote(name: string, value: string): string {
  const text = [name, value].filter((part) => part !== "").join("=");
  return text.replace(/^(.{40}).+/s, "$1...").replaceAll(/[^\x20-\x7e]/g, "?");
}

/** Formats rules so that parsing the text returns equal ones. */
export function formatRules(rules: Rule[]): string {
  return rules.map((rule) => formatOptions(rule).join(", ")).join(", else, ");
}
