import { type FC, Markup } from "./jsx-runtime.ts";

/** Code, to which a script adds a copy button (src/site/assets/scripts/copy.ts). Its label is a part of the name of the button. */
export const CodeBlock: FC<{ code: string; label: string }> = ({ code, label }) => (
  <div class="code row panel" data-label={label}>
    <pre>
      <code>{code}</code>
    </pre>
  </div>
);

/** A command that sends a request. */
export const CurlBlock: FC<{ options: string; url: string; label: string }> = ({ options, url, label }) => (
  <CodeBlock code={`curl ${options} ${quote(url)}`} label={label} />
);

/** Quotes a text for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * JSON, one member a line. The links of a page envelope work. It is written as text, because the page would take a quarter longer
 * with an element for each of hundreds of members.
 */
export const JsonText: FC<{ value: unknown }> = ({ value }) => {
  const html = JSON.stringify(value, null, 2)
    .replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? "")
    .replaceAll(/^( *)("(?:[^"\\]|\\.)*"): /gm, "$1<b>$2</b>: ")
    .replaceAll(/(?<=: ")\d{4}-\d\d-\d\dT[\d:]+Z(?=",?$)/gm, "<time>$&</time>")
    .replaceAll(/(?<=^ {2}<b>"(?:next|previous)"<\/b>: )"(?:[^"\\]|\\.)*"/gm, writeLink);
  return <code class="json">{new Markup(html)}</code>;
};

/** @param text of a URL in JSON, in which only quotes are not escaped */
function writeLink(text: string): string {
  return `<a href="${String(JSON.parse(text)).replaceAll('"', "&quot;")}">${text}</a>`;
}
