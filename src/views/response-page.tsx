import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { COLLECTION_PATH, createPageUrlBuilder, setParameter } from "../http/links.ts";
import { getLastValue } from "../http/request.ts";
import { getStatusText } from "../http/statuses.ts";
import { getLastPage } from "../records/page.ts";
import type { Page } from "../records/schema.ts";
import { describeBodyChange, listChanges } from "./changes.ts";
import { CurlBlock, ResponsePanel } from "./code.tsx";
import { Explanation } from "./explanation.tsx";
import { formatBody } from "./json-html.ts";
import { Layout, type Link, LinkList } from "./layout.tsx";
import { formatNote, formatPage, wrapBody } from "./page-html.ts";
import { DateForm, NeighborLinks, PageNavigation, type Pagination } from "./records/page-navigation.tsx";
import { EmptyCollection, getDay, RecordTable } from "./records/record-table.tsx";
import type { ClientResponse } from "./shown-request.ts";
import { DATE_JUMP_PATH, REFERENCE_PATH } from "./site.ts";
import { formatHead, formatNumber, formatQuantity } from "./text-format.ts";

/** Renders a page of the collection as a table, and what a fault has sent in its place, or an error, as a response. */
export function renderResponse(response: ClientResponse): string {
  const { served, error, isFault } = response;
  if (served === undefined || error !== undefined || isFault) return renderFailure(response);
  return renderRecords(response, served.page);
}

function renderRecords(response: ClientResponse, page: Page): string {
  const pagination = createPagination(response, page);
  const name = `page ${formatNumber(pagination.page)} of ${formatNumber(pagination.lastPage)}`;
  const [newest] = page.results;
  return String(
    <Layout title={`Records, ${name}`} path={COLLECTION_PATH}>
      <TitleRow title="Records" response={response} />
      <p class="lead">{`${formatQuantity(page.count, "record")}, newest first: ${name}.`}</p>
      <Explanation response={response} />
      {newest === undefined ? (
        <EmptyCollection />
      ) : (
        <>
          <PageNavigation pagination={pagination} day={getDay(newest)} />
          <RecordTable records={page.results} />
          <nav class="row" aria-label="Pages, below the records">
            <NeighborLinks {...pagination} />
          </nav>
        </>
      )}
      <ApiResponse response={response} body={formatPage(page, [])} />
    </Layout>,
  );
}

function renderFailure(response: ClientResponse): string {
  const { status, url, served, error, applied } = response;
  const changes = applied === undefined ? 0 : listChanges(applied).length;
  const name = formatStatus(status);
  const title = changes === 0 ? name : `${name}, ${formatQuantity(changes, "change")}`;
  const isOfApi = url.pathname === COLLECTION_PATH;
  return String(
    <Layout title={title} path={url.pathname}>
      {isOfApi ? <TitleRow title={title} response={response} /> : <h1>{title}</h1>}
      {error && <p class="lead">{error.body.detail}</p>}
      <Explanation response={response} />
      <LinkList links={listLinks(response)} />
      {url.pathname === DATE_JUMP_PATH && (
        <DateForm query={url.searchParams} day={getLastValue(url.searchParams, "date") ?? ""} />
      )}
      {served && error === undefined && (
        <nav class="row" aria-label="Pages">
          <NeighborLinks {...createPagination(response, served.page)} />
        </nav>
      )}
      {isOfApi && <ApiResponse response={response} body={formatReceived(response)} />}
    </Layout>,
  );
}

/** The title of a page, and its request as a command and, if a link can send it, as a link to the JSON. */
const TitleRow: FC<{ title: string; response: ClientResponse }> = ({ title, response }) => (
  <div class="row title">
    <h1>{title}</h1>
    {response.jsonUrl && (
      <a class="button" href={response.jsonUrl}>
        JSON
      </a>
    )}
    <CurlBlock options={response.curlOptions} url={response.url.href} />
  </div>
);

/** @param body Blocks of HTML */
const ApiResponse: FC<{ response: ClientResponse; body: string }> = ({ response, body }) => (
  <section class="client" aria-labelledby="response">
    <h2 id="response">The API response</h2>
    <ResponsePanel
      head={formatHead(formatStatus(response.status), response.headers)}
      isOpen={response.status >= 400}
    >
      {raw(body)}
    </ResponsePanel>
  </section>
);

function formatStatus(status: number): string {
  return `${status} ${getStatusText(status)}`;
}

/** @param page The page without faults, whose count is that of the collection */
function createPagination({ url, requestedPage }: ClientResponse, { count }: Page): Pagination {
  const lastPage = getLastPage(count);
  const page = typeof requestedPage === "number" ? requestedPage : lastPage;
  const { origin, searchParams: query } = url;
  return { page, lastPage, query, toUrl: createPageUrlBuilder(origin, query) };
}

/** Formats what a client receives, with what faults have changed in it. */
function formatReceived({ served, error, applied, received }: ClientResponse): string {
  const { options = {}, changes = [], page = served?.page } = applied ?? {};
  const ofBody = describeBodyChange(options);
  if (page !== undefined && error === undefined && ofBody === undefined) return formatPage(page, changes);
  const note = ofBody === undefined ? "" : formatNote(ofBody, "body");
  return wrapBody(formatBody(received) + note);
}

/** Lists the links that lead out of an error. */
function listLinks(response: ClientResponse): Link[] {
  const { status, headers, error, isFault, canRepeat, url, urlWithoutFaults } = response;
  const seconds = Number(headers.get("Retry-After"));
  if (canRepeat && seconds > 0) return [[url.href, `Try again after ${formatQuantity(seconds, "second")}`]];
  const isTemporary = status === 429 || status === 503;
  if (canRepeat && isTemporary) return [[url.href, "Try again"]];
  if (isFault) return [];
  const { nearest } = error?.body ?? {};
  if (nearest) return nearest.map((day): Link => [setParameter(url, "date", day), `Show ${day}`]);
  if (status === 400 && urlWithoutFaults !== undefined)
    return [
      [`${REFERENCE_PATH}#faults`, "Show the options"],
      [urlWithoutFaults, "Show the page without faults"],
    ];
  return [[COLLECTION_PATH, "Show the newest records"]];
}
