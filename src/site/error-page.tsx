import { type ErrorReason, type HttpError, nameStatus } from "../http/errors.ts";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import type { FC } from "./jsx-runtime.ts";
import { PageBox } from "./jump-boxes.tsx";
import { Layout } from "./layout.tsx";
import { writeHead } from "./message-head.ts";

/** The web page of an error: what a person can do, and the response that a client gets. */
export function renderError(error: HttpError, url: URL): string {
  const { status, reason, headers, body } = error;
  const path = url.pathname === COLLECTION_PATH && COLLECTION_PATH;
  const title = `${status} ${nameStatus(status)}`;
  return (
    <Layout title={title} {...(path && { path })}>
      <h1>{title}</h1>
      <p class="lead">
        <Advice error={error} url={url} />
      </p>
      {status === 404 && reason && reason.code !== "mock" && <OtherPage url={url} />}
      <h2>The response to a client</h2>
      <pre class="panel">
        {writeHead(title, Object.entries(headers))}
        <code>{JSON.stringify(body)}</code>
      </pre>
    </Layout>
  ).html;
}

/** What a person can do about the errors that have no other reason than their status. */
const ADVICE: Record<number, string> = {
  405: "The service is read-only.",
  406: "The service responds with JSON or with web pages.",
};

interface ErrorProps {
  error: HttpError;
  url: URL;
}

const Advice: FC<ErrorProps> = ({ error, url }) => {
  const { status, reason, message } = error;
  if (reason?.code === "mock") return <MockError url={url} />;
  if (reason?.code === "throttled")
    return (
      <>
        Too many requests came from your address. Wait for {reason.seconds} seconds, and send fewer requests.{" "}
        <a href={url.pathname + url.search}>Try again</a>
      </>
    );
  if (reason) return <PageAdvice reason={reason} url={url} />;
  if (status === 404)
    return (
      <>
        There is nothing at this address. The collection is at <a href={COLLECTION_PATH}>{COLLECTION_PATH}</a>
        .
      </>
    );
  if (status === 503)
    return (
      <>
        The service cannot read its data at the moment. <a href={url.pathname + url.search}>Try again</a>{" "}
        after {error.headers["Retry-After"]} seconds.
      </>
    );
  return <>{ADVICE[status] ?? message}</>;
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
  <>
    The request asked for this error with <code>prefer</code>; nothing is wrong.{" "}
    {url.searchParams.has("prefer") && (
      <a href={changeQuery(url, { prefer: null })}>The same address without it</a>
    )}
  </>
);

const PageAdvice: FC<{ reason: ErrorReason; url: URL }> = ({ reason, url }) => {
  const link = (text: string, changes: Record<string, string>) => (
    <a href={changeQuery(url, changes)}>{text}</a>
  );
  switch (reason.code) {
    case "unknown_format":
      return (
        <>
          There are only the formats {link("api", { format: "api" })} and {link("json", { format: "json" })}.
        </>
      );
    case "past_the_end":
      return <>The last page is {link(`page ${reason.last}`, { page: String(reason.last) })}.</>;
    default:
      return <>Pages are numbered from 1, which has the newest records, to the last page.</>;
  }
};

/** Parameters that may have caused the error, or that would cause another one. */
const DROPPED = ["format", "prefer"];

const OtherPage: FC<{ url: URL }> = ({ url }) => {
  const kept = [...url.searchParams].filter(([name]) => !DROPPED.includes(name));
  // A field for numbers shows no other text.
  const number = lastValue(url.searchParams, "page")?.match(/^[0-9]+$/)?.[0];
  return <PageBox query={new URLSearchParams(kept)} number={number} />;
};
