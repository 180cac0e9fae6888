import { COLLECTION_PATH, lastPage } from "../../records/page.ts";
import type { Page, TrafficRecord } from "../../records/record.ts";
import type { PageView } from "../../records/route.ts";
import { REFERENCE_PATH } from "../about.ts";
import { CodeBlock } from "../code-block.tsx";
import type { FC } from "../jsx-runtime.ts";
import { quoteForShell } from "../landing/client-examples.ts";
import { Layout } from "../layout.tsx";
import { formatNumber } from "../number-format.ts";
import { PageBox } from "../page-box.tsx";
import { Banners, type RecordsView } from "./banners.tsx";
import { JsonText } from "./json-text.tsx";
import { writeCsvUrl } from "./page-csv.ts";
import { RecordTable } from "./record-table.tsx";

/** The web page of a page of the collection. It shows the response that a client gets, even if the mock changed it. */
export function renderRecords(view: RecordsView): string {
  const { number, envelope, query } = view;
  const page: Page = JSON.parse(envelope);
  const { count } = page;
  const pages = lastPage(count);
  return (
    <Layout
      title={`Records, page ${number} of ${pages}`}
      path={COLLECTION_PATH}
      place={`Page ${formatNumber(number)}`}
      scripts={["copy", "arrow-keys"]}
    >
      <h1>Records</h1>
      <p class="lead">
        {formatNumber(count)} records, newest first; page {formatNumber(number)} of {formatNumber(pages)}.
      </p>
      <Banners {...view} />
      <nav class="pages" aria-label="Pages">
        <PageLinks page={page} url={view.url} />
        <PageBox query={query} number={number} last={pages} />
      </nav>
      {page.results.length > 0 && (
        <>
          <RecordTable records={page.results} />
          <nav class="pages" aria-label="Pages, below the records">
            <PageLinks page={page} url={view.url} />
          </nav>
        </>
      )}
      <h2>The response</h2>
      <Tools {...view} records={page.results} />
      <CodeBlock code={`curl -si ${quoteForShell(view.url(number))}`} label="curl" />
      <p>This is the response that a client gets for this page, indented here to be readable.</p>
      <ClientResponse headers={view.headers} page={page} />
    </Layout>
  ).html;
}

const PageLinks: FC<{ page: Page; url: PageView["url"] }> = ({ page: { count, next, previous }, url }) => (
  <>
    <PageLink to={previous && url(1)} name="« Newest" />
    <PageLink to={previous} name="‹ Previous" rel="prev" />
    <PageLink to={next} name="Next ›" rel="next" />
    <PageLink to={next && url(lastPage(count))} name="Oldest »" />
  </>
);

/** A link to a page. If there is no such page, the link keeps its place, so that the others do not move. */
const PageLink: FC<{ to: string | null; name: string; rel?: string }> = ({ to, name, rel }) =>
  to === null ? (
    <span class="button off">{name}</span>
  ) : (
    <a class="button" rel={rel} href={to}>
      {name}
    </a>
  );

/** The same page in other forms. */
const Tools: FC<PageView & { records: TrafficRecord[] }> = ({ url, number, records }) => {
  const json = new URL(url(number));
  json.searchParams.set("format", "json");
  return (
    <p class="actions">
      <a class="button" href={json.href}>
        Raw JSON
      </a>
      {records.length > 0 && (
        <a class="button" href={writeCsvUrl(records)} download={`records-page-${number}.csv`}>
          CSV of this page
        </a>
      )}
      <a class="button" href={`${REFERENCE_PATH}#describeRecords`}>
        OPTIONS
      </a>
    </p>
  );
};

/** The status, the headers and the indented body that a client gets. */
const ClientResponse: FC<{ headers: Headers; page: Page }> = ({ headers, page }) => (
  <section class="response scroll" aria-label="The response to a client" tabindex={0}>
    <pre class="headers">
      <b>HTTP 200 OK</b>
      {[...headers].map(([name, value]) => (
        <>
          {"\n"}
          <b>{capitalise(name)}:</b> {value}
        </>
      ))}
    </pre>
    <pre>
      <JsonText value={page} />
    </pre>
  </section>
);

/** Writes the name of a header as usual. Names are case-insensitive (RFC 9110, 5.1). */
function capitalise(name: string): string {
  return name === "etag" ? "ETag" : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
