import type { FC } from "hono/jsx";

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

/** Renders a sentence with code between backticks. */
export const MarkedCode: FC<{ text: string }> = ({ text }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);
