import type { FC, PropsWithChildren } from "hono/jsx";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { Markdown, MarkedCode } from "../../src/views/code.tsx";

/** An entry of a list: a field, a parameter, a header, a response or a fault. */
export interface Entry {
  name: string;
  /** The valid values, in Markdown. */
  detail: string;
  /** The description, in Markdown. */
  text?: string | undefined;
  /** What examples of a fault do, in Markdown. */
  examples?: Record<string, string>;
}

/** A link to a response with a fault. A script fills the form instead (scripts/send.ts). */
export const Example: FC<PropsWithChildren<{ prefer: string }>> = ({ prefer, children }) => (
  <a class="fill" href={`${COLLECTION_PATH}?${new URLSearchParams({ prefer })}`}>
    {children}
  </a>
);

/** A list of entries. The name of each is a link to the entry itself, whose address others can copy. */
export const DefinitionList: FC<{ kind: string; entries: Entry[] }> = ({ kind, entries }) => (
  <dl class="entries">
    {entries.map(({ name, detail, text, examples = {} }) => (
      <div id={`${kind}-${name}`}>
        <dt>
          <a href={`#${kind}-${name}`}>
            <code>{name}</code>
          </a>{" "}
          <span class="quiet">
            <MarkedCode text={detail} />
          </span>
        </dt>
        <dd>
          {text !== undefined && <Markdown text={text} />}
          {Object.entries(examples).map(([example, effect]) => (
            <p>
              <Example prefer={example}>
                <code>{example}</code>
              </Example>
              : <MarkedCode text={effect} />.
            </p>
          ))}
        </dd>
      </div>
    ))}
  </dl>
);
