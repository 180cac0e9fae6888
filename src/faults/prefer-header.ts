/**
 * A preference in the header `Prefer` (RFC 7240, 2), or an option in the parameter `prefer`. The name is in lower case, and empty if the
 * preference is malformed. The value has no quotes, and is empty if it is missing.
 */
export type Preference = { name: string; value: string };

/** The elements of a list. Quoted strings can contain commas. */
const ELEMENTS = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;

/** A list element that continues the value of `on`, such as `7-9` in `on=3,7-9`. */
const PAGES = /^(?:\d+(?:-\d+)?|last)$/;

/**
 * Parses a list of preferences: the header `Prefer`, or several joined by commas, the query parameter `prefer`, or a setting with the same
 * syntax. A `;` and what follows stay in the value, so that no option accepts it, and nothing is lost silently.
 * @returns The preferences in their order, including repeated ones. Never throws
 */
export function parsePreferences(text: string): Preference[] {
  const preferences: Preference[] = [];
  for (const element of text.match(ELEMENTS) ?? []) {
    const preference = element.trim();
    const previous = preferences.at(-1);
    // An unquoted value such as `on=3,7-9` is split at its commas like the list itself, so its parts are joined again.
    const continuesPages = previous?.name === "on" && PAGES.test(preference);
    if (continuesPages) previous.value += `,${preference}`;
    else if (preference !== "") preferences.push(parsePreference(preference));
  }
  return preferences;
}

function parsePreference(text: string): Preference {
  const [name = ""] = /^[!#$%&'*+.^_`|~0-9a-z-]+/i.exec(text) ?? [];
  const rest = text.slice(name.length).trimStart();
  const isMalformed = rest !== "" && !/^[=;]/.test(rest);
  if (isMalformed) return { name: "", value: text };
  const value = rest.startsWith("=") ? unquote(rest.slice(1).trimStart()) : rest;
  return { name: name.toLowerCase(), value };
}

function unquote(word: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? [];
  return quoted === undefined ? word : quoted.replaceAll(/\\(.)/gs, "$1");
}

/** Preferences of RFC 7240, RFC 8144 and RFC 8674. The header can contain these names without a warning. */
const OTHER_PREFERENCES = ["respond-async", "return", "wait", "handling", "depth-noroot", "safe"];

/** Whether a preference is none of this service. The preferences of OData have a dot: `odata.maxpagesize`. */
export function isOtherPreference({ name }: Preference): boolean {
  return OTHER_PREFERENCES.includes(name) || name.includes(".");
}

/** Quotes the value of an option if a header needs that: `on="3,7-9"`. No value of an option contains quotes. */
export function quoteValue(option: string): string {
  const isToken = /^[!#$%&'*+.^_`|~0-9a-z=-]+$/i.test(option);
  return isToken ? option : `${option.replace("=", '="')}"`;
}
