import type { Next } from "hono";
import type { CollectionContext } from "../env.ts";
import { dropCondition, findPreferred } from "../http/headers.ts";
import { findOrigin, lastValue } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import { changeQuery } from "./client-response.tsx";
import { renderError } from "./error-page.tsx";
import { CHOSEN, isDate } from "./go.ts";
import { renderRecords } from "./records/records-page.tsx";

/**
 * The Content-Security-Policy of every web page: it may load only the site's own scripts, styles and images, and nothing
 * inline. So even if foreign text became markup by mistake, it could do nothing (Content Security Policy, level 3).
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The headers of every web page. */
export const HTML_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": POLICY,
  "Referrer-Policy": "same-origin",
};

/** Headers of the JSON response that do not describe the page. A page also changes when the site changes. */
const REPLACED = ["ETag", "Content-Length", "Content-Encoding"];

/**
 * Lets the service respond in JSON, once, and shows that response as a web page if the client prefers HTML: pages of the
 * collection, and errors of every path. Other responses pass.
 */
export function showAsPage(c: CollectionContext, next: Next): Promise<void> {
  return findPreferred(c.req.header("Accept")) === "html" ? show(c, next) : next();
}

async function show(c: CollectionContext, next: Next): Promise<void> {
  if (lastValue(new URL(c.req.url).searchParams, "format") === "json") return next();
  let chosen: string | undefined;
  if (c.req.path === COLLECTION_PATH) {
    dropCondition(c);
    chosen = takeChosen(c);
  }
  await next();
  const { status, headers } = c.res;
  const isShown = status >= 400 || (status === 200 && c.get("page") !== undefined);
  if (!isShown || headers.get("Content-Type") !== "application/json") return;
  const response = { ...describeRequest(c), status, headers, body: await readBody(c), chosen };
  // Hono would copy the headers of the response that is replaced.
  c.res = undefined;
  const { page } = response;
  const html = status === 200 && page ? renderRecords(response, page.number) : renderError(response);
  const replaced = new Headers(headers);
  for (const name of REPLACED) replaced.delete(name);
  for (const [name, value] of Object.entries(HTML_HEADERS)) replaced.set(name, value);
  c.res = new Response(`<!doctype html>${html}`, { status, headers: replaced });
}

/** Takes the date of a jump out of the URL of the request. */
function takeChosen(c: CollectionContext): string | undefined {
  const { method, headers, signal } = c.req.raw;
  const url = new URL(c.req.url);
  const date = lastValue(url.searchParams, CHOSEN);
  if (date === null || !isDate(date) || method !== "GET") return undefined;
  url.searchParams.delete(CHOSEN);
  c.req.raw = new Request(url, { method, headers, signal });
  return date;
}

/** Reads a body up to its end, or to where a fault breaks it. Reading all of them part by part would take a tenth of the time. */
async function readBody({ res, get }: CollectionContext): Promise<string> {
  if (!get("isBroken")) return res.text();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const part of res.body ?? []) text += decoder.decode(part, { stream: true });
  } catch {
    // A fault has cut the body.
  }
  return text;
}

/** What a page shows of its request, and what the mock and the route noted of it. */
function describeRequest(c: CollectionContext) {
  const { pathname, search } = new URL(c.req.url);
  const url = new URL(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN) + pathname + search);
  const isFault = c.get("fault") ?? false;
  const sent = { method: c.req.method, prefer: c.req.header("Prefer"), url };
  return { ...sent, page: c.get("page"), isFault, unchanged: findUnchanged(c, url) };
}

/** The address of the same page without faults; undefined if a header asks for them. */
function findUnchanged(c: CollectionContext, url: URL): string | undefined {
  if (c.env.PREFER) return changeQuery(url, "prefer", "none");
  return url.searchParams.has("prefer") ? changeQuery(url, "prefer", null) : undefined;
}
