import { DOCUMENT_PATH, REFERENCE_PATH } from "../../about.ts";
import { MOCK_OPTIONS } from "../../mock/options.ts";
import type { OpenApiDocument, Operation } from "../../openapi.ts";
import { COLLECTION_PATH } from "../../records/page.ts";
import { CurlBlock, JsonText } from "../code.tsx";
import type { FC, PropsWithChildren } from "../jsx-runtime.ts";
import { Layout, Links } from "../layout.tsx";
import { Entries, listFields, listHeaders, listParameters, listResponses, Markdown } from "./entries.tsx";

/** The API reference: the OpenAPI document for people to read, and a form that sends requests. */
export function renderReference(document: OpenApiDocument): string {
  const { info, servers, paths, components } = document;
  const url = `${servers[0]?.url}${COLLECTION_PATH}`;
  const { get, options } = paths[COLLECTION_PATH] ?? {};
  const operations = [get, options].filter((operation) => operation !== undefined);
  return (
    <Layout title="API reference" path={REFERENCE_PATH} scripts={["copy", "send"]}>
      <nav aria-label="Contents">
        <Links
          links={[
            ...operations.map(({ operationId, summary }) => [`#${operationId}`, summary] as const),
            ["#faults", "Faults"],
            ["#record", "Record"],
            ["#envelope", "Page"],
            ["#headers", "Headers"],
          ]}
        />
      </nav>
      <h1>API reference</h1>
      <Markdown text={info.description} />
      <p>
        Version {info.version}. The <a href={DOCUMENT_PATH}>OpenAPI document</a> is for client generators and
        other viewers.
      </p>
      {get && <List {...get} url={url} />}
      {options && <Describe {...options} url={url} />}
      <h2 id="record">Record</h2>
      <Entries entries={listFields(components.schemas.TrafficRecord)} />
      <h2 id="envelope">Page</h2>
      <Entries entries={listFields(components.schemas.Page)} />
      <details>
        <summary>
          <h2 id="headers">Headers</h2>
        </summary>
        <Entries entries={listHeaders(operations, components)} />
      </details>
    </Layout>
  ).html;
}

type OperationProps = Operation & {
  /** The absolute URL of the collection. */
  url: string;
};

const List: FC<OperationProps> = (operation) => {
  const { url, summary } = operation;
  return (
    <Section {...operation} method="GET">
      <TryIt url={url} />
      <CurlBlock options="-si" url={`${url}?page=2`} label={`curl: ${summary}`} />
      <section class="panel response" aria-label="The response" tabindex={0} hidden>
        <pre />
      </section>
      <h3 id="faults">Faults</h3>
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
      <Entries entries={listParameters(operation)} />
      <h3>Responses</h3>
      <Entries entries={listResponses(operation)} />
    </Section>
  );
};

/** Its parameters and errors are those of the list. */
const Describe: FC<OperationProps> = (operation) => (
  <Section {...operation} method="OPTIONS">
    <CurlBlock options="-si -X OPTIONS" url={operation.url} label={`curl: ${operation.summary}`} />
  </Section>
);

/** What an operation does, how to send it, and an example of its response. */
const Section: FC<PropsWithChildren<Operation & { method: string }>> = ({
  children,
  method,
  ...operation
}) => (
  <section aria-labelledby={operation.operationId}>
    <h2 id={operation.operationId}>{operation.summary}</h2>
    <p>
      <b>{method}</b> <code>{COLLECTION_PATH}</code>
    </p>
    <Markdown text={operation.description} />
    {children}
    <Example {...operation} />
  </section>
);

/** The first example of a successful response; of a page, with only its first record. */
const Example: FC<Operation> = ({ responses }) => {
  const [example] = Object.values(responses["200"]?.content?.["application/json"]?.examples ?? {});
  if (!example) return null;
  const { results, ...others } = Object(example.value);
  return (
    <details>
      <summary>
        Example: <code>{example.summary}</code>
      </summary>
      <pre class="panel">
        <JsonText value={results ? { ...others, results: results.slice(0, 1) } : others} />
      </pre>
    </details>
  );
};

/**
 * A form that sends a request for a page. A script shows the response in place (scripts/send.ts); without scripts, the browser
 * opens the response.
 */
const TryIt: FC<{ url: string }> = ({ url }) => (
  <form class="try row" action={COLLECTION_PATH} data-url={url} aria-label="Try it" autocomplete="off">
    <label>
      <code>page</code> <input name="page" value="2" inputmode="numeric" />
    </label>
    <label>
      <code>prefer</code> <input name="prefer" list="examples" placeholder="code=503,fail=0.5" />
    </label>
    <datalist id="examples">
      {Object.values(MOCK_OPTIONS).map(({ example }) => (
        <option value={example} />
      ))}
    </datalist>
    <button type="submit" class="button primary" name="format" value="json">
      Send
    </button>
    <button type="submit" class="button" name="format" value="api">
      Open the web page
    </button>
    <span role="status" />
  </form>
);
