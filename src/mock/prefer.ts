/** One preference of a request (RFC 7240, 2). Its parameters, of which none has a meaning here, are left out. */
export interface Preference {
  /** In lower case, since names are case-insensitive. */
  name: string;
  /** Without quotes; empty if there is none, which means the same. What is no word stands as it was sent. */
  value: string;
  /** All of it, as it was sent. */
  text: string;
}

/** A list's elements and a preference's parameters: separators inside a quoted string are none (RFC 9110, 5.6). */
const ELEMENTS = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;
const PARTS = /(?:[^";]|"(?:[^"\\]|\\.?)*(?:"|$))+/gs;

const LEADING_TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+/i;
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;

/**
 * Reads the value of a `Prefer` header, or several of them joined by commas, which is the same (RFC 7240, 2).
 * @returns the preferences in their order, repeated ones too; what has no name is left out. Never throws.
 */
export function parsePrefer(text: string): Preference[] {
  return [...text.matchAll(ELEMENTS)].flatMap(([element]) => parsePreference(element));
}

function parsePreference(element: string): Preference[] {
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
