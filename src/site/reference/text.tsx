import type { FC } from "../jsx-runtime.ts";

/** Text of the OpenAPI document, which is Markdown: paragraphs, lists and code (OpenAPI 3.1, "Rich Text Formatting"). */
export const Markdown: FC<{ text: string }> = ({ text }) => (
  <>
    {text
      .split(/\n{2,}/)
      .map((block) => (block.startsWith("- ") ? <List block={block} /> : <p>{markCode(block)}</p>))}
  </>
);

const List: FC<{ block: string }> = ({ block }) => (
  <ul>{block.split(/^- /m).map((item) => item !== "" && <li>{markCode(item)}</li>)}</ul>
);

/** In a text without paragraphs, backticks enclose code. */
function markCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}

/** A field, a parameter, a header, a response or a fault. */
export interface Entry {
  name: string;
  /** The values that it can have. */
  detail: string;
  text: string;
}

export const Entries: FC<{ entries: Entry[] }> = ({ entries }) => (
  <dl class="entries">
    {entries.map(({ name, detail, text }) => (
      <div>
        <dt>
          <code>{name}</code> <span class="quiet">{detail}</span>
        </dt>
        <dd>{text !== "" && <Markdown text={text} />}</dd>
      </div>
    ))}
  </dl>
);
