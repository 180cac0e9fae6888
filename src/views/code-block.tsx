import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { quoteForShell } from "./text-format.ts";

/**
 * A block of code. A script adds a copy button (src/views/assets/scripts/copy.ts).
 * @param label The end of the accessible name of the button
 */
export const CodeBlock: FC<{ code: string; label: string }> = ({ code, label }) => (
  <div class="code row panel" data-label={label}>
    <pre>
      <code>{code}</code>
    </pre>
  </div>
);

/** A curl command. */
export const CurlBlock: FC<{ options: string; url: string; label: string }> = ({ options, url, label }) => (
  <CodeBlock code={`curl ${options} ${quoteForShell(url)}`} label={label} />
);

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * JSON with a member on each line. The HTML is a string, because rendering elements is slow.
 * @param hasLinks Whether the neighboring pages are links
 */
export const JsonText: FC<{ value: unknown; hasLinks?: boolean }> = ({ value, hasLinks = true }) => {
  const html = JSON.stringify(value, null, 2)
    .replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? "")
    .replaceAll(/^( *)("(?:[^"\\]|\\.)*"): /gm, "$1<b>$2</b>: ")
    .replaceAll(/(?<=: ")\d{4}-\d\d-\d\dT[\d:]+Z(?=",?$)/gm, "<time>$&</time>");
  const linked = html.replaceAll(/(?<=^ {2}<b>"(?:next|previous)"<\/b>: )"(?:[^"\\]|\\.)*"/gm, renderLink);
  return <code class="json">{raw(hasLinks ? linked : html)}</code>;
};

/** @param text A JSON string with a URL. All characters except quotes are escaped as HTML */
function renderLink(text: string): string {
  return `<a href="${String(JSON.parse(text)).replaceAll('"', "&quot;")}">${text}</a>`;
}
