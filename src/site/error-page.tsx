import type { FC } from "hono/jsx";
import type { RenderError } from "../http/error-response.ts";
import { type HttpError, nameStatus } from "../http/errors.ts";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/envelope.ts";
import { Layout } from "./layout.tsx";
import { PageBox } from "./page-box.tsx";

/** What a person can do about the errors of the service itself. */
const ADVICE: Record<number, string> = {
  404: "There is nothing at this address.",
  405: "The service is read-only.",
  406: "The service responds with JSON or with web pages.",
  429: "Too many requests came from your address. Wait for that time, then send fewer requests.",
  503: "The collection cannot be read at the moment. Try again in a few seconds.",
};

/** The web page of an error, with the status and the detail that a client gets. */
export const renderError: RenderError = async (error, url) => {
  const { status, message, body } = error;
  return (
    <Layout title={`${status} ${nameStatus(status)}`}>
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
  );
};

const Advice: FC<{ error: HttpError; url: URL }> = ({ error, url }) => {
  if (error.code === "mock") return <MockError url={url} />;
  if (error.code === "invalid_page") return <OtherPage query={url.searchParams} />;
  const advice = ADVICE[error.status];
  return advice ? <p>{advice}</p> : null;
};

/** An error on request must not look like an outage. */
const MockError: FC<{ url: URL }> = ({ url }) => {
  const query = new URLSearchParams(url.search);
  query.delete("prefer");
  return (
    <p>
      The request asked for this error with <code>prefer</code>; nothing is wrong.
      {url.searchParams.has("prefer") && (
        <>
          {" "}
          <a href={`?${query}`}>The same address without it</a>
        </>
      )}
    </p>
  );
};

/** Parameters that may have caused the error, or that would cause another one. */
const DROPPED = ["as_of", "format", "prefer"];

const OtherPage: FC<{ query: URLSearchParams }> = ({ query }) => {
  const kept = new URLSearchParams([...query].filter(([name]) => !DROPPED.includes(name)));
  // A field for numbers shows no other text.
  const number = lastValue(query, "page")?.match(/^[0-9]+$/)?.[0];
  return (
    <>
      <p>Pages are numbered from 1, which has the newest records, to the last page.</p>
      <PageBox query={kept} number={number} />
    </>
  );
};
