import type { FC } from "hono/jsx";
import type { Markup } from "../../http/html.ts";
import { COLLECTION_PATH } from "../../records/envelope.ts";
import { lastPage, neighbours } from "../../records/page.ts";
import type { Page } from "../../records/record.ts";
import type { PageView } from "../../records/route.ts";
import { Layout } from "../layout.tsx";
import { formatNumber } from "../number-format.ts";
import { PageBox } from "../page-box.tsx";
import { RecordTable } from "./record-table.tsx";

/** The web page of a page of the collection. */
export async function renderRecords(view: PageView): Promise<Markup> {
  const { count, number, envelope } = view;
  const { results }: Page = JSON.parse(envelope);
  const pages = lastPage(count);
  return (
    <Layout
      title={`Records, page ${number} of ${pages}`}
      path={COLLECTION_PATH}
      place={`Page ${formatNumber(number)}`}
    >
      <h1>Records</h1>
      <p class="lead">
        {formatNumber(count)} records, newest first; page {formatNumber(number)} of {formatNumber(pages)}.
      </p>
      <Controls {...view} />
      {results.length > 0 ? <RecordTable records={results} /> : <p>The collection is empty.</p>}
      <h2>The response</h2>
      <p>This is the response that a client gets for this page, indented here to be readable.</p>
      <ClientResponse {...view} />
    </Layout>
  );
}

const Controls: FC<PageView> = (view) => {
  const { count, number, url, query } = view;
  const { next, previous } = neighbours(count, number);
  const last = lastPage(count);
  return (
    <nav class="pages" aria-label="Pages">
      <PageLink to={previous === null ? null : 1} url={url} name="« Newest" />
      <PageLink to={previous} url={url} name="‹ Previous" rel="prev" />
      <PageLink to={next} url={url} name="Next ›" rel="next" />
      <PageLink to={next === null ? null : last} url={url} name="Oldest »" />
      <PageBox query={query} number={number} last={last} />
      <a class="button raw" href={jsonUrl(view)}>
        Raw JSON
      </a>
    </nav>
  );
};

/** A link to a page. If there is no such page, the link keeps its place, so that the others do not move. */
const PageLink: FC<{ to: number | null; url: PageView["url"]; name: string; rel?: string }> = (link) =>
  link.to === null ? (
    <span class="button off">{link.name}</span>
  ) : (
    <a class="button" rel={link.rel} href={link.url(link.to)}>
      {link.name}
    </a>
  );

/** The URL of the same page, always as JSON. */
function jsonUrl({ url, number }: PageView): string {
  const json = new URL(url(number));
  json.searchParams.set("format", "json");
  return json.href;
}

/** The links of an envelope, as JSON strings. They come before the records. */
const LINK = /(?<=^ {2}"(?:next|previous)": )("[^\n]*")(?=,$)/m;

/** The status, the headers and the indented body that a client gets. Its links work. */
const ClientResponse: FC<PageView> = ({ headers, envelope }) => (
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
      <code>
        {JSON.stringify(JSON.parse(envelope), null, 2)
          .split(LINK)
          .map((part, index) => (index % 2 === 1 ? <a href={JSON.parse(part)}>{part}</a> : part))}
      </code>
    </pre>
  </section>
);

/** Writes the name of a header as usual. Names are case-insensitive (RFC 9110, 5.1). */
function capitalise(name: string): string {
  return name === "etag" ? "ETag" : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
