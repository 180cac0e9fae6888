import type { FC } from "hono/jsx";
import { DESCRIPTIONS } from "../faults/option-table.ts";
import { COLLECTION_PATH } from "../http/links.ts";
import { CodeBlock, JsonText } from "../views/code-block.tsx";
import { Layout } from "../views/layout.tsx";
import { Links } from "../views/links.tsx";
import { OPENAPI_PATH, REFERENCE_PATH } from "../views/site.ts";
import { EXAMPLE_PAGE, OPENAPI_DOCUMENT } from "./openapi.ts";
import type { Header, Operation, Schema } from "./openapi-components.ts";

const SECTIONS = [
  ["#try", "Try it"],
  ["#parameters", "Parameters"],
  ["#responses", "Responses"],
  ["#record", "Record"],
  ["#envelope", "Page"],
  ["#headers", "Headers"],
  ["#faults", "Faults"],
] as const;

/** Joins alternatives: `a, b or c`. The locale avoids a comma before "or". */
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });

/**
 * Renders the API reference: the OpenAPI document as HTML, and a form that sends requests. The build does not know the origin of the
 * service, so a script adds it to the curl command (scripts/send.ts).
 */
export function renderReference(): string {
  const { info, paths, components } = OPENAPI_DOCUMENT;
  const { get, options } = paths[COLLECTION_PATH];
  const title = "API reference";
  return String(
    <Layout title={title} path={REFERENCE_PATH} description={info.summary} script="/assets/send.js">
      <nav aria-label="Contents">
        <Links links={SECTIONS} />
      </nav>
      <h1>{title}</h1>
      <Markdown text={info.description} />
      <p>
        Version {info.version}. Use the <a href={OPENAPI_PATH}>OpenAPI document</a> to generate a client.
      </p>
      <h2>{get.summary}</h2>
      <p>
        <b>GET</b> <code>{COLLECTION_PATH}</code>
      </p>
      <Markdown text={get.description} />
      <TryIt />
      <CodeBlock
        code={`curl -si '${COLLECTION_PATH}?page=2' # add the origin of this service`}
        label={`curl: ${get.summary}`}
      />
      <section class="panel response" aria-label="The response" tabindex={0} hidden>
        <pre />
      </section>
      <h3 id="parameters">Parameters</h3>
      <DefinitionList kind="parameter" entries={listParameters(get)} />
      <h3 id="responses">Responses</h3>
      <DefinitionList kind="response" entries={listResponses(get)} />
      <p>
        Example: <code>GET {COLLECTION_PATH}</code>, shortened to one of {EXAMPLE_PAGE.results.length}{" "}
        records.
      </p>
      <pre class="panel">
        <JsonText value={{ ...EXAMPLE_PAGE, results: EXAMPLE_PAGE.results.slice(0, 1) }} hasLinks={false} />
      </pre>
      <h3>Other methods</h3>
      <DefinitionList
        kind="method"
        entries={[{ name: "OPTIONS", detail: options.summary, text: options.description }]}
      />
      <h2 id="record">Record</h2>
      <DefinitionList kind="record" entries={listFields(components.schemas.TrafficRecord)} />
      <h2 id="envelope">Page</h2>
      <DefinitionList kind="page" entries={listFields(components.schemas.Page)} />
      <h2 id="headers">Headers</h2>
      <DefinitionList kind="header" entries={listHeaders(components.headers)} />
      <h2 id="faults">Faults</h2>
      <p>
        These are the options of <code>prefer</code>.
      </p>
      <DefinitionList kind="fault" entries={listFaultOptions()} />
    </Layout>,
  );
}

/**
 * A form that sends a request for a page. A script shows the response below the form (scripts/send.ts), and the fields that only a script
 * can send: they have the names of headers as ids, because the browser sends fields with names. Without scripts, it opens the response.
 */
const TryIt: FC = () => (
  <form id="try" class="row" action={COLLECTION_PATH} aria-label="Try it" autocomplete="off">
    <label>
      <code>page</code> <input name="page" value="2" inputmode="numeric" />
    </label>
    <label>
      <code>prefer</code> <input name="prefer" list="examples" placeholder="code=503,fail=0.5" />
    </label>
    <datalist id="examples">
      {Object.values(DESCRIPTIONS).flatMap(({ examples }) =>
        Object.keys(examples).map((example) => <option value={example} />),
      )}
    </datalist>
    <fieldset class="row" hidden>
      <legend>Only with Send:</legend>
      <label>
        method{" "}
        <select>
          {["GET", "HEAD", "OPTIONS"].map((method) => (
            <option>{method}</option>
          ))}
        </select>
      </label>
      <label>
        <code>Prefer</code> <input id="Prefer" list="examples" />
      </label>
      <label>
        <code>If-None-Match</code> <input id="If-None-Match" list="etags" />
      </label>
      <datalist id="etags" />
    </fieldset>
    <button type="submit" class="button primary" name="format" value="json">
      Send
    </button>
    <button type="submit" class="button" name="format" value="api">
      Open as HTML
    </button>
    <button type="button" class="button" hidden>
      Cancel
    </button>
    <span role="status" />
    <span class="quiet" />
  </form>
);

/** Renders the Markdown that the OpenAPI document uses: paragraphs and code. */
const Markdown: FC<{ text: string }> = ({ text }) => (
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
interface Entry {
  name: string;
  /** The valid values, in Markdown. */
  detail?: string;
  /** The description, in Markdown. */
  text?: string | undefined;
}

/** A list of entries, each with a link to itself. */
const DefinitionList: FC<{ kind: string; entries: Entry[] }> = ({ kind, entries }) => (
  <dl class="entries">
    {entries.map(({ name, detail = "", text }) => {
      const id = `${kind}-${name}`;
      return (
        <div id={id}>
          <dt>
            <a href={`#${id}`}>
              <code>{name}</code>
            </a>{" "}
            <span class="quiet">{markCode(detail)}</span>
          </dt>
          <dd>{text !== undefined && <Markdown text={text} />}</dd>
        </div>
      );
    })}
  </dl>
);

/** The fields of an object, such as a record. */
function listFields({ properties = {} }: Schema = {}): Entry[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (typeof schema === "boolean") return [];
    return { name, detail: describeSchema(schema, JSON.stringify), text: schema.description };
  });
}

function listParameters({ parameters }: Operation): Entry[] {
  return parameters.map(({ name, in: location, schema, description }) => ({
    name,
    detail: `${location}: ${describeSchema(schema)}`,
    text: description,
  }));
}

function listResponses({ responses }: Operation): Entry[] {
  return Object.entries(responses).map(([status, { description }]) => ({
    name: status === "default" ? "Other" : status,
    text: description,
  }));
}

/** Lists the response headers whose value varies. */
function listHeaders(headers: Record<string, Header>): Entry[] {
  const varying = Object.entries(headers).filter(([, { schema }]) => schema.const === undefined);
  return varying.map(([name, { schema, description }]) => ({
    name,
    detail: describeSchema(schema),
    text: description,
  }));
}

/** Lists the options of `prefer` with their values, and what each example does. */
function listFaultOptions(): Entry[] {
  return Object.entries(DESCRIPTIONS).map(([name, { expected, examples }]) => {
    const paragraphs = Object.entries(examples).map(([example, text]) => `\`${example}\`: ${text}.`);
    return { name, detail: expected, text: paragraphs.join("\n\n") };
  });
}

function formatCode(text: string): string {
  return `\`${text}\``;
}

/** Describes the valid values of a schema in Markdown. */
function describeSchema(schema: Schema, format: (value: unknown) => string = String): string {
  return OR.format(listAlternatives(schema, format));
}

function listAlternatives(schema: Schema, format: (value: unknown) => string): string[] {
  const { anyOf, const: constant, enum: values, type, minimum } = schema;
  if (anyOf) return anyOf.flatMap((alternative) => listAlternatives(alternative, format));
  if (values) return values.map((value) => formatCode(format(value)));
  if (constant !== undefined) return [formatCode(format(constant))];
  // The minimum of the ids is that of safe integers.
  const hasSmallMinimum = minimum === 0 || minimum === 1;
  return [hasSmallMinimum ? `${type} ≥ ${minimum}` : String(type)];
}
