import type { FC } from "hono/jsx";

interface CodeProps {
  code: string;
  /** What it is, for the name of its copy button. */
  label: string;
  /** One line, the first thing to see. */
  address?: boolean;
}

/**
 * Text to be copied. The button shows where scripts run (src/site/assets/scripts/copy.ts). What came of it is said beside it: what
 * is read aloud as a status has to stand in the page before it changes, and the button is called as what it does.
 */
export const Code: FC<CodeProps> = ({ code, label, address }) => (
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
