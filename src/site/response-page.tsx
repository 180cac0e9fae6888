import { isInjectedError } from "../faults/faults.ts";
import { getLastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";
import {
  type ClientResponse,
  changeQuery,
  formatStatus,
  parseJsonBody,
  RawResponse,
} from "./client-response.tsx";
import { CurlBlock, quoteForShell } from "./code-block.tsx";
import { Layout } from "./layout.tsx";
import { formatQuantity } from "./text-format.ts";

/** Renders an error: advice, the request as a curl command, and the API response. */
export function renderError(response: ClientResponse): string {
  const { status, url } = response;
  const title = formatStatus(status);
  const [text, href, name] = getAdvice(response);
  return (
    <Layout title={title} path={url.pathname}>
      <h1>{title}</h1>
      <p class="lead">
        {text} <a href={href}>{name}</a>
      </p>
      <h2>The API response</h2>
      <CurlBlock options={getCurlOptions(response)} url={url.href} label="curl" />
      <RawResponse {...response} />
    </Layout>
  ).html;
}

type Advice = [text: string, href: string, name: string];

/** Gets a sentence about the error, and the next link to follow. */
function getAdvice(response: ClientResponse): Advice {
  const { status, headers, body, url, urlWithoutFaults } = response;
  const { detail = body } = Object(parseJsonBody(body));
  const seconds = Number(headers.get("Retry-After"));
  if (isInjectedError(headers)) {
    const text = "A fault option caused this error. The service is working normally.";
    return urlWithoutFaults ? [text, urlWithoutFaults, "Show the page without faults"] : [text, ...OVERVIEW];
  }
  if (seconds) return [detail, url.href, `Try again after ${formatQuantity(seconds, "second")}`];
  if (status === 404) return getNotFoundAdvice(response);
  if (status === 400 && urlWithoutFaults) return [detail, urlWithoutFaults, "Show the page without faults"];
  return [detail, ...(url.pathname === COLLECTION_PATH ? NEWEST : OVERVIEW)];
}

const NEWEST = [COLLECTION_PATH, "Show the newest records"] as const;
const OVERVIEW = ["/", "Show the overview"] as const;

function getNotFoundAdvice({ url }: ClientResponse): Advice {
  if (url.pathname !== COLLECTION_PATH) return ["There is nothing at this URL.", ...NEWEST];
  if (!["", "api", null].includes(getLastValue(url.searchParams, "format")))
    return ["The valid formats are api and json.", changeQuery(url, "format", "api"), "Show the page"];
  if (parsePageNumber(getLastValue(url.searchParams, "page")))
    return ["The collection has fewer pages.", changeQuery(url, "page", "last"), "Show the last page"];
  const text = "Pages are numbered from 1, and page 1 has the newest records.";
  return [text, changeQuery(url, "page", "1"), "Show page 1"];
}

/** Gets the curl options for the request of the browser. */
function getCurlOptions({ method, prefer }: ClientResponse): string {
  const options = ["-si"];
  if (method !== "GET") options.push(`-X ${method}`);
  if (prefer) options.push(`-H ${quoteForShell(`Prefer: ${prefer}`)}`);
  return options.join(" ");
}
