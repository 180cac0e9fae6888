import { DOCUMENT_PATH, REFERENCE_PATH } from "../about.ts";
import { JsonText } from "../json-text.tsx";
import type { FC } from "../jsx-runtime.ts";
import { Layout } from "../layout.tsx";
import type { OpenApiDocument, Operation, Schema } from "./document.ts";
import {
  describeBody,
  describeSchema,
  findExample,
  listHeaders,
  listOperations,
  toWords,
} from "./document.ts";
import { Entries, Markdown } from "./text.tsx";
import { TryIt } from "./try-it.tsx";

/** The record and the page. The other objects are folded. */
const OPEN_SCHEMAS = 2;

/** The API reference: the OpenAPI document for people to read, and a form that sends requests. */
export function renderReference(document: OpenApiDocument): string {
  const { info, servers, components } = document;
  const operations = listOperations(document);
  const schemas = Object.entries(components.schemas);
  return (
    <Layout title="API reference" path={REFERENCE_PATH} scripts={["copy", "send"]}>
      <div class="reference">
        <Contents operations={operations} schemas={schemas.map(([name]) => name)} />
        <div>
          <h1>API reference</h1>
          <Markdown text={info.description} />
          <p>
            Version {info.version}. The <a href={DOCUMENT_PATH}>OpenAPI document</a> is for client generators
            and other viewers.
          </p>
          {operations.map((operation, index) => (
            <DescribedOperation
              {...operation}
              origin={servers[0]?.url ?? ""}
              before={operations[index - 1]}
            />
          ))}
          {schemas.map(([name, { properties }], index) => (
            <details open={index < OPEN_SCHEMAS}>
              <summary>
                <h2>{toWords(name)}</h2>
              </summary>
              <Entries id={name} entries={listFields(name, properties as Record<string, Schema>)} />
            </details>
          ))}
          <details>
            <summary>
              <h2>Headers</h2>
            </summary>
            <Entries id="headers" entries={listHeaders(operations, document)} />
          </details>
        </div>
      </div>
    </Layout>
  ).html;
}

const Contents: FC<{ operations: Operation[]; schemas: string[] }> = ({ operations, schemas }) => (
  <nav aria-label="Contents">
    <ul class="links">
      {[
        ...operations.map(({ operationId, summary }) => [operationId, summary]),
        ["faults", "Faults"],
        ...schemas.map((name) => [name, toWords(name)]),
        ["headers", "Headers"],
      ].map(([id, name]) => (
        <li>
          <a href={`#${id}`}>{name}</a>
        </li>
      ))}
    </ul>
  </nav>
);

interface OperationProps extends Operation {
  /** The scheme, host and port under which clients reach the service. */
  origin: string;
  /** The operation before this one, which describes their common parameters. */
  before: Operation | undefined;
}

/** An operation: what it does, how to send it, its parameters and its responses. */
const DescribedOperation: FC<OperationProps> = ({ origin, before, ...operation }) => {
  const { operationId, summary, description, responses, method, path, parameters = [] } = operation;
  const example = findExample(operation);
  return (
    <section aria-labelledby={operationId}>
      <h2 id={operationId}>{summary}</h2>
      <p>
        <b>{method}</b> <code>{path}</code>
      </p>
      <Markdown text={description} />
      <TryIt method={method} path={path} url={origin + path} summary={summary} />
      <h3>Parameters</h3>
      {before ? (
        <p>
          {parameters.map(({ name }) => name).join(", ")}: as in {before.summary}.
        </p>
      ) : (
        <Entries
          entries={parameters.map(({ name, in: place, schema, description }) => ({
            id: `${place}-${name}`,
            name,
            detail: `${place}: ${describeSchema(schema)}`,
            // The table of faults replaces the list of them.
            text: description.replace(/:\n\n- .*/s, ": see Faults, above."),
          }))}
        />
      )}
      <h3>Responses</h3>
      <Entries
        entries={Object.entries(responses).map(([status, response]) => ({
          id: `${operationId}-${status}`,
          name: status === "default" ? "Other" : status,
          detail: describeBody(response),
          text: response.description,
        }))}
      />
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

function listFields(object: string, fields: Record<string, Schema>) {
  return Object.entries(fields).map(([name, schema]) => ({
    id: `${object}-${name}`,
    name,
    detail: describeSchema(schema),
    text: String(schema.description ?? ""),
  }));
}
