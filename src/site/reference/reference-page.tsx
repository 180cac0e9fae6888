import { DOCUMENT_PATH, REFERENCE_PATH } from "../../about.ts";
import { MOCK_OPTIONS } from "../../mock/options.ts";
import type { OpenApiDocument, Operation } from "../../openapi.ts";
import { COLLECTION_PATH } from "../../records/page.ts";
import { CurlBlock, JsonText } from "../code.tsx";
import type { FC } from "../jsx-runtime.ts";
import { Layout, Links } from "../layout.tsx";
import {
  Entries,
  listFields,
  listHeaders,
  listMockOptions,
  listParameters,
  listResponses,
  Markdown,
  OnlyWith,
} from "./entries.tsx";

const SECTIONS = [
  ["#parameters", "Parameters"],
  ["#responses", "Responses"],
  ["#record", "Record"],
  ["#envelope", "Page"],
  ["#headers", "Headers"],
  ["#faults", "Faults"],
] as const;

/** The API reference: the OpenAPI document for people to read, and a form that sends requests. */
export function renderReference({ info, servers, paths, components }: OpenApiDocument): string {
  const url = `${servers[0]?.url}${COLLECTION_PATH}`;
  const { get, options } = paths[COLLECTION_PATH] ?? {};
  if (!get || !options) throw new Error(`The document does not describe ${COLLECTION_PATH}`);
  const { TrafficRecord, Page } = components.schemas;
  const title = "API reference";
  return (
    <Layout title={title} path={REFERENCE_PATH} description={info.summary} scripts={["copy", "send"]}>
      <nav aria-label="Contents">
        <Links links={SECTIONS} />
      </nav>
      <h1>{title}</h1>
      <OnlyWith faults="off">
        <p class="banner" id="faults">
          Faults are off in this deployment: <code>prefer</code> has no meaning here.
        </p>
      </OnlyWith>
      <Markdown text={info.description} />
      <p>
        Version {info.version}. The <a href={DOCUMENT_PATH}>OpenAPI document</a> is for client generators and
        other viewers.
      </p>
      <h2>{get.summary}</h2>
      <p>
        <b>GET</b> <code>{COLLECTION_PATH}</code>
      </p>
      <Markdown text={get.description} />
      <TryIt url={url} />
      <CurlBlock options="-si" url={`${url}?page=2`} label={`curl: ${get.summary}`} />
      <section class="panel response" aria-label="The response" tabindex={0} hidden>
        <pre />
      </section>
      <h3 id="parameters">Parameters</h3>
      <Entries kind="parameter" entries={listParameters(get)} />
      <h3 id="responses">Responses</h3>
      <Entries kind="response" entries={listResponses(get)} />
      <Example {...get} />
      <h3>Other methods</h3>
      <Entries
        kind="method"
        entries={[{ name: "OPTIONS", detail: options.summary, text: options.description }]}
      />
      <h2 id="record">Record</h2>
      <Entries kind="record" entries={listFields(TrafficRecord)} />
      <h2 id="envelope">Page</h2>
      <Entries kind="page" entries={listFields(Page)} />
      <h2 id="headers">Headers</h2>
      <Entries kind="header" entries={listHeaders(get, components)} />
      <OnlyWith faults="on">
        <h2 id="faults">Faults</h2>
        <p>
          These are the options of <code>prefer</code>. Commas separate several options.
        </p>
        <Entries kind="fault" entries={listMockOptions()} />
      </OnlyWith>
    </Layout>
  ).html;
}

/** The first example of a page, with only its first record. */
const Example: FC<Operation> = ({ responses }) => {
  const [example] = Object.values(responses["200"]?.content?.["application/json"]?.examples ?? {});
  if (!example) return null;
  const { results, ...others } = Object(example.value);
  return (
    <>
      <p>
        Example: <code>{example.summary}</code>
      </p>
      <pre class="panel">
        <JsonText value={{ ...others, results: results.slice(0, 1) }} />
      </pre>
    </>
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
    <OnlyWith faults="on">
      <label>
        <code>prefer</code> <input name="prefer" list="examples" placeholder="code=503,fail=0.5" />
      </label>
      <datalist id="examples">
        {Object.values(MOCK_OPTIONS).map(({ example }) => (
          <option value={example} />
        ))}
      </datalist>
    </OnlyWith>
    <button type="submit" class="button primary" name="format" value="json">
      Send
    </button>
    <button type="submit" class="button" name="format" value="api">
      Open the web page
    </button>
    <span role="status" />
  </form>
);
