import { raw } from "hono/html";
import type { FC, PropsWithChildren } from "hono/jsx";
import { quoteForShell } from "../escape.ts";
import type { Page } from "../records/schema.ts";
import { formatJson } from "./json-html.ts";

/** Renders a sentence with code between backticks. */
export const MarkedCode: FC<{ text: string }> = ({ text }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);

/** Renders the Markdown of descriptions: paragraphs and code. */
export const Markdown: FC<{ text: string }> = ({ text }) => (
  <>
    {text.split("\n\n").map((paragraph) => (
      <p>
        <MarkedCode text={paragraph} />
      </p>
    ))}
  </>
);

/**
 * A block of code. A script adds a copy button (src/views/assets/scripts/page.ts).
 * @param label The end of the accessible name of the button
 */
export const CodeBlock: FC<{ code: string; label: string }> = ({ code, label }) => (
  <div class="code row panel" data-label={label}>
    <pre>
      <code>{code}</code>
    </pre>
  </div>
);

export const CurlBlock: FC<{ options: string; url: string }> = ({ options, url }) => (
  <CodeBlock code={`curl ${options} ${quoteForShell(url)}`} label="curl" />
);

/** A page of the collection as JSON, shortened to its first record. */
export const ShortenedPage: FC<{ page: Page; hasLinks?: boolean }> = ({ page, hasLinks = true }) => (
  <pre class="panel">
    <code class="json">{raw(formatJson({ ...page, results: page.results.slice(0, 1) }, { hasLinks }))}</code>
  </pre>
);

type PanelProps = PropsWithChildren<{ head?: string; isOpen?: boolean }>;

/** A response: its status and headers, which are folded by default, and its body as children. */
export const ResponsePanel: FC<PanelProps> = ({ head, isOpen, children }) => (
  <div class="panel response">
    <details open={isOpen}>
      <summary>Headers</summary>
      <pre>{head}</pre>
    </details>
    {children}
  </div>
);
