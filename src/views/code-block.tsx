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

export const CurlBlock: FC<{ options: string; url: string; label: string }> = ({ options, url, label }) => (
  <CodeBlock code={`curl ${options} ${quoteForShell(url)}`} label={label} />
);

const MEMBER_NAME = /^( *)("[^"]*"): /gm;
const TIMESTAMP = /"(\d{4}-\d\d-\d\dT[\d:]+Z)"/g;
/** The value of `next` or `previous`, after `MEMBER_NAME` was marked. */
const NEIGHBOR_URL = /^( {2}<b>"(?:next|previous)"<\/b>: )"([^"\\]*)"/gm;

/** JSON with a member on each line. The HTML is a string, because a page would need hundreds of elements. */
export const JsonText: FC<{ value: unknown; hasLinks?: boolean }> = ({ value, hasLinks = true }) => {
  const html = JSON.stringify(value, null, 2)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(MEMBER_NAME, "$1<b>$2</b>: ")
    // The style sheet keeps a timestamp on one line.
    .replaceAll(TIMESTAMP, '"<time>$1</time>"');
  const linked = html.replaceAll(NEIGHBOR_URL, '$1"<a href="$2">$2</a>"');
  return <code class="json">{raw(hasLinks ? linked : html)}</code>;
};
