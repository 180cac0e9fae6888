import { MOCK_OPTIONS } from "../../mock/options.ts";
import { DOCUMENT_PATH, REFERENCE_PATH } from "../about.ts";
import { CodeBlock } from "../code-block.tsx";
import { JsonText } from "../json-text.tsx";
import type { FC } from "../jsx-runtime.ts";
import { quoteForShell } from "../landing/client-examples.ts";
import { Layout, Links } from "../layout.tsx";
import type { OpenApiDocument, Operation } from "./document.ts";
import { describeSchema, findExample, listFields, listHeaders, listOperations } from "./document.ts";
import { Entries, Markdown } from "./text.tsx";
import { TryIt } from "./try-it.tsx";

/** The API reference: the OpenAPI document for people to read, and a form that sends requests. */
export function renderReference(document: OpenApiDocument): string {
  const { info, servers, components } = document;
  const origin = servers[0]?.url ?? "";
  const operations = listOperations(document);
  const lists = [
    { id: "record", name: "Record", entries: listFields(components.schemas.TrafficRecord) },
    { id: "envelope", name: "Page", entries: listFields(components.schemas.Page) },
  ];
  const headers = { id: "headers", name: "Headers" };
  const contents = [
    ...operations.map(({ operationId: id, summary: name }) => ({ id, name })),
    FAULTS,
    ...lists,
    headers,
  ];
  return (
    <Layout title="API reference" path={REFERENCE_PATH} scripts={["copy", "send"]}>
      <nav aria-label="Contents">
        <Links links={contents.map(({ id, name }) => [`#${id}`, name])} />
      </nav>
      <h1>API reference</h1>
      <Markdown text={info.description} />
      <p>
        Version {info.version}. The <a href={DOCUMENT_PATH}>OpenAPI document</a> is for client generators and
        other viewers.
      </p>
      {operations.map((operation) => (
        <DescribedOperation {...operation} url={origin + operation.path} />
      ))}
      {lists.map(({ id, name, entries }) => (
        <>
          <h2 id={id}>{name}</h2>
          <Entries entries={entries} />
        </>
      ))}
      <details>
        <summary>
          <h2 id={headers.id}>{headers.name}</h2>
        </summary>
        <Entries entries={listHeaders(operations, document)} />
      </details>
    </Layout>
  ).html;
}

/** An operation: what it does, how to send it, and an example. Both have the same parameters and errors, which `GET` lists. */
const DescribedOperation: FC<Operation & { url: string }> = ({ url, ...operation }) => {
  const { operationId, summary, description, method, path } = operation;
  const example = findExample(operation);
  const command = method === "GET" ? quoteForShell(`${url}?page=2`) : `-X ${method} ${quoteForShell(url)}`;
  return (
    <section aria-labelledby={operationId}>
      <h2 id={operationId}>{summary}</h2>
      <p>
        <b>{method}</b> <code>{path}</code>
      </p>
      <Markdown text={description} />
      {method === "GET" && <TryIt url={url} path={path} />}
      <CodeBlock code={`curl -si ${command}`} label={`curl: ${summary}`} />
      {method === "GET" && <Details {...operation} />}
      {example && (
        <details>
          <summary>
            Example: <code>{example.summary}</code>
          </summary>
          <pre class="panel">
            <JsonText value={example.value} />
          </pre>
        </details>
      )}
    </section>
  );
};

/** The place of the response, the faults, the parameters and the responses. */
const Details: FC<Operation> = ({ parameters, responses }) => (
  <>
    <section class="panel response" aria-label="The response" tabindex={0} hidden>
      <pre />
    </section>
    <h3 id={FAULTS.id}>{FAULTS.name}</h3>
    <p>
      These are the options of <code>prefer</code>, each with an example. Commas separate several options.
    </p>
    <Entries
      entries={Object.values(MOCK_OPTIONS).map(({ example, value, description }) => ({
        name: example,
        detail: value,
        text: `${description}.`,
      }))}
    />
    <h3>Parameters</h3>
    <Entries
      entries={parameters.map(({ name, in: place, schema, description }) => ({
        name,
        detail: `${place}: ${describeSchema(schema)}`,
        // The table of faults replaces the list of them.
        text: description.replace(/:\n\n- .*/s, ": see Faults, above."),
      }))}
    />
    <h3>Responses</h3>
    <Entries
      entries={Object.entries(responses).map(([status, { description }]) => ({
        name: status === "default" ? "Other" : status,
        detail: "",
        text: description,
      }))}
    />
  </>
);

const FAULTS = { id: "faults", name: "Faults" };
