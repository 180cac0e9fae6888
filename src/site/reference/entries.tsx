import { MOCK_OPTIONS } from "../../mock/options.ts";
import type { Components, Operation, Schema } from "../../openapi.ts";
import { type FC, Markup, type PropsWithChildren } from "../jsx-runtime.ts";

/** A part of the template that only deployments with this setting of `FAULTS` show (src/site/templates.ts). */
export const OnlyWith: FC<PropsWithChildren<{ faults: "on" | "off" }>> = ({ faults, children }) => (
  <>
    {new Markup(`<!--faults ${faults}-->`)}
    {children}
    {new Markup("<!--/-->")}
  </>
);

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

/** A field, a parameter, a header, a response, a method or a fault. */
interface Entry {
  name: string;
  /** The values that it can have, in Markdown. */
  detail?: string;
  text: string;
}

/** Entries without meaning if faults are off. */
const OF_FAULTS = ["prefer", "Prefer", "400", "Other", "Preference-Applied", "Mock-Warning"];

/** @param kind the beginning of the `id` of each entry */
export const Entries: FC<{ kind: string; entries: Entry[] }> = ({ kind, entries }) => (
  <dl class="entries">
    {entries.map((entry) => {
      const html = <Definition {...entry} id={`${kind}-${entry.name.replace(/=.*/, "")}`} />;
      return OF_FAULTS.includes(entry.name) ? <OnlyWith faults="on">{html}</OnlyWith> : html;
    })}
  </dl>
);

/** Its link is for the mouse only: with the keyboard, the way through the page would be three times as long. */
const Definition: FC<Entry & { id: string }> = ({ id, name, detail = "", text }) => (
  <div id={id}>
    <dt>
      <a href={`#${id}`} tabindex={-1}>
        <code>{name}</code>
      </a>{" "}
      <span class="quiet">{markCode(detail)}</span>
    </dt>
    <dd>{text !== "" && <Markdown text={text} />}</dd>
  </div>
);

/** The fields of an object, such as a record. */
export function listFields({ properties }: Schema = {}): Entry[] {
  return Object.entries(properties as Record<string, Schema>).map(([name, schema]) => ({
    name,
    detail: describeSchema(schema, JSON.stringify),
    text: String(schema.description ?? ""),
  }));
}

export function listParameters({ parameters }: Operation): Entry[] {
  return parameters.map(({ name, in: location, schema, description }) => ({
    name,
    detail: `${location}: ${describeSchema(schema)}`,
    // The section about faults replaces the list of them.
    text: description.replace(/:\n\n- .*/s, ": see Faults, below."),
  }));
}

export function listResponses({ responses }: Operation): Entry[] {
  return Object.entries(responses).map(([status, { description }]) => ({
    name: status === "default" ? "Other" : status,
    text: description,
  }));
}

/** The headers of the responses of an operation that a client acts on: those that do not always have the same value. */
export function listHeaders({ responses }: Operation, { headers }: Components): Entry[] {
  const references = Object.values(responses).flatMap((response) => Object.entries(response.headers));
  const entries = references.flatMap(([name, { $ref }]) => {
    const { schema = {}, description: text = "" } = headers[$ref.replace(/.*\//, "")] ?? {};
    return schema.const === undefined
      ? [[name, { name, detail: describeSchema(schema), text }] as const]
      : [];
  });
  // A name that means different things is explained as in the first response.
  return [...new Map(entries.toReversed()).values()].reverse();
}

/** The faults: the name and the values of each, or an example of it if its values are many. */
export function listMockOptions(): Entry[] {
  return Object.entries(MOCK_OPTIONS).map(([name, { value, example, description, parse }]) => {
    const values = value.split(/, | or /);
    const text = `${description}.`;
    if (!values.every((one) => parse(one) !== undefined)) return { name: example, detail: value, text };
    return { name: `${name}=`, detail: joinAlternatives(values.map((one) => `\`${one}\``)), text };
  });
}

/**
 * Describes the values that a schema allows, in Markdown.
 * @param write writes a value as clients send or receive it
 */
function describeSchema(schema: Schema, write: (value: unknown) => string = String): string {
  return joinAlternatives(listAlternatives(schema, write));
}

function listAlternatives(schema: Schema, write: (value: unknown) => string): string[] {
  const { anyOf, const: constant, enum: values, type, minimum } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((one) => listAlternatives(one, write));
  if (Array.isArray(values)) return values.map((value) => `\`${write(value)}\``);
  if (constant !== undefined) return [`\`${write(constant)}\``];
  if (type === "null") return ["null"];
  return [minimum === 0 || minimum === 1 ? `${type} ≥ ${minimum}` : String(type)];
}

/** Joins alternatives as in a sentence: `a, b or c`. */
function joinAlternatives(alternatives: string[]): string {
  const [last, ...others] = alternatives.toReversed();
  return others.length === 0 ? String(last) : `${others.reverse().join(", ")} or ${last}`;
}
