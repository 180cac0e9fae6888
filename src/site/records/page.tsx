import type { FC } from "hono/jsx";
import type { Markup } from "../../http/html.ts";
import { COLLECTION_PATH } from "../../records/envelope.ts";
import { lastPage, neighbours } from "../../records/page.ts";
import type { Page } from "../../records/record.ts";
import type { PageView } from "../../records/route.ts";
import { Layout } from "../layout.tsx";
import { formatNumber } from "../number.ts";
import { Answer } from "./answer.tsx";
import { PageBox } from "./page-box.tsx";
import { RecordTable } from "./record-table.tsx";

/** The web page of a page of the collection. */
export async function renderPage(view: PageView): Promise<Markup> {
  const { count, number, envelope, headers } = view;
  const { results }: Page = JSON.parse(envelope);
  const pages = lastPage(count);
  return (
    <Layout title={`Records, page ${number} of ${pages}`} path={COLLECTION_PATH}>
      <h1>Records</h1>
      <p class="lead">
        {formatNumber(count)} records, newest first; page {formatNumber(number)} of {formatNumber(pages)}.
      </p>
      <Controls {...view} />
      {results.length > 0 ? <RecordTable records={results} /> : <p>The collection is empty.</p>}
      <h2>The answer</h2>
      <p>What a client gets that asks for this page, here with white space.</p>
      <Answer headers={headers} envelope={envelope} />
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
      <a class="button raw" href={rawUrl(view)}>
        Raw JSON
      </a>
    </nav>
  );
};

/** A link to a page; where there is none, its place stays, so that the others do not move. */
const PageLink: FC<{ to: number | null; url: PageView["url"]; name: string; rel?: string }> = (link) =>
  link.to === null ? (
    <span class="button off">{link.name}</span>
  ) : (
    <a class="button" rel={link.rel} href={link.url(link.to)}>
      {link.name}
    </a>
  );

/** The same page as JSON, whatever Accept says. */
function rawUrl({ url, number }: PageView): string {
  const raw = new URL(url(number));
  raw.searchParams.set("format", "json");
  return raw.href;
}
