import { COLLECTION_PATH, lastPage } from "../../records/page.ts";
import type { Page } from "../../records/record.ts";
import { REFERENCE_PATH } from "../about.ts";
import { CodeBlock } from "../code-block.tsx";
import { JsonText } from "../json-text.tsx";
import type { FC } from "../jsx-runtime.ts";
import { DateBox, PageBox } from "../jump-boxes.tsx";
import { quoteForShell } from "../landing/client-examples.ts";
import { Layout } from "../layout.tsx";
import { writeHead } from "../message-head.ts";
import { formatCount } from "../number-format.ts";
import { Banners, type RecordsView } from "./banners.tsx";
import { RecordTable } from "./record-table.tsx";

/** The web page of a page of the collection. It shows the JSON that a client gets, whatever that contains. */
export function renderRecords(view: RecordsView): string {
  const { number, envelope, query } = view;
  const page: Page = JSON.parse(envelope);
  const pages = lastPage(page.count);
  return (
    <Layout title={`Records, page ${number} of ${pages}`} path={COLLECTION_PATH} scripts={["copy", "send"]}>
      <h1>Records</h1>
      <p class="lead">{formatCount(page.count, "record")}, newest first.</p>
      <Banners {...view} count={page.count} />
      <nav class="row" aria-label="Pages">
        <PageLinks page={page} view={view} />
        <PageBox query={query} number={number} last={pages} />
        <DateBox query={query} date={page.results[0]?.timestamp?.slice(0, 10)} />
      </nav>
      {page.results.length > 0 && (
        <>
          <RecordTable records={page.results} />
          {page.results.some(({ camera_ok }) => camera_ok === null) && (
            <p class="quiet">
              If <code>camera_ok</code> is null, it was not recorded whether the camera worked.
            </p>
          )}
          <nav class="row" aria-label="Pages, below the records">
            <PageLinks page={page} view={view} />
          </nav>
        </>
      )}
      <Response view={view} page={page} />
    </Layout>
  ).html;
}

interface PageProps {
  view: RecordsView;
  page: Page;
}

const PageLinks: FC<PageProps> = ({ page: { count, next, previous }, view: { url } }) => (
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

/** The command, and the status, the headers and the indented body that a client gets. */
const Response: FC<PageProps> = ({ view: { url, number, headers }, page }) => {
  const address = url(number);
  return (
    <section class="client" aria-labelledby="response">
      <h2 id="response">The response to a client</h2>
      <CodeBlock code={`curl -si ${quoteForShell(address)}`} label="curl" />
      <p class="row">
        <a class="button" href={address.replace("format=api", "format=json")}>
          Raw JSON
        </a>
        {page.results.length > 0 && (
          <a class="button" href={writeCsvUrl(page.results)} download={`records-page-${number}.csv`}>
            CSV of this page
          </a>
        )}
        <a class="button" data-method="OPTIONS" href={`${REFERENCE_PATH}#describeRecords`}>
          OPTIONS
        </a>
        <span role="status" />
      </p>
      <section class="panel response" aria-label="Headers and indented body" tabindex={0}>
        <pre>
          {writeHead("200 OK", headers)}
          <JsonText value={page} />
        </pre>
      </section>
    </section>
  );
};

/** Characters that need quotes (RFC 4180, 2). */
const SPECIAL = /[",\r\n]/;

/**
 * Writes objects as a file that a browser can save without another request: CSV (RFC 4180) in a data
 * URL (RFC 2397). A load accepts it, too.
 */
function writeCsvUrl(records: Record<string, unknown>[]): string {
  // A fault may have removed a field of one record, or added one.
  const fields = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = [fields, ...records.map((record) => fields.map((field) => String(record[field] ?? "")))];
  const quote = (text: string) => (SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const text = lines.map((values) => `${values.map(quote).join(",")}\r\n`).join("");
  return `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
}
