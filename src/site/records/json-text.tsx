import { type FC, Markup } from "../jsx-runtime.ts";

/** A link of a page envelope; or the name of a member; or another string; or another value. */
const TOKEN =
  /(?<=^ {2}"(?:next|previous)": )("(?:[^"\\]|\\.)*")|("(?:[^"\\]|\\.)*")(?=: )|("(?:[^"\\]|\\.)*")|(-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b)/gm;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * JSON in colours, indented. The links of a page envelope work. It is written as text, because an element for each of
 * hundreds of values would take longer than the rest of the page.
 */
export const JsonText: FC<{ value: object }> = ({ value }) => {
  const text = JSON.stringify(value, null, 2).replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? "");
  return <code class="json">{new Markup(text.replaceAll(TOKEN, colour))}</code>;
};

/** @param token in which only quotes are not escaped, which must be in an attribute */
function colour(token: string, link?: string, name?: string, string?: string): string {
  if (link) return `<a href="${String(JSON.parse(link)).replaceAll('"', "&quot;")}">${link}</a>`;
  if (name) return `<b>${name}</b>`;
  return string ? `<span>${string}</span>` : `<i>${token}</i>`;
}
