/**
 * A preference in the header `Prefer` (RFC 7240, 2). Its parameters are ignored. The name is in lower case, and empty if the preference
 * is malformed. The value has no quotes. A missing value is the same as an empty value.
 */
export type Preference = { name: string; value: string };

/** Patterns for the elements of a list, and for the first part of an element. Quoted strings can contain separators. */
const ELEMENTS = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;
const FIRST_PART = /(?:[^";]|"(?:[^"\\]|\\.?)*(?:"|$))+/s;

/** A list element that continues the value of `on`, such as `7-9` in `on=3,7-9`. */
const PAGES = /^(?:\d+(?:-\d+)?|last)$/;

/**
 * Parses the value of a `Prefer` header, or of several headers joined by commas.
 * @returns The preferences in their order, including repeated ones. Never throws
 */
export function parsePreferHeader(header: string): Preference[] {
  return parseElements(splitList(header).map((element) => FIRST_PART.exec(element)?.[0] ?? ""));
}

/**
 * Parses the query parameter `prefer`, or a setting with the same syntax. Here a `;` starts no parameter: it stays in the value, which is
 * then invalid, so that nothing after it is lost silently.
 * @returns The options in their order, including repeated ones. Never throws
 */
export function parsePreferParameter(text: string): Preference[] {
  return parseElements(splitList(text));
}

function splitList(list: string): string[] {
  return list.match(ELEMENTS) ?? [];
}

/** An unquoted value such as `on=3,7-9` is split at its commas like the list itself, so its parts are joined again. */
function parseElements(elements: string[]): Preference[] {
  const preferences: Preference[] = [];
  for (const element of elements) {
    const text = element.trim();
    const previous = preferences.at(-1);
    const continuesPages = previous?.name === "on" && PAGES.test(text);
    if (continuesPages) previous.value += `,${text}`;
    else if (text !== "") preferences.push(parsePreference(text));
  }
  return preferences;
}

function parsePreference(text: string): Preference {
  const [name = ""] = /^[!#$%&'*+.^_`|~0-9a-z-]+/i.exec(text) ?? [];
  const rest = text.slice(name.length).trimStart();
  const isMalformed = rest !== "" && !rest.startsWith("=");
  if (isMalformed) return { name: "", value: text };
  const value = unquote(rest.slice(1).trimStart());
  return { name: name.toLowerCase(), value };
}

function unquote(word: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  return quoted === undefined ? word : quoted.replaceAll(/\\(.)/gs, "$1");
}

/** Quotes the value of an option if a header needs that: `on="3,7-9"`. No value of an option contains quotes. */
export function quoteValue(option: string): string {
  const [, name, value = ""] = /^([^=]+)=(.+)$/.exec(option) ?? [];
  const needsQuotes = /[^!#$%&'*+.^_`|~0-9a-z-]/i.test(value);
  return needsQuotes ? `${name}="${value}"` : option;
}
