import type { Components, Operation, Schema } from "../../openapi.ts";
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
interface Entry {
  name: string;
  /** The values that it can have. */
  detail?: string;
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

/** The fields of an object, such as a record. */
export function listFields({ properties }: Schema = {}): Entry[] {
  return Object.entries(properties as Record<string, Schema>).map(([name, schema]) => ({
    name,
    detail: describeSchema(schema),
    text: String(schema.description ?? ""),
  }));
}

export function listParameters({ parameters }: Operation): Entry[] {
  return parameters.map(({ name, in: location, schema, description }) => ({
    name,
    detail: `${location}: ${describeSchema(schema)}`,
    // The table of faults replaces the list of them.
    text: description.replace(/:\n\n- .*/s, ": see Faults, above."),
  }));
}

export function listResponses({ responses }: Operation): Entry[] {
  return Object.entries(responses).map(([status, { description }]) => ({
    name: status === "default" ? "Other" : status,
    text: description,
  }));
}

/** The headers of the responses of operations. A name occurs more than once if it means different things. */
export function listHeaders(operations: Operation[], { headers }: Components): Entry[] {
  const responses = operations.flatMap(({ responses }) => Object.values(responses));
  const references = responses.flatMap(({ headers }) => Object.entries(headers));
  const names = new Map(references.map(([name, { $ref }]) => [$ref.replace(/.*\//, ""), name]));
  return Array.from(names, ([component, name]) => {
    const { schema = {}, description: text = "" } = headers[component] ?? {};
    return { name, detail: describeSchema(schema), text };
  });
}

/** Describes the values that a schema allows, in words. */
function describeSchema({ anyOf, const: constant, enum: values, type, minimum }: Schema): string {
  if (Array.isArray(anyOf)) return anyOf.map(describeSchema).join(", or ");
  if (Array.isArray(values)) return values.join(" or ");
  const limit = minimum === 0 || minimum === 1 ? `, ${minimum} or more` : "";
  return constant === undefined ? `${type}${limit}` : String(constant);
}
