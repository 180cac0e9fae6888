import type { FC } from "./jsx-runtime.ts";

interface CodeBlockProps {
  code: string;
  /** What the code is, for the name of the copy button. */
  label: string;
  /** Whether the code is the address at the top of the page, which is a single line. */
  address?: boolean;
}

/**
 * Code with a copy button, which a script shows (src/site/assets/scripts/copy.ts). The result is reported in an element
 * of its own: a screen reader announces a status only if its element exists before it changes, and the button must keep
 * its name.
 */
export const CodeBlock: FC<CodeBlockProps> = ({ code, label, address }) => (
  <div class={address ? "code address" : "code"}>
    <section tabindex={0} aria-label={label}>
      <pre>
        <code>{code}</code>
      </pre>
    </section>
    <div class="copying">
      <span role="status" />
      <button type="button" class="copy" aria-label={`Copy: ${label}`} hidden>
        Copy
      </button>
    </div>
  </div>
);
