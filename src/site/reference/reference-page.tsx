import type { OpenApiDocument } from "../../openapi.ts";
import { DOCUMENT_PATH, REFERENCE_PATH } from "../about.ts";
import type { FC } from "../jsx-runtime.ts";
import { Layout } from "../layout.tsx";
import { Inline, Markdown } from "./markdown.tsx";
import { Operation } from "./operation.tsx";
import { describeSchema, Entry, Schemas } from "./schema.tsx";

/** The API reference: everything that the OpenAPI document says, for people to read. */
export function renderReference(document: OpenApiDocument): string {
  const origin = document.servers[0]?.url ?? "";
  const operations = listOperations(document);
  return (
    <Layout title="API reference" path={REFERENCE_PATH} scripts={["copy"]}>
      <h1>API reference</h1>
      <div class="lead">
        <Markdown text={document.info.description} />
      </div>
      <p>
        Version {document.info.version}. For client generators and other viewers, there is an{" "}
        <a href={DOCUMENT_PATH}>OpenAPI document</a> with the same content.
      </p>
      <nav class="contents" aria-label="Contents">
        <ul>
          {operations.map(({ operationId, method, path, summary }) => (
            <li>
              <a href={`#${operationId}`}>{summary}</a> <b>{method}</b> <code>{path}</code>
            </li>
          ))}
          <li>
            <a href="#schemas">Objects</a>
          </li>
          <li>
            <a href="#headers">Headers</a>
          </li>
        </ul>
      </nav>
      {operations.map((operation, index) => (
        <Operation {...operation} origin={origin} before={operations.slice(0, index)} />
      ))}
      <Schemas {...document.components} />
      <Headers document={document} />
    </Layout>
  ).html;
}

function listOperations({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** All headers of responses. A header that means different things in different responses is listed more than once. */
const Headers: FC<{ document: OpenApiDocument }> = ({ document }) => {
  const names = new Map(
    listOperations(document)
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers }) => Object.entries(headers))
      .map(([name, { $ref }]) => [$ref.replace(/.*\//, ""), name]),
  );
  return (
    <section aria-labelledby="headers">
      <h2 id="headers">Headers</h2>
      <dl class="entries">
        {[...names].map(([component, name]) => {
          const header = document.components.headers[component];
          return (
            header && (
              <Entry id={`header-${component}`} name={name} detail={describeSchema(header.schema)}>
                <Inline text={header.description} />
              </Entry>
            )
          );
        })}
      </dl>
    </section>
  );
};
