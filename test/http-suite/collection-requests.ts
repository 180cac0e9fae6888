import { getLastPage } from "../../src/records/page.ts";
import { CHROMIUM, type Exchange, PATH, type Target } from "./exchange.ts";

/** The headers of every response of the collection (specification, "List records"). */
const COMMON = {
  allow: "GET, OPTIONS",
  vary: "Accept",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
};
const JSON_TYPE = { "content-type": "application/json" };
const CACHED = { "cache-control": "public, max-age=5, stale-if-error=3600", etag: /^"[^"]+"$/ };
const PAGE = { ...COMMON, ...JSON_TYPE, ...CACHED };
const ERROR = { ...COMMON, ...JSON_TYPE, "cache-control": "no-store", etag: null };

const INVALID = "Invalid page.";
const NOT_FOUND = "Not found.";
const TOO_LONG = "The URL, or a link that repeats its parameters, would be longer than 8192 characters.";
const NOT_ACCEPTABLE = "Could not satisfy the request Accept header.";

interface PageRow {
  name: string;
  query: string;
  number: number | "last";
  /** The query of the links, with PAGE in place of the number. */
  link?: string;
  accept?: string;
}

const formatAccept = (accept: string | undefined) => (accept === undefined ? {} : { accept });

function page({ name, query, number, link = "format=api&page=PAGE", accept }: PageRow): Exchange {
  const requestHeaders = formatAccept(accept);
  return { name, request: PATH + query, requestHeaders, headers: PAGE, page: { number, link } };
}

function error(request: string, status: number, detail: string, accept?: string): Exchange {
  return { request, requestHeaders: formatAccept(accept), status, headers: ERROR, body: { detail } };
}

/** Pages with their numbers and links (specification, "Page envelope"). */
export function listPages({ records }: Target): Exchange[] {
  const json = "format=json&page=PAGE";
  const last = getLastPage(records.length);
  return [
    page({ name: "page 1 is the default", query: "", number: 1 }),
    page({ name: "empty parameters have no effect", query: "?page=&format=", number: 1 }),
    page({ name: "a page by its number", query: "?format=api&page=2", number: 2 }),
    page({ name: "the last page by its name", query: "?page=last", number: "last" }),
    page({ name: "zeros and escapes in a number", query: "?page=00%32", number: 2 }),
    page({ name: "the last value of page counts", query: "?page=1&page=2", number: 2 }),
    page({ name: "links keep format=json", query: "?format=json&page=3", number: 3, link: json }),
    page({
      name: "the last value of format counts, and JSON is always acceptable",
      query: "?format=xml&format=json",
      number: 1,
      link: json,
      accept: "image/png",
    }),
    page({
      name: "links keep other parameters, sorted by name and encoded",
      query: "?z=1&page=2&a=2&a=1&q=%C3%BC%20%26",
      number: 2,
      link: "a=2&a=1&format=api&page=PAGE&q=%C3%BC+%26&z=1",
    }),
    page({ name: "JSON weighs more", query: "", number: 1, accept: "text/html;q=0.9, */*" }),
    page({
      name: "the longest query, with 2,501 parameters",
      query: `?${"x=&".repeat(2_500)}page=2&x`,
      number: 2,
      link: `format=api&page=PAGE${"&x=".repeat(2_501)}`,
    }),
    page({ name: "the last page by its number", query: `?page=${last}`, number: last }),
  ];
}

/** Requests for page numbers that are invalid or past the end. */
export function listInvalidPages({ records }: Target): Exchange[] {
  const pages = [
    "0",
    "-1",
    "%2B1",
    "abc",
    "1.5",
    "2%00",
    "%202",
    "%D9%A2",
    "LAST",
    "%F0",
    "600479950316066",
    "1&page=x",
  ];
  const past = getLastPage(records.length) + 1;
  const reject = (page: string | number) => error(`${PATH}?page=${page}`, 404, INVALID);
  return [
    ...pages.map((page) => ({ ...reject(page), name: "not the number of a page" })),
    { ...reject(past), name: "past the end" },
    {
      ...reject(past),
      name: "no copy of a missing page is current",
      requestHeaders: { "if-none-match": "*" },
    },
    { request: `HEAD ${PATH}?page=0`, status: 404, headers: ERROR, body: "" },
  ];
}

const UNKNOWN_PATHS = [
  "/api/tf1/",
  "/api/tf2/records/",
  "/API/tf1/records/",
  `${PATH}1/`,
  `${PATH}/`,
  "/nothing",
  "/%ff%fe",
];

/** Requests with an invalid format, method, path or URL. */
export function listRejectedRequests(): Exchange[] {
  const html = (request: string, status: number, body: RegExp): Exchange => ({
    request,
    requestHeaders: { accept: CHROMIUM },
    status,
    headers: { ...ERROR, "content-type": "text/html; charset=utf-8" },
    body,
  });
  return [
    {
      ...error(`${PATH}?page=0&format=xml`, 404, NOT_FOUND, "image/png"),
      name: "the format precedes Accept and the page",
    },
    { ...error(`POST ${PATH}?format=API`, 404, NOT_FOUND), name: "the format precedes the method" },
    { ...error(`${PATH}?page=0`, 406, NOT_ACCEPTABLE, "image/png"), name: "Accept precedes the page" },
    error(`OPTIONS ${PATH}`, 406, NOT_ACCEPTABLE, "application/json;q=0"),
    ...["POST", "PUT", "PATCH", "DELETE", "PROPFIND"].map((method) => ({
      ...error(`${method} ${PATH}?page=0`, 405, `Method "${method}" not allowed.`),
      name: "the method precedes the page",
    })),
    html(`POST ${PATH}`, 405, /<h1>405 Method Not Allowed<.*Method &quot;POST&quot; not allowed\./s),
    html(`${PATH}?page=0&format=json&format=api`, 404, /<h1>404 Not Found<.*Invalid page\./s),
    { ...error(`${PATH}?page=0&format=json`, 404, INVALID, CHROMIUM), name: "JSON for a browser" },
    error(`${PATH}?x=${"y".repeat(8_192)}`, 414, TOO_LONG),
    { ...error(`${PATH}?page=${"0".repeat(8_192)}1`, 414, TOO_LONG), name: "only the URL is too long" },
    { ...error(`${PATH}?x=${"~".repeat(3_000)}`, 414, TOO_LONG), name: "encoding makes the links too long" },
    ...["", "?page=2&format=json&x=%20+"].map((query) => ({
      name: "the path without the slash keeps the query",
      request: PATH.slice(0, -1) + query,
      status: 301,
      headers: { ...COMMON, location: PATH + query },
    })),
    error(`POST ${PATH.slice(0, -1)}`, 405, 'Method "POST" not allowed.'),
    ...UNKNOWN_PATHS.map((path) => ({
      ...error(path, 404, NOT_FOUND),
      headers: { ...JSON_TYPE, allow: null, "access-control-allow-origin": "*" },
    })),
  ];
}

/** OPTIONS and CORS preflights. */
export function listOptions(): Exchange[] {
  const preflight = { origin: "https://app.example", "access-control-request-method": "GET" };
  return [
    {
      request: `OPTIONS ${PATH}`,
      headers: { ...COMMON, ...JSON_TYPE },
      body: {
        name: "Traffic Count Records",
        description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
        renders: ["application/json", "text/html"],
        parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
      },
    },
    ...["/elsewhere", `${PATH}?prefer=code=503`].map((target) => ({
      request: `OPTIONS ${target}`,
      requestHeaders: { ...preflight, prefer: "code=503" },
      status: 204,
      headers: {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, OPTIONS",
        // The star means every header except Authorization.
        "access-control-allow-headers": "*",
        "access-control-max-age": "86400",
        "preference-applied": null,
      },
      body: "",
    })),
  ];
}

/** Conditional requests. The suite also sends the entity-tag of a page. */
export function listConditions(): Exchange[] {
  const condition = (request: string, condition: string, expected: Omit<Exchange, "request">): Exchange => ({
    request,
    ...expected,
    requestHeaders: { "if-none-match": condition, ...expected.requestHeaders },
  });
  const current = { status: 304, headers: { ...COMMON, ...CACHED }, body: "" };
  return [
    condition(PATH, "*", current),
    condition(`HEAD ${PATH}?page=last`, "*", current),
    condition(PATH, '"other"', { headers: PAGE }),
    // The HTML view has no entity-tag, so no copy is current.
    condition(PATH, "*", {
      requestHeaders: { accept: CHROMIUM },
      headers: { ...PAGE, etag: null, "content-type": "text/html; charset=utf-8" },
      body: /^<!doctype html>/,
    }),
  ];
}
