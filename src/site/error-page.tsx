import { isInjectedError } from "../faults/faults.ts";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";
import { type ClientResponse, changeQuery, formatStatus, Message, parseBody } from "./client-response.tsx";
import { CurlBlock, quote } from "./code.tsx";
import { Layout } from "./layout.tsx";
import { formatQuantity } from "./text-format.ts";

/** The web page of an error: what a person can do, and the request with the response that a client gets. */
export function renderError(response: ClientResponse): string {
  const { status, url, headers } = response;
  const title = formatStatus(status);
  const [text, href, name] = advise(response);
  return (
    <Layout title={title} path={url.pathname}>
      <h1>{title}</h1>
      <p class="lead">
        {text} <a href={href}>{name}</a>
      </p>
      <h2>The response to a client</h2>
      {(status !== 414 || isInjectedError(headers)) && (
        <CurlBlock options={listOptions(response)} url={url.href} label="curl" />
      )}
      <Message {...response} />
    </Layout>
  ).html;
}

type Advice = [text: string, href: string, name: string];

/** What a person can do: a sentence, and a link onwards. */
function advise(response: ClientResponse): Advice {
  const { status, headers, body, url, urlWithoutFaults } = response;
  const { detail = body } = Object(parseBody(body));
  const seconds = Number(headers.get("Retry-After"));
  if (isInjectedError(headers)) {
    const text = "A preference asked for this error; nothing is wrong.";
    return urlWithoutFaults ? [text, urlWithoutFaults, "Show the page without it"] : [text, ...OVERVIEW];
  }
  if (seconds) return [detail, url.href, `Try again after ${formatQuantity(seconds, "second")}`];
  if (status === 404) return adviseWhere(response);
  if (status === 400 && urlWithoutFaults)
    return [detail, urlWithoutFaults, "Show the page without preferences"];
  return [detail, ...(url.pathname === COLLECTION_PATH ? NEWEST : OVERVIEW)];
}

const NEWEST = [COLLECTION_PATH, "Show the newest records"] as const;
const OVERVIEW = ["/", "Show the overview"] as const;

/** What a person can do if there is nothing at an address. */
function adviseWhere({ url }: ClientResponse): Advice {
  if (url.pathname !== COLLECTION_PATH) return ["There is nothing at this address.", ...NEWEST];
  if (!["", "api", null].includes(lastValue(url.searchParams, "format")))
    return ["The formats are api and json.", changeQuery(url, "format", "api"), "Show the page"];
  if (parsePageNumber(lastValue(url.searchParams, "page")))
    return ["The collection has fewer pages.", changeQuery(url, "page", "last"), "Show the last page"];
  const text = "Pages are numbered from 1, which has the newest records.";
  return [text, changeQuery(url, "page", "1"), "Show page 1"];
}

/** The options of a command that gets the same response as the browser. */
function listOptions({ method, prefer }: ClientResponse): string {
  const options = ["-si"];
  if (method !== "GET") options.push(`-X ${method}`);
  if (prefer) options.push(`-H ${quote(`Prefer: ${prefer}`)}`);
  return options.join(" ");
}
