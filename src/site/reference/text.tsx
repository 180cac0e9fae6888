import type { FC, Markup } from "../jsx-runtime.ts";

/** Text of the OpenAPI document, which is Markdown: paragraphs, lists and code (OpenAPI 3.1, "Rich Text Formatting"). */
export const Markdown: FC<{ text: string }> = ({ text }) => (
  <>
    {text.split(/\n{2,}/).map((block) => (block.startsWith("- ") ? writeList(block) : writeParagraph(block)))}
  </>
);

function writeList(block: string) {
  return (
    <ul>
      {block
        .slice(2)
        .split(/\n- /)
        .map((item) => (
          <li>{writeCode(item)}</li>
        ))}
    </ul>
  );
}

function writeParagraph(block: string) {
  return <p>{writeCode(block)}</p>;
}

/** In a text without paragraphs, backticks enclose code. */
function writeCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}

/** A field, a parameter, a header, a response or a fault. */
export interface Entry {
  id: string;
  name: string | Markup;
  /** The type of the value, for example. */
  detail: string;
  text: string;
}

export const Entries: FC<{ entries: Entry[]; id?: string }> = ({ entries, id }) => (
  <dl class="entries" id={id}>
    {entries.map(({ id, name, detail, text }) => (
      <div id={id}>
        <dt>
          <code>{name}</code> <span class="quiet">{detail}</span>
        </dt>
        <dd>{text !== "" && <Markdown text={text} />}</dd>
      </div>
    ))}
  </dl>
);
