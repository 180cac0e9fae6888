import type { FC } from "hono/jsx";
import { DEFAULT_RETRY_MS } from "../../src/faults/fault-response.ts";
import { DESCRIPTIONS, isOptionName, OPTIONS, type OptionKind } from "../../src/faults/option-table.ts";
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { SEED_CSV_PATH } from "../../src/store/seed.ts";
import { CodeBlock, Markdown, ResponsePanel, ShortenedPage } from "../../src/views/code.tsx";
import { Layout, LinkList } from "../../src/views/layout.tsx";
import { DATE_JUMP_PATH, HEALTH_PATH, OPENAPI_PATH, REFERENCE_PATH } from "../../src/views/site.ts";
import { DefinitionList, type Entry, Example } from "./definition-list.tsx";
import { EXAMPLE_PAGE, OPENAPI_DOCUMENT } from "./openapi.ts";
import type { Header, Parameter, Responses, Schema } from "./openapi-types.ts";
import { SHARED_HEADERS } from "./responses.ts";

const SECTIONS = [
  ["#try", "Try it"],
  ["#parameters", "Parameters"],
  ["#responses", "Responses"],
  ["#record", "Record"],
  ["#envelope", "Page"],
  ["#error", "Error"],
  ["#headers", "Headers"],
  ["#faults", "Faults"],
  ["#paths", "Other paths"],
] as const;

/** Faults that tests begin with. Each fills the form, whose command can be copied. */
const RECIPES = [
  ["a retry", "code=503,times=2"],
  ["a sequence", "code=503,times=1,else,code=429,times=1,else,body=cut,times=1"],
  ["a timeout", "hang"],
] as const;

const PATHS = `\`/\` says what the collection has, also in JSON. \`${DATE_JUMP_PATH}?date=2025-10-29\` redirects to the newest records of a day, and a day without records is a 404, whose member \`nearest\` lists the days before and after it. \`${SEED_CSV_PATH}\` is the sample data in one file. \`${HEALTH_PATH}\` says whether the service works: 200 or 503.`;

const FAULTS = `These are the options of \`prefer\`. Each example fills the form above. Commas separate options, and \`else\` separates rules.

A rule applies if all its conditions are met. Conditions without a fault mean \`code=503\`, or \`code=429\` with \`rate\`. A 503 and a 429 that you request have \`Retry-After: ${DEFAULT_RETRY_MS / 1_000}\`, unless \`retry-after\` or \`rate\` says otherwise.`;

/** The groups of options, in the order of the page. */
const FAULT_GROUPS: Record<OptionKind | "rule", string> = {
  fault: "Faults: what happens to a response",
  condition: "Conditions: which responses have the faults",
  shared: "Options of all rules",
  rule: "Rules",
};

/**
 * Renders the API reference: the OpenAPI document as HTML, and a form that sends requests. The build does not know the origin of the
 * service, so a script adds it to the curl command (scripts/send.ts).
 */
export function renderReference(): string {
  const { info, components } = OPENAPI_DOCUMENT;
  const { schemas, headers } = components;
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
          <ListOperation />
          <h2 id="record">Record</h2>
          <DefinitionList kind="record" entries={listFields(schemas.TrafficRecord)} />
          <h2 id="envelope">Page</h2>
          <DefinitionList kind="page" entries={listFields(schemas.Page)} />
          <h2 id="error">Error</h2>
          <DefinitionList kind="error" entries={listFields(schemas.Error)} />
          <h2 id="headers">Headers</h2>
          <DefinitionList kind="header" entries={listHeaders(headers)} />
          <h2 id="faults">Faults</h2>
          <Markdown text={FAULTS} />
          {Object.entries(FAULT_GROUPS).map(([kind, title]) => (
            <>
              <h3>{title}</h3>
              <DefinitionList kind="fault" entries={listFaultOptions(kind)} />
            </>
          ))}
          <h2 id="paths">Other paths</h2>
          <Markdown text={PATHS} />
        </div>
      </div>
    </Layout>,
  );
}

/** The request for a page: a form that sends it, its parameters and its responses. */
const ListOperation: FC = () => {
  const { summary, description, parameters, responses } = OPENAPI_DOCUMENT.paths[COLLECTION_PATH].get;
  return (
    <>
      <h2>{summary}</h2>
      <p>
        <b>GET</b> <code>{COLLECTION_PATH}</code>
      </p>
      <Markdown text={description} />
      <TryIt />
      <CodeBlock
        code={`curl -si '${COLLECTION_PATH}' # add the origin of this service`}
        label={`curl: ${summary}`}
      />
      <section id="received" aria-label="Headers and body" tabindex={0} hidden>
        <ResponsePanel>
          <pre />
        </ResponsePanel>
      </section>
      <h3 id="parameters">Parameters</h3>
      <DefinitionList kind="parameter" entries={listParameters(parameters)} />
      <h3 id="responses">Responses</h3>
      <p>
        All of them have the headers {SHARED_HEADERS.join(", ")}, the last two only if an option applied, or
        was ignored.
      </p>
      <DefinitionList kind="response" entries={listResponses(responses)} />
      <p>Example, shortened to one of {EXAMPLE_PAGE.results.length} records:</p>
      <ShortenedPage page={EXAMPLE_PAGE} hasLinks={false} />
    </>
  );
};

/** A form that sends a request for a page. A script shows the response below the form (scripts/send.ts). Without scripts, it opens the response. */
const TryIt: FC = () => (
  <form id="try" class="row" action={COLLECTION_PATH} aria-label="Try it" autocomplete="off">
    <h3>Try it</h3>
    <p>
      Test {RECIPES.map(([name, prefer]) => [<Example prefer={prefer}>{name}</Example>, ", "])}
      or any of the <a href="#faults">faults</a>.
    </p>
    <p id="settings">A deployment can turn faults off, or set some by default.</p>
    <label>
      <code>page</code> <input name="page" placeholder="1" inputmode="numeric" />
    </label>
    <label>
      <code>prefer</code> <input name="prefer" placeholder="code=503,fail=0.5" />
    </label>
    <label>
      <code>run</code> <input name="run" />
    </label>
    <button type="submit" class="button primary" name="format" value="json">
      Send
    </button>
    <button type="submit" class="button" name="format" value="api">
      Open as HTML
    </button>
    <span role="status" />
    <span class="quiet" />
  </form>
);

/** The fields of an object, such as a record. The records of a page have a list of their own. */
function listFields({ properties = {} }: Schema = {}): Entry[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (typeof schema === "boolean") return [];
    return { name, detail: describeSchema(schema, JSON.stringify), text: schema.description };
  });
}

function listParameters(parameters: Parameter[]): Entry[] {
  return parameters.map(({ name, in: location, schema, description }) => ({
    name,
    detail: `${location}: ${describeSchema(schema)}`,
    text: description,
  }));
}

/** Lists the responses with the headers that not all of them have. */
function listResponses(responses: Responses): Entry[] {
  return Object.entries(responses).map(([status, { description, headers }]) => ({
    name: status === "default" ? "Other" : status,
    detail: Object.keys(headers).slice(SHARED_HEADERS.length).join(", "),
    text: description,
  }));
}

function listHeaders(headers: Record<string, Header>): Entry[] {
  return Object.entries(headers).map(([name, { schema, description: text }]) => {
    return { name, detail: describeSchema(schema), text };
  });
}

/** Lists the options of a group with their values, and what each example does. */
function listFaultOptions(group: string): Entry[] {
  return Object.entries(DESCRIPTIONS)
    .filter(([name]) => (isOptionName(name) ? OPTIONS[name].kind : "rule") === group)
    .map(([name, { expected, examples }]) => ({ name, detail: expected, examples }));
}

/** Describes the valid values of a schema in Markdown. */
function describeSchema(schema: Schema, format: (value: unknown) => string = String): string {
  // In this locale, no comma stands before "or".
  const list = new Intl.ListFormat("en-GB", { type: "disjunction" });
  return list.format(listAlternatives(schema, format));
}

function listAlternatives(schema: Schema, format: (value: unknown) => string): string[] {
  const { anyOf, const: constant, enum: values, type, minimum, maxLength } = schema;
  if (anyOf) return anyOf.flatMap((alternative) => listAlternatives(alternative, format));
  const constants = constant === undefined ? values : [constant];
  if (constants) return constants.map((value) => `\`${format(value)}\``);
  if (type === "array") return ["array of records"];
  if (maxLength !== undefined) return [`${type} of at most ${maxLength} characters`];
  // Any other minimum is that of safe integers, which tells a reader nothing.
  return [minimum === 0 || minimum === 1 ? `${type} ≥ ${minimum}` : String(type)];
}
