import { COLLECTION_PATH, createPageUrlBuilder } from "../../http/links.ts";
import { getLastPage, type PageNumber } from "../../records/page.ts";
import type { Page } from "../../records/schema.ts";
import { Banners, type ClientResponse, RawResponse } from "../client-response.tsx";
import { JsonText } from "../code-block.tsx";
import { Layout } from "../layout.tsx";
import { EMPTY_COLLECTION } from "../site.ts";
import { formatNumber, formatQuantity } from "../text-format.ts";
import { NeighborLinks, PageNavigation } from "./page-navigation.tsx";
import { getDay, RecordTable } from "./record-table.tsx";

/** Renders the requested page of the collection, which no fault has changed. */
export function renderRecords(response: ClientResponse, requested: PageNumber): string {
  const { url, body } = response;
  const page: Page = JSON.parse(body);
  const lastPage = getLastPage(page.count);
  const number = requested === "last" ? lastPage : requested;
  const position = `${formatNumber(number)} of ${formatNumber(lastPage)}`;
  const toUrl = createPageUrlBuilder(url.origin, url.searchParams);
  const [newest] = page.results;
  return String(
    <Layout title={`Records, page ${position}`} path={COLLECTION_PATH}>
      <h1 id="title">Records</h1>
      <p class="lead">{`${formatQuantity(page.count, "record")}, newest first: page ${position}.`}</p>
      <Banners response={response} />
      {newest === undefined ? (
        <p class="banner">{EMPTY_COLLECTION}</p>
      ) : (
        <>
          <PageNavigation
            page={page}
            number={number}
            lastPage={lastPage}
            date={getDay(newest)}
            query={url.searchParams}
            toUrl={toUrl}
          />
          <RecordTable records={page.results} />
          <nav class="row" aria-label="Pages, below the records">
            <NeighborLinks next={page.next} previous={page.previous} />
          </nav>
        </>
      )}
      <section class="client" aria-labelledby="response">
        <h2 id="response">The API response</h2>
        <RawResponse response={response} url={toUrl(number)}>
          <JsonText value={page} />
        </RawResponse>
      </section>
    </Layout>,
  );
}
