import type { FC } from "hono/jsx";
import { hasVisibleFault } from "../faults/option-table.ts";
import { getLastValue } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/links.ts";
import {
  Banners,
  type ClientResponse,
  formatFaults,
  formatStatus,
  RawResponse,
  setParameter,
} from "./client-response.tsx";
import { CurlBlock, JsonText } from "./code-block.tsx";
import { Layout } from "./layout.tsx";
import { formatQuantity, quoteForShell } from "./text-format.ts";

/** Renders an error, or a response that a fault has changed. */
export function renderResponse(response: ClientResponse): string {
  const { status, body, url, applied } = response;
  const faults = formatFaults(applied.values);
  const title = faults === "" ? formatStatus(status) : `${formatStatus(status)} with ${faults}`;
  return String(
    <Layout title={title} path={url.pathname}>
      <h1>{title}</h1>
      <Advice {...response} />
      <Banners response={response} />
      <h2>The API response</h2>
      <CurlBlock options={getCurlOptions(response)} url={url.href} label="curl" />
      {canLinkToJson(response) && (
        <p>
          <a href={setParameter(url, "format", "json")}>Raw JSON</a>
        </p>
      )}
      <RawResponse response={response}>
        <Body text={body} />
      </RawResponse>
    </Layout>,
  );
}

/** Whether a link can repeat the request for JSON: it has a method, the headers and a format of its own. */
function canLinkToJson({ method, prefer, url }: ClientResponse): boolean {
  return method === "GET" && prefer === undefined && hasKnownFormat(url);
}

function hasKnownFormat({ searchParams }: URL): boolean {
  return ["", "api"].includes(getLastValue(searchParams, "format") ?? "");
}

/** JSON with links, or any other text unchanged. */
const Body: FC<{ text: string }> = ({ text }) => {
  try {
    return <JsonText value={JSON.parse(text)} />;
  } catch {
    return <code>{text}</code>;
  }
};

/** A sentence about the response. After an error of the service also the next link to follow. */
const Advice: FC<ClientResponse> = (response) => {
  if (hasVisibleFault(response.applied.values))
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
  if (!hasKnownFormat(url)) return { text: "The formats are api and json.", ...NEWEST };
  const isPastTheEnd = number !== undefined;
  if (isPastTheEnd) {
    const lastPage = { href: setParameter(url, "page", "last"), name: "Show the last page" };
    return { text: "The collection has fewer pages.", ...lastPage };
  }
  const firstPage = { href: setParameter(url, "page", "1"), name: "Show page 1" };
  return { text: "Pages are numbered from 1, and page 1 has the newest records.", ...firstPage };
}

function getCurlOptions({ method, prefer }: ClientResponse): string {
  const options = ["-si"];
  if (method !== "GET") options.push(`-X ${method}`);
  if (prefer) options.push(`-H ${quoteForShell(`Prefer: ${prefer}`)}`);
  return options.join(" ");
}
