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
import { RecordTable } from "./record-table.tsx";

/** A page of the collection, as a client gets it, and its request. */
interface RecordsView {
  headers: Headers;
  /** The page, unless a fault has broken it. */
  body: string;
  /** The number of the page. The rest of the page is in the body, as a fault may have changed it. */
  number: number;
  /** The absolute URL of each page, with the other parameters of the request. */
  url: (page: number) => string;
  query: URLSearchParams;
  /** The address of the same page without faults, if there is one. */
  unchanged: string | undefined;
  /** The period of the rate limit in seconds; undefined if requests are not limited. */
  limitPeriod: string | undefined;
}

/** The web page of a page of the collection. It shows the response that a client gets, whatever its body contains. */
export function renderRecords(view: RecordsView): string {
  const { number } = view;
  const page = parsePage(view.body);
  const title = `Records, page ${number}${page ? ` of ${lastPage(page.count)}` : ""}`;
  return (
    <Layout title={title} path={COLLECTION_PATH} scripts={["copy", "send"]}>
      <h1>Records</h1>
      <p class="lead">
        {page
          ? `${formatCount(page.count, "record")}, newest first.`
          : "A client cannot read the body of this response."}
      </p>
      <Banners {...view} count={page?.count} />
      {page && <Records page={page} view={view} />}
      <Response view={view} page={page} />
    </Layout>
  ).html;
}

/** @returns undefined if the text is not a page, because a fault has broken it */
function parsePage(text: string): Page | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is unusual about a page, with the way back to the usual one. */
const Banners: FC<RecordsView & { count: number | undefined }> = ({
  unchanged,
  headers,
  count,
  limitPeriod,
}) => {
  const applied = headers.get("Preference-Applied");
  const warning = headers.get("Mock-Warning");
  return (
    <>
      {applied !== null && (
        <p class="banner">
          A preference changed the response: <code>{applied}</code>.{" "}
          {unchanged !== undefined && <a href={unchanged}>Show the unchanged page</a>}
        </p>
      )}
      {warning !== null && <p class="banner">{warning}</p>}
      {limitPeriod !== undefined && (
        <p class="banner">
          This deployment limits how many requests a client may send within {limitPeriod} seconds. How many
          are left is not known until the response is 429.
        </p>
      )}
      {count === 0 && (
        <p class="banner">
          The collection is empty. Load records with <code>npm run data -- load FILE</code>.
        </p>
      )}
    </>
  );
};

interface PageProps {
  view: RecordsView;
  page: Page;
}

const Records: FC<PageProps> = ({ page, view }) => (
  <>
    <nav class="row" aria-label="Pages">
      <PageLinks page={page} view={view} />
      <PageBox query={view.query} number={view.number} last={lastPage(page.count)} />
      <DateBox query={view.query} date={page.results[0]?.timestamp?.slice(0, 10)} />
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
  </>
);

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
const Response: FC<{ view: RecordsView; page: Page | undefined }> = ({ view, page }) => {
  const { url, number, headers, body } = view;
  const address = url(number);
  return (
    <section class="client" aria-labelledby="response">
      <h2 id="response">The response to a client</h2>
      <CodeBlock code={`curl -si ${quoteForShell(address)}`} label="curl" />
      <p class="row">
        <a class="button" href={address.replace("format=api", "format=json")}>
          Raw JSON
        </a>
        {page && page.results.length > 0 && (
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
          {page ? <JsonText value={page} /> : <code>{body}</code>}
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
