import type { FC } from "hono/jsx";
import type { ErrorView, RenderError } from "../http/errors.ts";
import { lastValue } from "../http/query.ts";
import { COLLECTION_PATH } from "../records/envelope.ts";
import { invalidPage } from "../records/route.ts";
import { Layout } from "./layout.tsx";
import { PageBox } from "./records/page-box.tsx";
import { nameStatus } from "./statuses.ts";

/** What a person can do about the errors that the service itself has. */
const ADVICE: Record<number, string> = {
  404: "There is nothing at this address.",
  405: "The service can only be read.",
  406: "The service has JSON and web pages.",
  429: "Too many requests came from your address. Wait until then, and ask less often.",
  503: "The collection cannot be read at the moment. Try again in a few seconds.",
};

/** The web page of an error: the same status and detail that a client gets. */
export const renderError: RenderError = async (error) => {
  const { status, body } = error;
  return (
    <Layout title={`${status} ${nameStatus(status)}`}>
      <h1>
        <span class="status">{status}</span> {nameStatus(status)}
      </h1>
      <p class="lead">{body.detail}</p>
      <WhatToDo {...error} />
      <h2>What a client gets</h2>
      <pre>
        <code>{JSON.stringify(body)}</code>
      </pre>
      <p>
        <a href="/">Overview</a> · <a href={COLLECTION_PATH}>The newest records</a>
      </p>
    </Layout>
  );
};

const WhatToDo: FC<ErrorView> = ({ status, body, requested, asked }) => {
  if (asked) return <AskedError requested={requested} />;
  if (body.detail === invalidPage().message) return <OtherPage query={requested.searchParams} />;
  const advice = ADVICE[status];
  return advice ? <p>{advice}</p> : null;
};

/** An error behind which nothing is wrong must not look like an outage. */
const AskedError: FC<{ requested: URL }> = ({ requested }) => {
  const query = new URLSearchParams(requested.search);
  query.delete("prefer");
  return (
    <p>
      The request asked for this error with <code>prefer</code>; nothing is wrong.
      {requested.searchParams.has("prefer") && (
        <>
          {" "}
          <a href={`?${query}`}>The same address without it</a>
        </>
      )}
    </p>
  );
};

/** What may be to blame for the error besides the page, or would only bring another. */
const DROPPED = ["as_of", "format", "prefer"];

const OtherPage: FC<{ query: URLSearchParams }> = ({ query }) => {
  const kept = new URLSearchParams([...query].filter(([name]) => !DROPPED.includes(name)));
  // A field for numbers shows no other text.
  const asked = lastValue(query, "page")?.match(/^[0-9]+$/)?.[0];
  return (
    <>
      <p>Pages are numbered from 1, the newest records, to the last one.</p>
      <PageBox query={kept} number={asked} />
    </>
  );
};
