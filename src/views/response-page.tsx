import { isChanged } from "../faults/applied-options.ts";
import { replacesBody } from "../faults/body-faults.ts";
import { COLLECTION_PATH, createPageUrlBuilder } from "../http/links.ts";
import { isDefaultFormat } from "../http/negotiation.ts";
import { getLastValue } from "../http/request.ts";
import { getLastPage } from "../records/page.ts";
import type { Page } from "../records/schema.ts";
import { describeBodyChange } from "./changes.ts";
import {
  Banners,
  type ClientResponse,
  formatStatus,
  listChanges,
  RawResponse,
  setParameter,
} from "./client-response.tsx";
import { formatBody, formatJson, formatNote } from "./json-html.ts";
import { Layout, type Link, LinkList } from "./layout.tsx";
import { NeighborLinks, PageNavigation, type Pagination } from "./records/page-navigation.tsx";
import { getDay, RecordTable } from "./records/record-table.tsx";
import { EMPTY_COLLECTION, REFERENCE_PATH } from "./site.ts";
import { formatNumber, formatQuantity } from "./text-format.ts";

/** Renders an error, or a response that a fault has changed. */
export function renderResponse(response: ClientResponse): string {
  const { status, url, applied } = response;
  const { page, changes } = applied;
  const count = listChanges(applied).length;
  const counted = changes.find(({ option }) => option === "count");
  const title = formatStatus(status) + (count === 0 ? "" : `, ${formatQuantity(count, "change")}`);
  const [text, ...links] = getAdvice(response);
  return String(
    <Layout title={title} path={url.pathname}>
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      <LinkList links={links} />
      <Banners response={response} />
      {page && (
        <nav class="row" aria-label="Pages">
          <NeighborLinks {...createPagination(response, Number(counted?.from ?? page.count))} />
        </nav>
      )}
      <RawResponse response={response} html={formatReceived(response)} />
    </Layout>,
  );
}

/** Renders a page of the collection, which no fault has changed. */
export function renderRecords(response: ClientResponse, page: Page): string {
  const pagination = createPagination(response, page.count);
  const name = `page ${formatNumber(pagination.page)} of ${formatNumber(pagination.lastPage)}`;
  const [newest] = page.results;
  return String(
    <Layout title={`Records, ${name}`} path={COLLECTION_PATH}>
      <h1 id="title">Records</h1>
      <p class="lead">{`${formatQuantity(page.count, "record")}, newest first: ${name}.`}</p>
      <Banners response={response} />
      {newest === undefined ? (
        <p class="banner">{EMPTY_COLLECTION}</p>
      ) : (
        <>
          <PageNavigation pagination={pagination} day={getDay(newest)} />
          <RecordTable records={page.results} />
          <nav class="row" aria-label="Pages, below the records">
            <NeighborLinks {...pagination} />
          </nav>
        </>
      )}
      <RawResponse response={response} html={formatJson(page)} />
    </Layout>,
  );
}

/** @param count How many records the collection has, without a fault */
function createPagination({ url, requestedPage }: ClientResponse, count: number): Pagination {
  const lastPage = getLastPage(count);
  const page = typeof requestedPage === "number" ? requestedPage : lastPage;
  const { origin, searchParams: query } = url;
  return { page, lastPage, query, toUrl: createPageUrlBuilder(origin, query) };
}

/** Formats the received body as HTML, with what faults have changed in it. */
function formatReceived({ body, applied: { page, changes, options } }: ClientResponse): string {
  const received = options.body === "cut" ? body : undefined;
  if (page && !replacesBody(options.body)) return formatJson(page, { changes, received });
  const change = describeBodyChange(options);
  return formatBody(body) + (change === undefined ? "" : formatNote(change, "body"));
}

/** A sentence about a response, and the links to follow. */
type Advice = [text: string, ...links: Link[]];

const NEWEST: Link = [COLLECTION_PATH, "Show the newest records"];
const OPTIONS: Link = [`${REFERENCE_PATH}#faults`, "Show the options"];

function getAdvice(response: ClientResponse): Advice {
  const { status, headers, body, url, urlWithoutFaults, applied } = response;
  if (isChanged(applied)) return ["A fault option changed this response. The service is working normally."];
  const { detail, nearest } = JSON.parse(body);
  const seconds = Number(headers.get("Retry-After"));
  if (seconds > 0) return [detail, [url.href, `Try again after ${formatQuantity(seconds, "second")}`]];
  // The days of a jump to a day without records.
  if (Array.isArray(nearest))
    return [detail, ...nearest.map((day): Link => [setParameter(url, "date", day), `Show ${day}`])];
  if (status === 404) return getNotFoundAdvice(response);
  if (status === 400 && urlWithoutFaults !== undefined)
    return [detail, OPTIONS, [urlWithoutFaults, "Show the page without faults"]];
  return [detail, NEWEST];
}

function getNotFoundAdvice({ url, requestedPage }: ClientResponse): Advice {
  if (url.pathname !== COLLECTION_PATH) return ["There is nothing at this URL.", NEWEST];
  const format = getLastValue(url.searchParams, "format");
  if (!isDefaultFormat(format)) return ["The formats are api and json.", NEWEST];
  const isPastTheEnd = requestedPage !== undefined;
  if (isPastTheEnd)
    return ["The collection has fewer pages.", [setParameter(url, "page", "last"), "Show the last page"]];
  const text = "Pages are numbered from 1, and page 1 has the newest records.";
  return [text, [setParameter(url, "page", "1"), "Show page 1"]];
}
