import type { AppContext, AppMiddleware } from "../bindings.ts";
import { NOTHING_APPLIED } from "../faults/applied-options.ts";
import { hasVisibleFault } from "../faults/option-table.ts";
import { prefersHtml } from "../http/negotiation.ts";
import { getLastValue, getOrigin } from "../http/request.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER } from "../records/page.ts";
import { isDate } from "../records/utc-time.ts";
import { type ClientResponse, changeQuery } from "./client-response.tsx";
import { renderRecords } from "./records/records-page.tsx";
import { renderResponse } from "./response-page.tsx";

/** Only the site's own scripts, styles and images are allowed, and nothing inline, so that injected markup cannot run a script. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The headers of every HTML response. */
export const HTML_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Referrer-Policy": "same-origin",
};

/** Headers that are valid only for the JSON. The entity-tag, for example, stays the same when a change of the site changes the HTML. */
const JSON_ONLY_HEADERS = ["ETag", "Content-Length", "Content-Encoding"];

/** Shows pages of the collection, and errors of every path, as HTML if the client prefers HTML. */
export const renderHtml: AppMiddleware = async (c, next) => {
  c.set("prefersHtml", prefersHtml(c));
  await next();
  if (!c.var.prefersHtml) return;
  if (!canRenderAsHtml(c)) return;
  const { status, headers } = c.res;
  const response = { ...getRequestInfo(c), status, headers, body: await readBody(c.res) };
  // The table of records assumes a right page.
  const isRightPage = status === 200 && !hasVisibleFault(response.applied.values);
  const html = isRightPage ? renderRecords(response) : renderResponse(response);
  for (const name of JSON_ONLY_HEADERS) headers.delete(name);
  for (const [name, value] of Object.entries(HTML_HEADERS)) headers.set(name, value);
  c.res = new Response(html, { status, headers });
};

/** Whether a response is JSON that has a view: an error, or a page of the collection. */
function canRenderAsHtml({ req, res }: AppContext): boolean {
  if (res.headers.get("Content-Type") !== "application/json") return false;
  if (res.status >= 400) return true;
  return res.status === 200 && req.path === COLLECTION_PATH && req.method !== "OPTIONS";
}

/** Reads a body as a client does: to its end, or until a fault cuts it. */
async function readBody({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const part of body ?? []) text += decoder.decode(part, { stream: true });
  } catch {
    // A fault has cut the body.
  }
  return text;
}

/** Gets the request data that the HTML view shows. */
function getRequestInfo(c: AppContext): Omit<ClientResponse, "status" | "headers" | "body"> {
  const { pathname, search } = new URL(c.req.url);
  const url = new URL(getOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + pathname + search);
  const isCollection = pathname === COLLECTION_PATH;
  const date = isCollection ? getLastValue(url.searchParams, JUMP_DATE_PARAMETER) : null;
  if (date !== null) url.searchParams.delete(JUMP_DATE_PARAMETER);
  return {
    method: c.req.method,
    prefer: c.req.header("Prefer"),
    applied: c.get("applied") ?? NOTHING_APPLIED,
    url,
    urlWithoutFaults: isCollection ? getUrlWithoutFaults(c, url) : undefined,
    jumpDate: date !== null && isDate(date) ? date : undefined,
  };
}

/** Gets the URL of the same page without faults. Returns undefined if neither PREFER nor the query sets options. */
function getUrlWithoutFaults(c: AppContext, url: URL): string | undefined {
  if (c.env.PREFER) return changeQuery(url, "prefer", "none");
  return url.searchParams.has("prefer") ? changeQuery(url, "prefer", null) : undefined;
}
