import { MOCK_OPTIONS, type MockOptions, OPTION_NAMES, type OptionName } from "./options.ts";

/** What a request asks the mock for. */
export interface Preferences {
  options: MockOptions;
  /** All preferences as they were sent. */
  text: string;
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
  const [fromHeader, fromQuery] = [splitPreferences(header), query.flatMap(readQueryValue)];
  const options: Record<string, unknown> = {};
  const texts = new Map<OptionName, string>();
  for (const preference of [...fromHeader, ...fromQuery]) {
    const { name, value } = preference;
    if (!isOptionName(name) || name in options) continue;
    options[name] = parseValue(name, value);
    if (options[name] !== undefined) texts.set(name, writePreference(name, value));
  }
  return {
    options,
    text: [header, ...query].join(),
    texts,
    warnings: findProblems(fromHeader.filter(({ name }) => !OTHER_PREFERENCES.test(name))),
    errors: findProblems(fromQuery),
  };
}

/** Preferences of other specifications: RFC 7240, RFC 8144 and RFC 8674. Names with a dot belong to OData. */
const OTHER_PREFERENCES = /^(?:respond-async|return|wait|handling|depth-noroot|safe|.*\..*)$/;

/** In a query, a plus sign that is not percent-encoded is read as a space, as in `count=+1`. */
function readQueryValue(text: string): Preference[] {
  return splitPreferences(text.replaceAll(/\b(count=) (?=\d)/gi, "$1+"));
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(MOCK_OPTIONS, name);
}

function parseValue(name: OptionName, value: string): unknown {
  return MOCK_OPTIONS[name].parse(value.toLowerCase());
}

/** Values with other characters than those of a token need quotes (RFC 7240, 2). Valid ones contain no quote. */
function writePreference(name: string, value: string): string {
  if (value === "") return name;
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(value) ? `${name}=${value}` : `${name}="${value}"`;
}

function findProblems(preferences: Preference[]): string[] {
  const problems: string[] = [];
  for (const preference of preferences) {
    const problem = findProblem(preference);
    if (problem !== undefined) problems.push(problem);
    if (problems.length === MOST_PROBLEMS) break;
  }
  return problems;
}

/** A sentence in printable ASCII, because a header carries it; undefined if the preference is a valid option. */
function findProblem({ name, value, text }: Preference): string | undefined {
  const quoted = shorten(text);
  if (!isOptionName(name)) {
    const nearest = findNearest(name);
    return `${quoted} is unknown.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
  }
  if (parseValue(name, value) !== undefined) return undefined;
  return `${quoted} is invalid: ${name} must be ${MOCK_OPTIONS[name].value}.`;
}

/** How many characters of a preference a sentence repeats. */
const LONGEST_QUOTE = 40;

function shorten(text: string): string {
  const start = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text;
  return start.replaceAll(/[^\x20-\x7e]/g, "?");
}

/** A word with more wrong letters is not a misspelling. */
const MOST_WRONG_LETTERS = 2;

/** The option whose name differs least from a word, if it is probably meant. */
function findNearest(word: string): OptionName | undefined {
  const [nearest] = OPTION_NAMES.map((name) => ({ name, distance: editDistance(word.slice(0, 20), name) }))
    .filter(({ name, distance }) => distance <= Math.min(MOST_WRONG_LETTERS, name.length - 1))
    .sort((one, other) => one.distance - other.distance);
  return nearest?.name;
}

/** How many letters must be inserted, removed or replaced to turn one word into another (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[column + 1], row[column], next[column]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** One preference (RFC 7240, 2), without its parameters, which have no meaning here. */
export interface Preference {
  /** In lower case, because names are case-insensitive. Empty if the preference is malformed. */
  name: string;
  /** Without quotes. Empty if there is no value, which means the same. Malformed text is kept as it was sent. */
  value: string;
  /** The whole preference as it was sent. */
  text: string;
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
    if (previous?.name === "on" && TARGET.test(text)) {
      previous.value += `,${text}`;
      previous.text += `,${text}`;
    } else if (text !== "") preferences.push(readPreference(text));
  }
  return preferences;
}

function readPreference(text: string): Preference {
  const [name = ""] = /^[!#$%&'*+.^_`|~0-9a-z-]+/i.exec(text) ?? [];
  const rest = text.slice(name.length).trimStart();
  const value = rest.startsWith("=") ? readWord(rest.slice(1).trimStart()) : rest;
  return { name: name.toLowerCase(), value, text };
}

/** A token or a quoted string, without its quotes and backslashes (RFC 9110, 5.6.4). */
function readWord(word: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  return quoted === undefined ? word : quoted.replaceAll(/\\(.)/gs, "$1");
}
