import { type FC, Markup } from "./jsx-runtime.ts";

/** A link of a page envelope, or the name of a member. */
const TOKEN = /(?<=^ {2}"(?:next|previous)": )("(?:[^"\\]|\\.)*")|(?<=^ *)("(?:[^"\\]|\\.)*")(?=: )/gm;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * JSON, one member a line. The links of a page envelope work. It is written as text, because an element for each of hundreds
 * of members would take longer than the rest of the page.
 */
export const JsonText: FC<{ value: unknown }> = ({ value }) => {
  const text = JSON.stringify(value, null, 2).replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? "");
  return <code class="json">{new Markup(text.replaceAll(TOKEN, mark))}</code>;
};

/** @param link in which only quotes are not escaped, which must be in an attribute */
function mark(name: string, link?: string): string {
  if (link === undefined) return `<b>${name}</b>`;
  return `<a href="${String(JSON.parse(link)).replaceAll('"', "&quot;")}">${link}</a>`;
}
