import type { FC } from "../jsx-runtime.ts";

/**
 * Text of the OpenAPI document, which is Markdown (OpenAPI 3.1, "Rich Text Formatting"). It uses only paragraphs, lists
 * and code.
 */
export const Markdown: FC<{ text: string }> = ({ text }) => (
  <>
    {text.split(/\n{2,}/).map((block) =>
      block.startsWith("- ") ? (
        <ul>
          {block
            .slice(2)
            .split(/\n- /)
            .map((item) => (
              <li>
                <Inline text={item} />
              </li>
            ))}
        </ul>
      ) : (
        <p>
          <Inline text={block} />
        </p>
      ),
    )}
  </>
);

/** A text without paragraphs, in which backticks enclose code. */
export const Inline: FC<{ text: string }> = ({ text }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);
