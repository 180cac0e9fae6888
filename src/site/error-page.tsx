import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import { type ClientResponse, changeQuery, formatStatus, Message, parseBody } from "./client-response.tsx";
import type { FC } from "./jsx-runtime.ts";
import { Layout } from "./layout.tsx";

/** The web page of an error: what a person can do, and the response that a client gets. */
export function renderError(response: ClientResponse): string {
  const title = formatStatus(response.status);
  return (
    <Layout title={title} path={response.url.pathname}>
      <h1>{title}</h1>
      <p class="lead">
        <Advice {...response} />
      </p>
      <h2>The response to a client</h2>
      <Message {...response} />
    </Layout>
  ).html;
}

const Advice: FC<ClientResponse> = ({ status, headers, body, isFault, page, url, unchanged }) => {
  const link = (text: string, name: string, value: string) => (
    <a href={changeQuery(url, name, value)}>{text}</a>
  );
  const seconds = headers.get("Retry-After");
  const { detail = body } = Object(parseBody(body));
  if (isFault)
    return (
      <>
        A preference asked for this error; nothing is wrong.{" "}
        {unchanged !== undefined && <a href={unchanged}>The same address without it</a>}
      </>
    );
  if (seconds !== null)
    return (
      <>
        {detail} <a href={url.href}>Try again</a> after {seconds} seconds.
      </>
    );
  if (status !== 404) return <>{detail}</>;
  if (url.pathname !== COLLECTION_PATH)
    return (
      <>
        There is nothing at this address. The collection is at <a href={COLLECTION_PATH}>{COLLECTION_PATH}</a>
        .
      </>
    );
  if (page) return <>The last page is {link(`page ${page.pages}`, "page", String(page.pages))}.</>;
  if (["", "api", null].includes(lastValue(url.searchParams, "format")))
    return <>Pages are numbered from 1, which has the newest records, to the last page.</>;
  return (
    <>
      There are only the formats {link("api", "format", "api")} and {link("json", "format", "json")}.
    </>
  );
};
