import type { FC } from "hono/jsx";
import type { RenderError } from "../http/errors.ts";
import { COLLECTION_PATH } from "../records/envelope.ts";
import { Layout } from "./layout.tsx";
import { PageBox } from "./records/page-box.tsx";

/** What the statuses are called (RFC 9110, 15), and what a person can do. */
const STATUSES: Record<number, { name: string; advice: string }> = {
  404: { name: "Not Found", advice: "There is nothing at this address." },
  405: { name: "Method Not Allowed", advice: "The service can only be read." },
  406: { name: "Not Acceptable", advice: "The service has JSON and web pages." },
  503: {
    name: "Service Unavailable",
    advice: "The collection cannot be read at the moment. Try again in a few seconds.",
  },
};

/** The web page of an error: the same status and detail that a client gets. */
export const renderError: RenderError = async ({ status, body, requested }) => {
  const { name, advice } = STATUSES[status] ?? { name: "Error", advice: "" };
  return (
    <Layout title={`${status} ${name}`}>
      <h1>
        <span class="status">{status}</span> {name}
      </h1>
      <p class="lead">{body.detail}</p>
      <p>{advice}</p>
      {requested.pathname === COLLECTION_PATH && status === 404 && (
        <OtherPage query={requested.searchParams} />
      )}
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

const OtherPage: FC<{ query: URLSearchParams }> = ({ query }) => (
  <>
    <p>Pages are numbered from 1, the newest records, to the last one.</p>
    <PageBox query={query} />
  </>
);
