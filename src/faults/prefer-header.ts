/**
 * A preference in the header `Prefer` (RFC 7240, 2), without its parameters, which have no meaning here. The name is in lower case, and
 * empty if the preference is malformed. The value has no quotes. No value and an empty value mean the same.
 */
export type Preference = { name: string; value: string };

/** The elements of a list and the parts of an element. Quoted strings can contain separators. */
const ELEMENTS = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;
const PARTS = /(?:[^";]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;

/** An element such as `7-9` or `last`, after `on=3`. */
const PAGES = /^(?:\d+(?:-\d+)?|last)$/i;

/**
 * Parses the value of a `Prefer` header, or of several headers that are joined by commas. The value of `on=3,7-9` is a list within the
 * list if it has no quotes, so its elements are joined again.
 * @returns The preferences in their order, including repeated ones. Never throws
 */
export function parsePreferHeader(header: string): Preference[] {
  const preferences: Preference[] = [];
  for (const [element] of header.matchAll(ELEMENTS)) {
    const text = element.match(PARTS)?.[0].trim() ?? "";
    const previous = preferences.at(-1);
    if (previous?.name === "on" && PAGES.test(text)) previous.value += `,${text}`;
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

/** Removes the quotes and the backslashes of a quoted string. Returns a token unchanged. */
function unquote(word: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  return quoted === undefined ? word : quoted.replaceAll(/\\(.)/gs, "$1");
}

/** Formats a preference. A value needs quotes if it is not a token. The value must not contain quotes. */
export function formatPreference({ name, value }: Preference): string {
  if (value === "") return name;
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(value) ? `${name}=${value}` : `${name}="${value}"`;
}
