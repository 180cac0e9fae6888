/** One preference of a request (RFC 7240, 2), without its parameters, which have no meaning here. */
export interface Preference {
  /** In lower case, because names are case-insensitive. */
  name: string;
  /** Without quotes. Empty if there is no value, which means the same. Malformed text is kept as it was sent. */
  value: string;
  /** The whole preference as it was sent. */
  text: string;
}

/** The elements of a list and the parts of an element. Quoted strings may contain separators (RFC 9110, 5.6). */
const ELEMENTS = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;
const PARTS = /(?:[^";]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;

const LEADING_TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+/i;
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;

/**
 * Reads the value of a `Prefer` header, or of several headers joined by commas, which means the same (RFC 7240, 2).
 * @returns the preferences in their order, including repeated ones. Elements without a name are left out. Never throws.
 */
export function readPreferHeader(text: string): Preference[] {
  const preferences = [...text.matchAll(ELEMENTS)].flatMap(([element]) => readPreference(element));
  return joinTargets(preferences);
}

/** An element such as `7-9` or `last`, after `on=3`. */
const TARGET = /^(?:\d+(?:-\d+)?|last)$/i;

/** Puts `on=3,7-9` together again, which is a list inside the list if it has no quotes. */
function joinTargets(preferences: Preference[]): Preference[] {
  const joined: Preference[] = [];
  for (const preference of preferences) {
    const previous = joined.at(-1);
    if (previous?.name !== "on" || !TARGET.test(preference.text)) joined.push({ ...preference });
    else {
      previous.value += `,${preference.text}`;
      previous.text += `,${preference.text}`;
    }
  }
  return joined;
}

function readPreference(element: string): Preference[] {
  const text = element.match(PARTS)?.[0].trim() ?? "";
  const name = text.match(LEADING_TOKEN)?.[0];
  if (name === undefined) return [];
  const rest = text.slice(name.length).trimStart();
  const value = rest.startsWith("=") ? readWord(rest.slice(1).trimStart()) : rest;
  return [{ name: name.toLowerCase(), value, text }];
}

/** A token or a quoted string, without its quotes and backslashes (RFC 9110, 5.6.4). */
function readWord(word: string): string {
  const quoted = word.match(QUOTED)?.[1];
  return quoted === undefined ? word : quoted.replaceAll(/\\(.)/gs, "$1");
}
