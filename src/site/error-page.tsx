import { nameStatus } from "../http/errors.ts";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import type { Place } from "../records/route.ts";
import type { FC } from "./jsx-runtime.ts";
import { PageBox } from "./jump-boxes.tsx";
import { Layout } from "./layout.tsx";
import { writeHead } from "./message-head.ts";

/** The response with an error, and its request. */
interface ErrorView {
  status: number;
  headers: Headers;
  body: string;
  /** Whether a preference asked for the error. */
  isFault: boolean;
  /** Where the requested page would be; undefined if the request is not for a page. */
  place: Place | undefined;
  /** The address of the same page without faults, if there is one. */
  unchanged: string | undefined;
  url: URL;
}

/** The web page of an error: what a person can do, and the response that a client gets. */
export function renderError(view: ErrorView): string {
  const { status, headers, body, isFault, url } = view;
  const isCollection = url.pathname === COLLECTION_PATH;
  const title = `${status} ${nameStatus(status)}`;
  return (
    <Layout title={title} {...(isCollection && { path: COLLECTION_PATH })}>
      <h1>{title}</h1>
      <p class="lead">
        <Advice {...view} />
      </p>
      {isCollection && status === 404 && !isFault && <OtherPage url={url} />}
      <h2>The response to a client</h2>
      <pre class="panel">
        {writeHead(title, headers)}
        <code>{body}</code>
      </pre>
    </Layout>
  ).html;
}

const Advice: FC<ErrorView> = (view) => {
  const { status, headers, isFault, url } = view;
  const seconds = headers.get("Retry-After");
  const again = <a href={url.pathname + url.search}>Try again</a>;
  if (isFault) return <FaultAdvice {...view} />;
  switch (status) {
    case 404:
      return <NotFoundAdvice {...view} />;
    case 405:
      return <>The service is read-only.</>;
    case 406:
      return <>The service responds with JSON or with web pages.</>;
    case 429:
      return (
        <>
          Too many requests came from your address. Wait for {seconds} seconds, and send fewer requests.{" "}
          {again}
        </>
      );
    case 503:
      return (
        <>
          The service cannot read its data at the moment. {again} after {seconds} seconds.
        </>
      );
    default:
      return <>{readDetail(view)}</>;
  }
};

/** An error on request must not look like an outage. */
const FaultAdvice: FC<ErrorView> = ({ unchanged }) => (
  <>
    A preference asked for this error; nothing is wrong.{" "}
    {unchanged !== undefined && <a href={unchanged}>The same address without it</a>}
  </>
);

const NotFoundAdvice: FC<ErrorView> = ({ url, place }) => {
  const link = (text: string, name: string, value: string) => (
    <a href={changeQuery(url, name, value)}>{text}</a>
  );
  if (url.pathname !== COLLECTION_PATH)
    return (
      <>
        There is nothing at this address. The collection is at <a href={COLLECTION_PATH}>{COLLECTION_PATH}</a>
        .
      </>
    );
  if (place) return <>The last page is {link(`page ${place.pages}`, "page", String(place.pages))}.</>;
  if (["", "api", null].includes(lastValue(url.searchParams, "format")))
    return <>Pages are numbered from 1, which has the newest records, to the last page.</>;
  return (
    <>
      There are only the formats {link("api", "format", "api")} and {link("json", "format", "json")}.
    </>
  );
};

/** @returns the whole body if a fault has broken it */
function readDetail({ body }: ErrorView): string {
  try {
    return String(JSON.parse(body).detail);
  } catch {
    return body;
  }
}

/** The address of the request with another value of a parameter. */
function changeQuery(url: URL, name: string, value: string): string {
  const query = new URLSearchParams(url.search);
  query.set(name, value);
  return `?${query}`;
}

/** Parameters that may have caused the error, or that would cause another one. */
const DROPPED = ["format", "prefer"];

const OtherPage: FC<{ url: URL }> = ({ url }) => {
  const kept = [...url.searchParams].filter(([name]) => !DROPPED.includes(name));
  // A field for numbers shows no other text.
  const number = lastValue(url.searchParams, "page")?.match(/^[0-9]+$/)?.[0];
  return <PageBox query={new URLSearchParams(kept)} number={number} />;
};
