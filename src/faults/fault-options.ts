import { type CollectionContext, SettingError } from "../bindings.ts";
import { HttpError } from "../http/errors.ts";
import type { HiddenCount } from "../records/page.ts";
import { listEntries, OPTION_NAMES, OPTIONS, type OptionName, type OptionValues } from "./option-table.ts";

/** The valid options of a request or of a deployment. */
export interface FaultOptions {
  values: OptionValues;
  /** Each option as `Preference-Applied` lists it. */
  formatted: Map<OptionName, string>;
  /** The options of the header `Prefer`, which no cache knows. */
  headerOptions: OptionName[];
  /** A sentence about each preference in the header that is unknown or invalid, and therefore ignored (RFC 7240, 2). */
  warnings: string[];
  /** The same about the query parameter, which makes the request invalid: no other service defines this parameter. */
  errors: string[];
  /** Whether the client set them, and not the deployment. */
  isFromClient: boolean;
}

/**
 * The preferences for a request: the client's own ones if one of them is valid, such as `none`, and otherwise those of the deployment.
 * @returns undefined if there are none. With FAULTS off, `prefer` is a parameter and `Prefer` a header without meaning.
 * @throws 400 if the query has an unknown or an invalid option
 */
export function getFaultOptions(c: CollectionContext, query: URLSearchParams): FaultOptions | undefined {
  const { FAULTS, PREFER } = c.env;
  const header = c.req.header("Prefer");
  const parameters = query.getAll("prefer");
  if (FAULTS === "off" || !(PREFER || header || parameters.length > 0)) return undefined;
  const clientPreferences = parseFaultOptions(header ?? "", parameters);
  if (clientPreferences.errors.length > 0)
    throw new HttpError(400, { detail: clientPreferences.errors.join(" ") });
  const isFromClient = clientPreferences.formatted.size > 0 || !PREFER;
  const effective = isFromClient
    ? clientPreferences
    : { ...requireFaultOptions("PREFER", PREFER), warnings: clientPreferences.warnings, isFromClient };
  addDefaultFault(effective);
  return effective.formatted.size > 0 || effective.warnings.length > 0 ? effective : undefined;
}

/** Conditions without a fault mean `code=503`. A delay needs no fault, except for `fail`, which does not apply to a delay. */
function addDefaultFault({ values, formatted }: FaultOptions): void {
  const options = listEntries(values).map(([, option]) => option);
  const hasFault = options.some(({ replace, changePage, changeBody }) => replace ?? changePage ?? changeBody);
  const needsFault = options.some(({ allows, exemptsDelay }) => allows && (exemptsDelay || !values.delay));
  if (hasFault || !needsFault) return;
  values.code = 503;
  formatted.set("code", "code=503");
}

/** The view of the collection that the preferences select; undefined if it shows all records. */
export function getView({ values }: FaultOptions, now: number): HiddenCount | undefined {
  return values.grow === undefined ? undefined : OPTIONS.grow.createView?.(values.grow, now);
}

/** More sentences would make a header too long. */
const MAX_PROBLEMS = 5;

/**
 * Parses the options of a request. If an option is repeated, the first valid one counts, and the header comes before the query.
 * @param header The value of `Prefer`
 * @param query The values of the query parameter `prefer`
 */
export function parseFaultOptions(header: string, query: string[]): FaultOptions {
  const sent = parsePreferHeader(header).filter(({ name }) => !OTHER_PREFERENCES.test(name));
  const found = { values: {}, formatted: new Map(), headerOptions: [], warnings: [], errors: [] };
  const preferences: FaultOptions = { ...found, isFromClient: true };
  addOptions(preferences, sent, preferences.warnings);
  preferences.headerOptions = [...preferences.formatted.keys()];
  addOptions(preferences, query.flatMap(parsePreferHeader), preferences.errors);
  return preferences;
}

/** @param problems Gets a sentence about each invalid preference */
function addOptions(
  { values, formatted }: FaultOptions,
  preferences: Preference[],
  problems: string[],
): void {
  for (const { name, value } of preferences) {
    // `toLowerCase` would also turn the Kelvin sign into a k, and no header can repeat that sign.
    const text = value.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
    const parsed = isOptionName(name) ? OPTIONS[name].parse(text) : undefined;
    if (parsed === undefined && problems.length < MAX_PROBLEMS) problems.push(describeProblem(name, value));
    if (!isOptionName(name) || parsed === undefined || name in values) continue;
    Object.assign(values, { [name]: parsed });
    formatted.set(name, formatPreference(name, value));
  }
}

/**
 * Parses the preferences of a deployment, which apply to requests that have none.
 * @param setting The name of the setting, for the message
 * @throws SettingError if one of them is invalid
 */
export function requireFaultOptions(setting: string, text: string): FaultOptions {
  const preferences = parseFaultOptions("", [text]);
  if (preferences.errors.length === 0) return preferences;
  throw new SettingError(setting, text, `. ${preferences.errors.join(" ")}`);
}

/** FaultOptions of other specifications: RFC 7240, RFC 8144 and RFC 8674. Names with a dot belong to OData. */
const OTHER_PREFERENCES = /^(?:respond-async|return|wait|handling|depth-noroot|safe|.*\..*)$/;

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}

/** Values with other characters than those of a token need quotes (RFC 7240, 2). Valid ones contain no quote. */
function formatPreference(name: string, value: string): string {
  if (value === "") return name;
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(value) ? `${name}=${value}` : `${name}="${value}"`;
}

/** A sentence in printable ASCII, because a header carries it. It quotes the start of a long preference. */
function describeProblem(name: string, value: string): string {
  const text = name === "" || value === "" ? name + value : `${name}=${value}`;
  const quoted = text.replace(/^(.{40}).+/s, "$1...").replaceAll(/[^\x20-\x7e]/g, "?");
  if (isOptionName(name)) return `${quoted} is invalid: ${name} must be ${OPTIONS[name].value}.`;
  const nearest = findSimilarName(name);
  return `${quoted} is unknown.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
}

/** The option whose name differs least from a word, if it is probably meant: at most two letters are wrong. */
function findSimilarName(word: string): OptionName | undefined {
  const listSimilar = (maxEdits: number) =>
    OPTION_NAMES.filter((name) => name.length > maxEdits && isSimilar(word, name, maxEdits));
  return [1, 2].flatMap(listSimilar)[0];
}

/** Whether a word becomes another one if so many letters are inserted, removed or replaced (Levenshtein). */
function isSimilar(from: string, to: string, maxEdits: number): boolean {
  if (from === to) return true;
  const [rest, other] = [from.slice(1), to.slice(1)];
  if (from[0] === to[0]) return isSimilar(rest, other, maxEdits);
  if (maxEdits === 0) return false;
  return (
    isSimilar(rest, to, maxEdits - 1) ||
    isSimilar(from, other, maxEdits - 1) ||
    isSimilar(rest, other, maxEdits - 1)
  );
}

/**
 * One preference (RFC 7240, 2), without its parameters, which have no meaning here. The name is in lower case, and empty if the preference
 * is malformed. The value has no quotes. No value and an empty one mean the same.
 */
export type Preference = { name: string; value: string };

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
export function parsePreferHeader(header: string): Preference[] {
  const preferences: Preference[] = [];
  for (const [element] of header.matchAll(ELEMENTS)) {
    const text = element.match(PARTS)?.[0].trim() ?? "";
    const previous = preferences.at(-1);
    if (previous?.name === "on" && TARGET.test(text)) previous.value += `,${text}`;
    else if (text !== "") preferences.push(parsePreference(text));
  }
  return preferences;
}

function parsePreference(text: string): Preference {
  const [name = ""] = /^[!#$%&'*+.^_`|~0-9a-z-]+/i.exec(text) ?? [];
  const rest = text.slice(name.length).trimStart();
  const value = rest.startsWith("=") ? unquote(rest.slice(1).trimStart()) : rest;
  return { name: name.toLowerCase(), value };
}

/** A token or a quoted string, without its quotes and backslashes (RFC 9110, 5.6.4). */
function unquote(word: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  return quoted === undefined ? word : quoted.replaceAll(/\\(.)/gs, "$1");
}
