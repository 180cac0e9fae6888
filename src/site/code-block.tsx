import type { FC } from "./jsx-runtime.ts";

interface CodeBlockProps {
  code: string;
  /** What the code is, for the name of the copy button. */
  label: string;
}

/**
 * Code with a copy button, which a script shows (src/site/assets/scripts/copy.ts). The result is reported in an element
 * of its own: a screen reader announces a status only if its element exists before it changes, and the button must keep
 * its name.
 */
export const CodeBlock: FC<CodeBlockProps> = ({ code, label }) => (
  <div class="code row panel">
    <pre>
      <code>{code}</code>
    </pre>
    <span role="status" />
    <button type="button" class="copy button" aria-label={`Copy: ${label}`} hidden>
      Copy
    </button>
  </div>
);
