import { DATE_JUMP_PATH } from "../../constants.ts";
import { getLastValue } from "../../http/request.ts";
import {
  COLLECTION_PATH,
  createPageUrlBuilder,
  getLastPage,
  type PageNumber,
  parsePageNumber,
} from "../../records/page.ts";
import { NO_COUNTS, type Page, ROAD_USERS, type TrafficRecord } from "../../records/record.ts";
import { type ClientResponse, changeQuery, parseJsonBody, RawResponse } from "../client-response.tsx";
import { CurlBlock, JsonText } from "../code-block.tsx";
import type { FC, PropsWithChildren } from "../jsx-runtime.ts";
import { EmptyCollection, Layout } from "../layout.tsx";
import { formatNumber, formatQuantity } from "../text-format.ts";

/** Renders the response to a request for a page of the collection, even if a fault has broken its body. */
export function renderRecords(response: ClientResponse): string {
  const { url, body, jumpDate } = response;
  const page = parseJsonBody(body) as Page | undefined;
  const number = getPageNumber(url, page);
  const total = page ? ` of ${formatNumber(getLastPage(page.count))}` : "";
  const position = number === "last" ? number : formatNumber(number) + total;
  const toUrl = createPageUrlBuilder(url.origin + COLLECTION_PATH, url.searchParams);
  return (
    <Layout title={`Records, page ${position}`} path={COLLECTION_PATH}>
      <h1>Records</h1>
      <p class="lead">
        {page
          ? `${formatQuantity(page.count, "record")}, newest first: page ${position}.`
          : "The body of this response is not valid JSON."}
      </p>
      <FaultBanners {...response} />
      {page && (
        <Records page={page} number={number} query={url.searchParams} toUrl={toUrl} jumpDate={jumpDate} />
      )}
      <section class="client" aria-labelledby="response">
        <h2 id="response">The API response</h2>
        <CurlBlock options="-si" url={toUrl(number)} label="curl" />
        <p>
          <a href={changeQuery(new URL(toUrl(number)), "format", "json")}>Raw JSON</a>
        </p>
        <RawResponse {...response}>{page && <JsonText value={page} />}</RawResponse>
      </section>
    </Layout>
  ).html;
}

/** Gets the number of the requested page, or `last` if a fault has broken the body, so that the number is unknown. */
function getPageNumber(url: URL, page: Page | undefined): PageNumber {
  const requested = parsePageNumber(getLastValue(url.searchParams, "page")) ?? 1;
  if (requested !== "last" || !page) return requested;
  return page.previous === null ? 1 : Number(new URL(page.previous).searchParams.get("page")) + 1;
}

/** Shows the applied options and the warning, with a link to the page without faults. */
const FaultBanners: FC<ClientResponse> = ({ urlWithoutFaults, headers }) => {
  const applied = headers.get("Preference-Applied");
  const warning = headers.get("Mock-Warning");
  return (
    <>
      {applied !== null && (
        <p class="banner">
          Applied to this response: <code>{applied}</code>.{" "}
          {urlWithoutFaults !== undefined && <a href={urlWithoutFaults}>Show the page without faults</a>}
        </p>
      )}
      {warning !== null && <p class="banner">{warning}</p>}
    </>
  );
};

interface RecordsProps {
  page: Page;
  number: PageNumber;
  query: URLSearchParams;
  /** Returns the absolute URL of a page, with the parameters of the request. */
  toUrl: (page: PageNumber) => string;
  jumpDate: string | undefined;
}

const Records: FC<RecordsProps> = ({ page, number, query, toUrl, jumpDate }) => {
  const { count, results } = page;
  if (count === 0 && results.length === 0) return <EmptyCollection />;
  return (
    <>
      <nav class="row" aria-label="Pages">
        <PageLink to={page.previous && toUrl(1)} name="« Newest" /> <NeighborLinks {...page} />{" "}
        <PageLink to={page.next && toUrl(getLastPage(count))} name="Oldest »" />
        <JumpForm action={COLLECTION_PATH} query={query}>
          <label for="page">Page</label>
          <input id="page" name="page" type="number" min="1" max={getLastPage(count)} value={number} />
        </JumpForm>
        <JumpForm action={DATE_JUMP_PATH} query={query}>
          <label for="date">Date</label>
          <input id="date" name="date" type="date" value={jumpDate ?? getDay(results[0])} />
        </JumpForm>
      </nav>
      <RecordTable records={results} jumpDate={jumpDate} />
      {results.some(({ camera_ok }) => camera_ok === null) && (
        <p class="quiet">
          A null <code>camera_ok</code> means that camera health was not recorded.
        </p>
      )}
      <nav class="row" aria-label="Pages, below the records">
        <NeighborLinks {...page} />
      </nav>
    </>
  );
};

const NeighborLinks: FC<Pick<Page, "next" | "previous">> = ({ next, previous }) => (
  <>
    <PageLink to={previous} name="‹ Previous" rel="prev" /> <PageLink to={next} name="Next ›" rel="next" />
  </>
);

/** A link to a page. If there is no page, a disabled button fills the same space, so that the next links do not move. */
const PageLink: FC<{ to: string | null; name: string; rel?: string }> = ({ to, name, rel }) =>
  to === null ? (
    <span class="button off">{name}</span>
  ) : (
    <a class="button" rel={rel} href={to}>
      {name}
    </a>
  );

/** A form that opens a page. Hidden inputs keep the parameters of the request. */
const JumpForm: FC<PropsWithChildren<{ action: string; query: URLSearchParams }>> = (props) => (
  <form class="row" action={props.action} autocomplete="off">
    {Array.from(props.query, ([name, value]) =>
      name === "page" ? null : <input type="hidden" name={name} value={value} />,
    )}
    {props.children}
    <button type="submit" class="button">
      Go
    </button>
  </form>
);

const COLUMNS = ["timestamp", "camera_ref", "camera_ok", ...ROAD_USERS, "camera_pk", "id", "model_name"];

/** The columns that contain strings. */
const TEXT_COLUMNS = ["timestamp", "camera_ref", "camera_ok", "model_name"];

/** A record of a response, in which a fault may have removed, changed or added a field. */
type Row = Partial<TrafficRecord> & Record<string, unknown>;

/**
 * The records of a page, with a row for each record. In narrow windows, each row is a card that names its counts and hides
 * zeros. The first row of each day has an `id`, the target of a jump to a date (src/site/date-jump.ts).
 * @param jumpDate The date of the jump to the page
 */
const RecordTable: FC<{ records: Row[]; jumpDate: string | undefined }> = ({ records, jumpDate }) => {
  const columns = [...new Set([...COLUMNS, ...records.flatMap(Object.keys)])];
  const days = records.map(getDay);
  const nearest = jumpDate && findNearestDay(days, jumpDate);
  return (
    <table class="records">
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col" class={TEXT_COLUMNS.includes(name) ? undefined : "number"}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record, index) => {
          const day = days.indexOf(days[index]) === index ? days[index] : undefined;
          return (
            <>
              {day && day === nearest && day !== jumpDate && (
                <tr class="nearest">
                  <td colspan={columns.length}>
                    This page has no records from {jumpDate}. The nearest are from {day}.
                  </td>
                </tr>
              )}
              <tr id={day} class={getRowClass(record)}>
                {columns.map((name) => (
                  <Cell name={name} value={record[name]} />
                ))}
              </tr>
            </>
          );
        })}
      </tbody>
    </table>
  );
};

function getDay(record: Row | undefined): string | undefined {
  return record?.timestamp?.slice(0, 10);
}

/** Finds the day of a page that is nearest to a date. The older of two equally near days wins. */
function findNearestDay(days: (string | undefined)[], date: string): string | undefined {
  const distance = (day = "") => Math.abs(Date.parse(day) - Date.parse(date));
  return days.toReversed().sort((a, b) => distance(a) - distance(b))[0];
}

/** A card hides counts of 0, unless all counts are 0. */
function getRowClass(record: Row): string | undefined {
  if (record.camera_ok === "False") return "failing";
  return ROAD_USERS.every((name) => record[name] === 0) ? "all-zero" : undefined;
}

const Cell: FC<{ name: string; value: unknown }> = ({ name, value }) => {
  const absent = COLUMNS.includes(name) ? "missing" : "";
  const text = value === undefined ? absent : String(value);
  if (name === "timestamp")
    return (
      <th scope="row">
        <time>{text}</time>
      </th>
    );
  const kind = TEXT_COLUMNS.includes(name) ? name : `number ${name}`;
  return (
    <td class={value === 0 && name in NO_COUNTS ? `${kind} zero` : kind} data-name={name}>
      {name === "camera_ok" ? <span class={`health health-${text}`}>{text}</span> : text}
    </td>
  );
};
