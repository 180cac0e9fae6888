import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { formatTyped, isChanged } from "../faults/applied-options.ts";
import { selectFaults } from "../faults/option-table.ts";
import { COLLECTION_PATH } from "../http/links.ts";
import { isDefaultFormat } from "../http/negotiation.ts";
import { getLastValue } from "../http/request.ts";
import { Banners, type ClientResponse, formatStatus, RawResponse, setParameter } from "./client-response.tsx";
import { formatBody } from "./json-html.ts";
import { Layout } from "./layout.tsx";
import { formatQuantity } from "./text-format.ts";

/** Renders an error, or a response that a fault has changed. */
export function renderResponse(response: ClientResponse): string {
  const { status, body, url, applied } = response;
  const faults = isChanged(applied) ? ` with ${formatTyped(selectFaults(applied.values))}` : "";
  const title = formatStatus(status) + faults;
  return String(
    <Layout title={title} path={url.pathname}>
      <h1>{title}</h1>
      <Advice response={response} />
      <Banners response={response} />
      <h2>The API response</h2>
      <RawResponse response={response} url={url.href}>
        <code>{raw(formatBody(body, applied.changes))}</code>
      </RawResponse>
    </Layout>,
  );
}

/** A sentence about the response. After an error of the service also the next link to follow. */
const Advice: FC<{ response: ClientResponse }> = ({ response }) => {
  if (isChanged(response.applied))
    return <p class="lead">A fault option changed this response. The service is working normally.</p>;
  const { text, href, name } = getErrorAdvice(response);
  return (
    <p class="lead">
      {text} <a href={href}>{name}</a>
    </p>
  );
};

interface ErrorAdvice {
  text: string;
  href: string;
  name: string;
}

const NEWEST = { href: COLLECTION_PATH, name: "Show the newest records" };
const OVERVIEW = { href: "/", name: "Show the overview" };

function getErrorAdvice(response: ClientResponse): ErrorAdvice {
  const { status, headers, body, url, urlWithoutFaults } = response;
  const { detail: text } = JSON.parse(body);
  const seconds = Number(headers.get("Retry-After"));
  if (seconds > 0)
    return { text, href: url.href, name: `Try again after ${formatQuantity(seconds, "second")}` };
  if (status === 404) return getNotFoundAdvice(response);
  if (status === 400 && urlWithoutFaults !== undefined)
    return { text, href: urlWithoutFaults, name: "Show the page without faults" };
  return { text, ...(url.pathname === COLLECTION_PATH ? NEWEST : OVERVIEW) };
}

function getNotFoundAdvice({ url, number }: ClientResponse): ErrorAdvice {
  if (url.pathname !== COLLECTION_PATH) return { text: "There is nothing at this URL.", ...NEWEST };
  const format = getLastValue(url.searchParams, "format");
  if (!isDefaultFormat(format)) return { text: "The formats are api and json.", ...NEWEST };
  const isPastTheEnd = number !== undefined;
  if (isPastTheEnd) {
    const lastPage = { href: setParameter(url, "page", "last"), name: "Show the last page" };
    return { text: "The collection has fewer pages.", ...lastPage };
  }
  const firstPage = { href: setParameter(url, "page", "1"), name: "Show page 1" };
  return { text: "Pages are numbered from 1, and page 1 has the newest records.", ...firstPage };
}
