import { SettingError } from "../env.ts";
import { MOCK_OPTIONS, type MockOptions, OPTION_NAMES, type OptionName } from "./options.ts";

/** What a request asks the mock for. */
export interface Preferences {
  options: MockOptions;
  /** Each option as `Preference-Applied` lists it. */
  texts: Map<OptionName, string>;
  /** A sentence about each preference in the header that is unknown or invalid, and therefore ignored (RFC 7240, 2). */
  warnings: string[];
  /** The same about the query parameter, which makes the request invalid: no other service defines this parameter. */
  errors: string[];
}

/** More sentences would make a header too long. */
const MOST_PROBLEMS = 5;

/**
 * Reads the options of a request. If an option is repeated, the first one counts (RFC 7240, 2), and the header comes before
 * the query.
 * @param header the value of `Prefer`
 * @param query the values of the query parameter `prefer`
 */
export function readPreferences(header: string, query: string[]): Preferences {
  const found: Preferences = { options: {}, texts: new Map(), warnings: [], errors: [] };
  const fromHeader = splitPreferences(header).filter(({ name }) => !OTHER_PREFERENCES.test(name));
  addOptions(found, fromHeader, found.warnings);
  addOptions(found, query.flatMap(splitPreferences), found.errors);
  return found;
}

/** @param problems gets a sentence about each preference that is wrong */
function addOptions({ options, texts }: Preferences, preferences: Preference[], problems: string[]): void {
  for (const { name, value } of preferences) {
    const parsed = isOptionName(name) ? MOCK_OPTIONS[name].parse(lowerCase(value)) : undefined;
    if (parsed === undefined && problems.length < MOST_PROBLEMS) problems.push(describeProblem(name, value));
    if (!isOptionName(name) || name in options) continue;
    Object.assign(options, { [name]: parsed });
    if (parsed !== undefined) texts.set(name, writePreference(name, value));
  }
}

/** Changes only ASCII letters: `toLowerCase` would also turn the Kelvin sign into a k, and no header can repeat that sign. */
function lowerCase(value: string): string {
  return value.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Parses the preferences of a deployment, which apply to requests that have none.
 * @param setting its name, for the message
 * @throws SettingError if one of them is wrong
 */
export function requirePreferences(setting: string, text: string): Preferences {
  const preferences = readPreferences("", [text]);
  if (preferences.errors.length === 0) return preferences;
  throw new SettingError(setting, text, `. ${preferences.errors.join(" ")}`);
}

/** Preferences of other specifications: RFC 7240, RFC 8144 and RFC 8674. Names with a dot belong to OData. */
const OTHER_PREFERENCES = /^(?:respond-async|return|wait|handling|depth-noroot|safe|.*\..*)$/;

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(MOCK_OPTIONS, name);
}

/** Values with other characters than those of a token need quotes (RFC 7240, 2). Valid ones contain no quote. */
function writePreference(name: string, value: string): string {
  if (value === "") return name;
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(value) ? `${name}=${value}` : `${name}="${value}"`;
}

/** How many characters of a preference a sentence repeats. */
const LONGEST_QUOTE = 40;

/** A sentence in printable ASCII, because a header carries it. */
function describeProblem(name: string, value: string): string {
  const text = name === "" || value === "" ? name + value : `${name}=${value}`;
  const start = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text;
  const quoted = start.replaceAll(/[^\x20-\x7e]/g, "?");
  if (isOptionName(name)) return `${quoted} is invalid: ${name} must be ${MOCK_OPTIONS[name].value}.`;
  const nearest = findNearest(name);
  return `${quoted} is unknown.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
}

/** The option whose name differs least from a word, if it is probably meant: at most two letters are wrong. */
function findNearest(word: string): OptionName | undefined {
  const [nearest] = [1, 2].flatMap((wrong) =>
    OPTION_NAMES.filter((name) => name.length > wrong && isNear(word, name, wrong)),
  );
  return nearest;
}

/** Whether a word becomes another one if so many letters are inserted, removed or replaced (Levenshtein). */
function isNear(from: string, to: string, wrong: number): boolean {
  if (from === to) return true;
  const [rest, other] = [from.slice(1), to.slice(1)];
  if (from[0] === to[0]) return isNear(rest, other, wrong);
  if (wrong === 0) return false;
  return isNear(rest, to, wrong - 1) || isNear(from, other, wrong - 1) || isNear(rest, other, wrong - 1);
}

/** One preference (RFC 7240, 2), without its parameters, which have no meaning here. */
export interface Preference {
  /** In lower case, because names are case-insensitive. Empty if the preference is malformed. */
  name: string;
  /** Without quotes. Empty if there is no value, which means the same. Malformed text is kept as it was sent. */
  value: string;
}

/** The elements of a list and the parts of an element. Quoted strings may contain separators (RFC 9110, 5.6). */
const ELEMENTS = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;
const PARTS = /(?:[^";]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;

/** An element such as `7-9` or `last`, after `on=3`. */
const TARGET = /^(?:\d+(?:-\d+)?|last)$/i;

/**
 * Splits the value of a `Prefer` header, or of several headers joined by commas, which means the same (RFC 7240, 2). The value
 * `on=3,7-9`, which is a list inside the list if it has no quotes, is put together again.
 * @returns the preferences in their order, including repeated ones. Never throws.
 */
export function splitPreferences(header: string): Preference[] {
  const preferences: Preference[] = [];
  for (const [element] of header.matchAll(ELEMENTS)) {
    const text = element.match(PARTS)?.[0].trim() ?? "";
    const previous = preferences.at(-1);
    if (previous?.name === "on" && TARGET.test(text)) previous.value += `,${text}`;
    else if (text !== "") preferences.push(readPreference(text));
  }
  return preferences;
}

function readPreference(text: string): Preference {
  const [name = ""] = /^[!#$%&'*+.^_`|~0-9a-z-]+/i.exec(text) ?? [];
  const rest = text.slice(name.length).trimStart();
  const value = rest.startsWith("=") ? readWord(rest.slice(1).trimStart()) : rest;
  return { name: name.toLowerCase(), value };
}

/** A token or a quoted string, without its quotes and backslashes (RFC 9110, 5.6.4). */
function readWord(word: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  return quoted === undefined ? word : quoted.replaceAll(/\\(.)/gs, "$1");
}
