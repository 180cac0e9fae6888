import type { AppContext, AppMiddleware } from "../bindings.ts";
import { type AppliedOptions, isChanged } from "../faults/applied-options.ts";
import { isSentInParts } from "../faults/body-faults.ts";
import type { OptionValue } from "../faults/option-table.ts";
import { NO_STORE } from "../http/headers.ts";
import { COLLECTION_PATH } from "../http/links.ts";
import { prefersHtml } from "../http/negotiation.ts";
import { getHeader, getOrigin, type PageRequest, parsePageRequest } from "../http/request.ts";
import { type ClientResponse, setParameter } from "./client-response.tsx";
import { renderRecords, renderResponse } from "./response-page.tsx";
import { HEALTH_PATH } from "./site.ts";

/** Nothing inline is allowed, so that injected markup cannot run a script. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export const HTML_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Referrer-Policy": "same-origin",
};

const NOTHING_APPLIED: AppliedOptions = {
  options: {},
  source: "query",
  unmet: [],
  warnings: [],
  changes: [],
};

/** Headers that describe the JSON, and not the HTML. */
const JSON_ONLY_HEADERS = ["ETag", "Content-Length", "Content-Encoding"];

/** Shows pages of the collection, and errors, as HTML if the client prefers HTML. */
export const renderHtml: AppMiddleware = async (c, next) => {
  await next();
  // `canRenderAsHtml` comes second, because a response is sent faster if nothing reads its headers.
  if (!prefersHtml(c) || !canRenderAsHtml(c)) return;

  const { status, headers } = c.res;
  const applied = c.get("applied") ?? NOTHING_APPLIED;
  const body = await readBody(c.res, applied.options.body);
  const response: ClientResponse = { ...describeRequest(c), status, headers, body, applied };
  // Of the responses with status 200, `canRenderAsHtml` accepts only pages of the collection.
  const isUnchangedPage = status === 200 && !isChanged(applied);
  const html = isUnchangedPage ? renderRecords(response, JSON.parse(body)) : renderResponse(response);

  // Hono copies the headers of a response to the one that replaces it, so the first one is removed.
  c.res = undefined;
  c.res = new Response(html, { status, headers: createHtmlHeaders(headers, response) });
};

/** Whether a response has a view: JSON that is an error or a page of the collection, and also what a fault sends in its place. */
function canRenderAsHtml({ req, res, var: { applied } }: AppContext): boolean {
  // Only monitors read the health of the service.
  if (req.path === HEALTH_PATH) return false;
  const isJson = res.headers.get("Content-Type") === "application/json";
  if (!isJson && applied?.options.body !== "html") return false;
  if (res.status >= 400) return true;
  return res.status === 200 && req.path === COLLECTION_PATH && req.method !== "OPTIONS";
}

/** Reads a body as a client does: to its end, or until its connection closes, perhaps inside of a character. */
async function readBody({ body }: Response, fault: OptionValue<"body"> | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const part of body ?? []) text += decoder.decode(part, { stream: true });
  } catch (error) {
    // Only the faults of slow and cut bodies close a connection on purpose.
    if (!isSentInParts(fault)) throw error;
  }
  return text + decoder.decode();
}

/** A page repeats its parameters in links and forms. If a request has more than these, the page keeps only those that the service reads. */
const MAX_PARAMETERS = 50;

const READ_PARAMETERS = ["date", "format", "page", "prefer", "run"];

/** Describes a request as the HTML view shows it. */
function describeRequest(c: AppContext) {
  const request = parsePageRequest(c);
  const url = createShownUrl(request, c.env.PUBLIC_ORIGIN);
  return {
    method: request.method,
    preferHeader: getHeader(c.req.raw.headers, "Prefer"),
    url,
    requestedPage: request.page,
    areFaultsOff: c.env.FAULTS === "off",
    urlWithoutFaults: findUrlWithoutFaults(c, url),
    leftOut: request.query.size - url.searchParams.size,
  };
}

/** Creates the URL that a page repeats, with the public origin. */
function createShownUrl({ url, query }: PageRequest, publicOrigin: string | undefined): URL {
  const shown = new URL(getOrigin(url, publicOrigin) + url.pathname + url.search);
  if (query.size <= MAX_PARAMETERS) return shown;
  const read = [...query].filter(([name]) => READ_PARAMETERS.includes(name));
  shown.search = new URLSearchParams(read.slice(-MAX_PARAMETERS)).toString();
  return shown;
}

/** Finds the URL of the same page without faults. Undefined on other paths, with FAULTS off, and if neither PREFER nor the query sets options. */
function findUrlWithoutFaults({ env }: AppContext, url: URL): string | undefined {
  if (url.pathname !== COLLECTION_PATH || env.FAULTS === "off") return undefined;
  if (env.PREFER) return setParameter(url, "prefer", "none");
  if (!url.searchParams.has("prefer")) return undefined;
  const changed = new URL(url);
  changed.searchParams.delete("prefer");
  return changed.href;
}

function createHtmlHeaders(jsonHeaders: Headers, { preferHeader }: ClientResponse): Headers {
  const headers = new Headers(jsonHeaders);
  // The curl command on the page repeats this header, on which caches do not vary.
  if (preferHeader !== undefined) headers.set("Cache-Control", NO_STORE);
  for (const name of JSON_ONLY_HEADERS) headers.delete(name);
  for (const [name, value] of Object.entries(HTML_HEADERS)) headers.set(name, value);
  return headers;
}
