import type { FC } from "hono/jsx";
import { COLLECTION_PATH } from "../../src/http/links.ts";

/** Renders the Markdown that the OpenAPI document uses: paragraphs and code. */
export const Markdown: FC<{ text: string }> = ({ text }) => (
  <>
    {text.split("\n\n").map((paragraph) => (
      <p>{markCode(paragraph)}</p>
    ))}
  </>
);

function markCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}

/** An entry of a list: a field, a parameter, a header, a response, a method or a fault. */
export interface Entry {
  name: string;
  /** The valid values, in Markdown. */
  detail?: string;
  /** The description, in Markdown. */
  text?: string | undefined;
  /** What examples of a fault do, in Markdown. */
  examples?: Record<string, string>;
  /** The target of a link from the name. */
  href?: string | undefined;
}

/** A list of entries. Each is the target of links. An example opens a response; a script fills the form instead (scripts/send.ts). */
export const DefinitionList: FC<{ kind: string; entries: Entry[] }> = ({ kind, entries }) => (
  <dl class="entries">
    {entries.map(({ name, detail = "", text, examples = {}, href }) => (
      <div id={`${kind}-${name}`}>
        <dt>
          <code>{href === undefined ? name : <a href={href}>{name}</a>}</code>{" "}
          <span class="quiet">{markCode(detail)}</span>
        </dt>
        <dd>
          {text !== undefined && <Markdown text={text} />}
          {Object.entries(examples).map(([example, effect]) => (
            <p>
              <a
                class="fill"
                href={`${COLLECTION_PATH}?${new URLSearchParams({ page: "3", prefer: example })}`}
              >
                <code>{example}</code>
              </a>
              : {markCode(effect)}.
            </p>
          ))}
        </dd>
      </div>
    ))}
  </dl>
);
