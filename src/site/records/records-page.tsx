import { GO_PATH } from "../../constants.ts";
import { lastValue } from "../../http/request.ts";
import {
  COLLECTION_PATH,
  createPageUrls,
  getLastPage,
  type PageNumber,
  parsePageNumber,
} from "../../records/page.ts";
import { NO_COUNTS, type Page, ROAD_USERS, type TrafficRecord } from "../../records/record.ts";
import { type ClientResponse, changeQuery, Message, parseBody } from "../client-response.tsx";
import { CurlBlock, JsonText } from "../code.tsx";
import type { FC, PropsWithChildren } from "../jsx-runtime.ts";
import { EmptyCollection, Layout } from "../layout.tsx";
import { formatNumber, formatQuantity } from "../text-format.ts";

/**
 * The HTML view of a page of the collection. It shows the response that a client gets, even if a fault has damaged its body.
 */
export function renderRecords(response: ClientResponse): string {
  const { url, body, jumpDate } = response;
  const page = parseBody(body) as Page | undefined;
  const number = getPageNumber(url, page);
  const total = page ? ` of ${formatNumber(getLastPage(page.count))}` : "";
  const position = number === "last" ? number : formatNumber(number) + total;
  const toUrl = createPageUrls(url.origin + COLLECTION_PATH, url.searchParams);
  return (
    <Layout title={`Records, page ${position}`} path={COLLECTION_PATH} cards={chooseCards(page?.results)}>
      <h1>Records</h1>
      <p class="lead">
        {page
          ? `${formatQuantity(page.count, "record")}, newest first: page ${position}.`
          : "A client cannot read the body of this response."}
      </p>
      <Banners {...response} />
      {page && (
        <Records page={page} number={number} query={url.searchParams} toUrl={toUrl} jumpDate={jumpDate} />
      )}
      <section class="client" aria-labelledby="response">
        <h2 id="response">The response to a client</h2>
        <CurlBlock options="-si" url={toUrl(number)} label="curl" />
        <p>
          <a href={changeQuery(new URL(toUrl(number)), "format", "json")}>Raw JSON</a>
        </p>
        <Message {...response}>{page && <JsonText value={page} />}</Message>
      </section>
    </Layout>
  ).html;
}

/** The number of the requested page; `last` if its number is not known, because a fault has broken the body. */
function getPageNumber(url: URL, page: Page | undefined): PageNumber {
  const requested = parsePageNumber(lastValue(url.searchParams, "page")) ?? 1;
  if (requested !== "last" || !page) return requested;
  return page.previous === null ? 1 : Number(new URL(page.previous).searchParams.get("page")) + 1;
}

/** The preferences of a page, with the way to the page without them. */
const Banners: FC<ClientResponse> = ({ urlWithoutFaults, headers }) => {
  const applied = headers.get("Preference-Applied");
  const warning = headers.get("Mock-Warning");
  return (
    <>
      {applied !== null && (
        <p class="banner">
          Applied to this response: <code>{applied}</code>.{" "}
          {urlWithoutFaults !== undefined && <a href={urlWithoutFaults}>Show the page without preferences</a>}
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
  /** Returns the absolute URL of a page, with the other parameters of the request. */
  toUrl: (page: PageNumber) => string;
  jumpDate: string | undefined;
}

const Records: FC<RecordsProps> = ({ page, number, query, toUrl, jumpDate }) => {
  const { count, results } = page;
  if (count === 0 && results.length === 0) return <EmptyCollection />;
  return (
    <>
      <nav class="row" aria-label="Pages">
        <PageLink to={page.previous && toUrl(1)} name="« Newest" /> <Neighbours {...page} />{" "}
        <PageLink to={page.next && toUrl(getLastPage(count))} name="Oldest »" />
        <JumpForm action={COLLECTION_PATH} query={query}>
          <label for="page">Page</label>
          <input id="page" name="page" type="number" min="1" max={getLastPage(count)} value={number} />
        </JumpForm>
        <JumpForm action={GO_PATH} query={query}>
          <label for="date">Date</label>
          <input id="date" name="date" type="date" value={jumpDate ?? toDay(results[0])} />
        </JumpForm>
      </nav>
      <RecordTable records={results} jumpDate={jumpDate} />
      {results.some(({ camera_ok }) => camera_ok === null) && (
        <p class="quiet">
          If <code>camera_ok</code> is null, it was not recorded whether the camera worked.
        </p>
      )}
      <nav class="row" aria-label="Pages, below the records">
        <Neighbours {...page} />
      </nav>
    </>
  );
};

const Neighbours: FC<Pick<Page, "next" | "previous">> = ({ next, previous }) => (
  <>
    <PageLink to={previous} name="‹ Previous" rel="prev" /> <PageLink to={next} name="Next ›" rel="next" />
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

/** A form that opens another page, with the other parameters of the request. */
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

/** The columns without numbers. */
const TEXTS = ["timestamp", "camera_ref", "camera_ok", "model_name"];

/** A record of a response. A fault may have removed, changed or added a field. */
type Row = Partial<TrafficRecord> & Record<string, unknown>;

function listColumns(records: Row[]): string[] {
  return [...new Set([...COLUMNS, ...records.flatMap(Object.keys)])];
}

/**
 * Where the records are cards: in windows of less than 72 rem, or everywhere, also on paper, if long numbers make the table wider. It
 * adds up the columns in rem, generously: a sum of 72 fits into such a window with a wide font. References of cameras can be broken.
 */
function chooseCards(records: Row[] = []): string {
  let width = 0;
  for (const name of listColumns(records)) {
    const values = name === "camera_ref" ? [] : records.map((record) => String(record[name]).length);
    width += 1 + Math.max(0.49 * name.length, 0.56 * Math.max(...values));
  }
  return width > 72 ? "all" : "screen and (width < 72rem)";
}

/**
 * The records of a page, one row each, with all fields. In narrow windows each row becomes a card, which shows the names of the
 * counts and leaves out zeros. The first record of each day has an `id`, to which a jump to a date leads (src/site/go.ts).
 * @param jumpDate The date of the jump to the page
 */
const RecordTable: FC<{ records: Row[]; jumpDate: string | undefined }> = ({ records, jumpDate }) => {
  const columns = listColumns(records);
  const days = records.map(toDay);
  const nearest = jumpDate && findNearest(days, jumpDate);
  return (
    <table class="records">
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col" class={TEXTS.includes(name) ? undefined : "number"}>
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
                    No record on this page is of {jumpDate}. The nearest ones are of {day}.
                  </td>
                </tr>
              )}
              <tr id={day} class={classify(record)}>
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

function toDay(record: Row | undefined): string | undefined {
  return record?.timestamp?.slice(0, 10);
}

/** The day on a page to which a jump to a date leads: the nearest one, and of two equally near days the older one. */
function findNearest(days: (string | undefined)[], date: string): string | undefined {
  const distance = (day = "") => Math.abs(Date.parse(day) - Date.parse(date));
  return days.toReversed().sort((one, other) => distance(one) - distance(other))[0];
}

/** A card shows the zeros of a working camera that saw nobody: otherwise it would show no counts. */
function classify(record: Row): string | undefined {
  if (record.camera_ok === "False") return "failing";
  return ROAD_USERS.every((name) => record[name] === 0) ? "nobody" : undefined;
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
  const kind = TEXTS.includes(name) ? name : `number ${name}`;
  return (
    <td class={value === 0 && name in NO_COUNTS ? `${kind} zero` : kind} data-name={name}>
      {name === "camera_ok" ? <span class={`health health-${text}`}>{text}</span> : text}
    </td>
  );
};
