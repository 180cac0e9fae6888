import { type ErrorReason, type HttpError, nameStatus } from "../http/errors.ts";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import type { FC, PropsWithChildren } from "./jsx-runtime.ts";
import { Layout } from "./layout.tsx";
import { formatNumber } from "./number-format.ts";
import { PageBox } from "./page-box.tsx";

/** What a person can do about the errors of the service itself. */
const ADVICE: Record<number, string> = {
  404: "There is nothing at this address.",
  405: "The service is read-only.",
  406: "The service responds with JSON or with web pages.",
};

/** The web page of an error, with the status and the detail that a client gets. */
export function renderError(error: HttpError, url: URL): string {
  const { status, message, body } = error;
  return (
    <Layout
      title={`${status} ${nameStatus(status)}`}
      place={`Error ${status}`}
      {...(url.pathname === COLLECTION_PATH && { path: COLLECTION_PATH })}
    >
      <h1>
        <span class="status">{status}</span> {nameStatus(status)}
      </h1>
      <p class="lead">{message}</p>
      <Advice error={error} url={url} />
      <h2>The response as JSON</h2>
      <pre>
        <code>{JSON.stringify(body)}</code>
      </pre>
      <p>
        <a href="/">Overview</a> · <a href={COLLECTION_PATH}>The newest records</a>
      </p>
    </Layout>
  ).html;
}

const Advice: FC<{ error: HttpError; url: URL }> = ({ error: { status, reason }, url }) => {
  if (reason?.code === "mock") return <MockError url={url} />;
  if (reason?.code === "unknown_format") return <UnknownFormat url={url} />;
  if (reason?.code === "throttled")
    return (
      <Retry url={url}>
        Too many requests came from your address. Wait for {reason.seconds} seconds, and send fewer requests.
      </Retry>
    );
  if (reason !== undefined) return <OtherPage reason={reason} url={url} />;
  if (status === 503) return <Retry url={url}>The service cannot read its data at the moment.</Retry>;
  const advice = ADVICE[status];
  return advice ? <p>{advice}</p> : null;
};

/** The address of the request with other parameters: null removes a parameter. */
function changeQuery(url: URL, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `?${query}`;
}

/** An error on request must not look like an outage. */
const MockError: FC<{ url: URL }> = ({ url }) => (
  <p>
    The request asked for this error with <code>prefer</code>; nothing is wrong.
    {url.searchParams.has("prefer") && (
      <>
        {" "}
        <a href={changeQuery(url, { prefer: null })}>The same address without it</a>
      </>
    )}
  </p>
);

const Retry: FC<PropsWithChildren<{ url: URL }>> = ({ url, children }) => (
  <p>
    {children} <a href={url.pathname + url.search}>Try again</a>
  </p>
);

const UnknownFormat: FC<{ url: URL }> = ({ url }) => (
  <p>
    <code>format</code> must be <a href={changeQuery(url, { format: "api" })}>api</a> or{" "}
    <a href={changeQuery(url, { format: "json" })}>json</a>. There are no other formats.
  </p>
);

/** Parameters that may have caused the error, or that would cause another one. */
const DROPPED = ["as_of", "format", "prefer"];

const OtherPage: FC<{ reason: ErrorReason; url: URL }> = ({ reason, url }) => {
  const kept = [...url.searchParams].filter(([name]) => !DROPPED.includes(name));
  // A field for numbers shows no other text.
  const number = lastValue(url.searchParams, "page")?.match(/^[0-9]+$/)?.[0];
  return (
    <>
      <p>
        <PageAdvice reason={reason} url={url} />
      </p>
      <PageBox query={new URLSearchParams(kept)} number={number} />
    </>
  );
};

const PageAdvice: FC<{ reason: ErrorReason; url: URL }> = ({ reason, url }) => {
  const latest = <a href={changeQuery(url, { as_of: "latest", page: "1" })}>the current state</a>;
  switch (reason.code) {
    case "past_the_end":
      return (
        <>
          The last page is{" "}
          <a href={changeQuery(url, { page: String(reason.last) })}>page {formatNumber(reason.last)}</a>.
        </>
      );
    case "not_reached":
      return (
        <>
          <code>as_of</code> is larger than the number of records in the collection, which is{" "}
          {formatNumber(reason.count)}. Read {latest}.
        </>
      );
    case "replaced":
      return <>Other records were loaded since. Read {latest}.</>;
    case "invalid_as_of":
      return (
        <>
          <code>as_of</code> must be <code>latest</code>, a number of records, or the value in a link of the
          collection. Read {latest}.
        </>
      );
    default:
      return <>Pages are numbered from 1, which has the newest records, to the last page.</>;
  }
};
