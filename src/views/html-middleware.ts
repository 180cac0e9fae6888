import type { AppContext, AppMiddleware } from "../bindings.ts";
import { NOTHING_APPLIED } from "../faults/applied-options.ts";
import { hasVisibleFault } from "../faults/option-table.ts";
import { prefersHtml } from "../http/negotiation.ts";
import { getLastValue, getOrigin, keepLastValues } from "../http/request.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER } from "../records/links.ts";
import { isDate } from "../records/utc-time.ts";
import { type ClientResponse, removeParameter, setParameter } from "./client-response.tsx";
import { renderRecords } from "./records/records-page.tsx";
import { renderResponse } from "./response-page.tsx";

/** Nothing inline is allowed, so that injected markup cannot run a script. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The headers of every HTML response. */
export const HTML_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Referrer-Policy": "same-origin",
};

/** Headers that are true only of the JSON. An entity-tag, for example, does not change when the HTML does. */
const JSON_ONLY_HEADERS = ["ETag", "Content-Length", "Content-Encoding"];

/** Shows pages of the collection, and errors, as HTML if the client prefers HTML. `/healthz` is only for monitors. */
export const renderHtml: AppMiddleware = async (c, next) => {
  c.set("prefersHtml", prefersHtml(c));
  await next();
  if (!c.var.prefersHtml) return;
  if (!canRenderAsHtml(c)) return;
  const response = await readResponse(c);
  const { status, headers } = response;
  // The table of records cannot show a broken page.
  const isUnbrokenPage = status === 200 && !hasVisibleFault(response.applied.values);
  const html = isUnbrokenPage ? renderRecords(response) : renderResponse(response);
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

/** Reads a response, and gets the data of its request that the HTML view shows. */
async function readResponse(c: AppContext): Promise<ClientResponse> {
  const { pathname, search } = new URL(c.req.url);
  const url = new URL(getOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + pathname + search);
  const jumpDate = takeJumpDate(url);
  keepLastValues(url.searchParams);
  return {
    status: c.res.status,
    headers: c.res.headers,
    body: await readBody(c.res),
    method: c.req.method,
    prefer: c.req.header("Prefer"),
    applied: c.get("applied") ?? NOTHING_APPLIED,
    url,
    urlWithoutFaults: pathname === COLLECTION_PATH ? findUrlWithoutFaults(c, url) : undefined,
    jumpDate,
  };
}

/** Removes the date of a jump from a URL, because links and commands omit it. */
function takeJumpDate({ searchParams }: URL): string | undefined {
  const date = getLastValue(searchParams, JUMP_DATE_PARAMETER);
  if (date === null) return undefined;
  searchParams.delete(JUMP_DATE_PARAMETER);
  return isDate(date) ? date : undefined;
}

/** Finds the URL of the same page without faults. Returns undefined if neither PREFER nor the query sets options. */
function findUrlWithoutFaults(c: AppContext, url: URL): string | undefined {
  if (c.env.PREFER) return setParameter(url, "prefer", "none");
  return url.searchParams.has("prefer") ? removeParameter(url, "prefer") : undefined;
}
