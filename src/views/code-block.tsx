import { raw } from "hono/html";
import type { FC, PropsWithChildren } from "hono/jsx";
import { quoteForShell } from "../escape.ts";
import { formatJson } from "./json-html.ts";

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

/** JSON with a member on each line. The HTML is a string, because a page would need hundreds of elements. */
export const JsonText: FC<{ value: unknown; hasLinks?: boolean }> = ({ value, hasLinks = true }) => (
  <code class="json">{raw(formatJson(value, { hasLinks }))}</code>
);

type PanelProps = PropsWithChildren<{ head?: string; isOpen?: boolean; hidden?: boolean }>;

/** A response: its status and headers, which are folded by default, and its body as children. */
export const ResponsePanel: FC<PanelProps> = ({ head, isOpen, hidden, children }) => (
  <section class="panel response" aria-label="Headers and body" tabindex={0} hidden={hidden}>
    <details open={isOpen}>
      <summary>Headers</summary>
      <pre>{head}</pre>
    </details>
    <pre>{children}</pre>
  </section>
);
