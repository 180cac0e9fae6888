import type { FC } from "hono/jsx";
import { DEFAULT_RETRY_MS } from "../../src/faults/fault-response.ts";
import { DESCRIPTIONS, isOptionName, OPTIONS, type OptionKind } from "../../src/faults/option-table.ts";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { CodeBlock, ResponsePanel, ShortenedPage } from "../../src/views/code-block.tsx";
import { Layout, LinkList } from "../../src/views/layout.tsx";
import { OPENAPI_PATH, REFERENCE_PATH } from "../../src/views/site.ts";
import { DefinitionList, type Entry, Markdown } from "./definition-list.tsx";
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

const FAULTS = `These are the options of \`prefer\`. Each example fills the form above. Commas separate options, and \`else\` separates rules.

A rule applies if all its conditions are met. Conditions without a fault mean \`code=503\`, or \`code=429\` with \`rate\`. A 503 and a 429 that you request have \`Retry-After: ${DEFAULT_RETRY_MS / 1_000}\`, unless \`retry-after\` or \`rate\` says otherwise.`;

/** The groups of options, in the order of the page. */
const FAULT_GROUPS: Record<OptionKind | "rule", string> = {
  fault: "Faults: what happens to a response",
  condition: "Conditions: which responses have the faults",
  shared: "Options of all rules",
  rule: "Rules",
};

/** Joins alternatives: `a, b or c`. The locale avoids a comma before "or". */
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });

/**
 * Renders the API reference: the OpenAPI document as HTML, and a form that sends requests. The build does not know the origin of the
 * service, so a script adds it to the curl command (scripts/send.ts).
 */
export function renderReference(): string {
  const { info, paths, components } = OPENAPI_DOCUMENT;
  const { get, options } = paths[COLLECTION_PATH];
  return String(
    <Layout title="API reference" path={REFERENCE_PATH} description={info.summary} script="send.js">
      <div class="reference">
        <nav aria-label="Contents">
          <LinkList links={SECTIONS} />
        </nav>
        <div>
          <h1>API reference</h1>
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
          <section id="received" aria-label="Headers and body" tabindex={0} hidden>
            <ResponsePanel>
              <pre />
            </ResponsePanel>
          </section>
          <h3 id="parameters">Parameters</h3>
          <DefinitionList kind="parameter" entries={listParameters(get)} />
          <h3 id="responses">Responses</h3>
          <DefinitionList kind="response" entries={listResponses(get)} />
          <p>
            Example: <code>GET {COLLECTION_PATH}</code>, shortened to one of {EXAMPLE_PAGE.results.length}{" "}
            records.
          </p>
          <ShortenedPage page={EXAMPLE_PAGE} hasLinks={false} />
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
          <Markdown text={FAULTS} />
          {Object.entries(FAULT_GROUPS).map(([kind, title]) => (
            <>
              <h3>{title}</h3>
              <DefinitionList kind="fault" entries={listFaultOptions(kind)} />
            </>
          ))}
        </div>
      </div>
    </Layout>,
  );
}

/**
 * A form that sends a request for a page. A script shows the response below the form (scripts/send.ts), and the fields that only a script
 * can send: they have the names of headers as ids, because the browser sends fields with names. Without scripts, it opens the response.
 */
const TryIt: FC = () => (
  <form id="try" class="row" action={COLLECTION_PATH} aria-label="Try it" autocomplete="off">
    <h3>Try it</h3>
    <label>
      <code>page</code> <input name="page" value="2" inputmode="numeric" />
    </label>
    <label>
      <code>prefer</code> (query) <input name="prefer" list="examples" placeholder="code=503,fail=0.5" />
    </label>
    <datalist id="examples">
      {Object.values(DESCRIPTIONS).flatMap(({ examples }) =>
        Object.keys(examples).map((example) => <option value={example} />),
      )}
    </datalist>
    <fieldset class="row" hidden>
      <legend>Only “Send” uses these, because a link has no method and no headers:</legend>
      <label>
        method{" "}
        <select>
          {["GET", "HEAD", "OPTIONS"].map((method) => (
            <option>{method}</option>
          ))}
        </select>
      </label>
      <label>
        <code>Prefer</code> (header) <input id="Prefer" list="examples" />
      </label>
      <label>
        <code>If-None-Match</code> (header) <input id="If-None-Match" list="etags" />
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
    <a href={COLLECTION_PATH} hidden>
      Request again with marks
    </a>
  </form>
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
    href: name.toLowerCase() === "prefer" ? "#faults" : undefined,
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
  return Object.entries(headers)
    .filter(([, { schema }]) => schema.const === undefined)
    .map(([name, { schema, description: text }]) => ({ name, detail: describeSchema(schema), text }));
}

/** Lists the options of a group with their values, and what each example does. */
function listFaultOptions(group: string): Entry[] {
  return Object.entries(DESCRIPTIONS)
    .filter(([name]) => (isOptionName(name) ? OPTIONS[name].kind : "rule") === group)
    .map(([name, { expected, examples }]) => ({ name, detail: expected, examples }));
}

/** Describes the valid values of a schema in Markdown. */
function describeSchema(schema: Schema, format: (value: unknown) => string = String): string {
  return OR.format(listAlternatives(schema, format));
}

function listAlternatives(schema: Schema, format: (value: unknown) => string): string[] {
  const { anyOf, const: constant, enum: values, type, minimum } = schema;
  if (anyOf) return anyOf.flatMap((alternative) => listAlternatives(alternative, format));
  const constants = constant === undefined ? values : [constant];
  if (constants) return constants.map((value) => `\`${format(value)}\``);
  // Any other minimum is that of safe integers, which tells a reader nothing.
  return [minimum === 0 || minimum === 1 ? `${type} ≥ ${minimum}` : String(type)];
}
