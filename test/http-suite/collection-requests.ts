import { getLastPage } from "../../src/records/page.ts";
import { CHROMIUM, type Exchange, PATH, type Target } from "../support/exchange.ts";

/** The headers of every response of the collection (specification, "List records"). */
export const COMMON_HEADERS = {
  allow: "GET, OPTIONS",
  vary: "Accept",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
};
export const JSON_TYPE = { "content-type": "application/json" };
/** The caching of pages that change with the collection. */
export const CACHING = "public, max-age=5, stale-if-error=3600";
const NOT_MODIFIED_HEADERS = { ...COMMON_HEADERS, "cache-control": CACHING, etag: /^"[^"]+"$/ };
const PAGE_HEADERS = { ...NOT_MODIFIED_HEADERS, ...JSON_TYPE };

/** `link` is the query of the links, with PAGE in place of the number. */
type PageRow = [name: string, query: string, number: number | "last", link?: string, accept?: string];

function createPage([name, query, number, link = "format=api&page=PAGE", accept = "*/*"]: PageRow): Exchange {
  const requestHeaders = { accept };
  return { name, request: PATH + query, requestHeaders, headers: PAGE_HEADERS, page: { number, link } };
}

/** The longest path and query. The zeros are no part of the links, which would be too long with them. */
export const LONGEST_TARGET = `${`${PATH}?page=`.padEnd(8_191, "0")}1`;

/** The longest query that links repeat. */
export const LONGEST_QUERY = `x=${"y".repeat(8_000 - "format=&page=&x=".length)}`;

/** Pages with their numbers and links (specification, "Page envelope"). */
export function listPages({ records }: Target): Exchange[] {
  const json = "format=json&page=PAGE";
  const last = getLastPage(records.length);
  const many = "&x=".repeat(2_500);
  // biome-ignore format: a table of cases
  const rows: PageRow[] = [
    ["page 1 is the default", "", 1],
    ["empty parameters have no effect", "?page=&format=", 1],
    ["a page by its number", "?format=api&page=2", 2],
    ["the last page by its name", "?page=last", "last"],
    ["the last page by its number", `?page=${last}`, last],
    ["zeros and escapes in a number", "?page=00%32", 2],
    ["the last value of page counts", "?page=1&page=2", 2],
    ["links keep format=json", "?format=json&page=3", 3, json],
    ["the last value of format counts, whatever Accept says", "?format=xml&format=json", 1, json, "image/png"],
    ["links keep other parameters, sorted by name and encoded", "?z=1&page=2&a=2&a=1&q=%C3%BC%20%26", 2, "a=2&a=1&format=api&page=PAGE&q=%C3%BC+%26&z=1"],
    ["links keep thousands of parameters", `?page=2${many}`, 2, `format=api&page=PAGE${many}`],
    ["links keep the longest query", `?${LONGEST_QUERY}`, 1, `format=api&page=PAGE&${LONGEST_QUERY}`],
    ["the longest URL", LONGEST_TARGET.slice(PATH.length), 1],
    ["JSON weighs more", "", 1, "format=api&page=PAGE", "text/html;q=0.9, */*"],
  ];
  return rows.map(createPage);
}

/** OPTIONS and CORS preflights. */
export function listOptions(): Exchange[] {
  const preflight = { origin: "https://app.example", "access-control-request-method": "GET" };
  return [
    {
      name: "the description of the collection",
      request: `OPTIONS ${PATH}`,
      headers: { ...COMMON_HEADERS, ...JSON_TYPE },
      body: {
        name: "Traffic Count Records",
        description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
        renders: ["application/json", "text/html"],
        parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
      },
    },
    ...["/elsewhere", `${PATH}?prefer=code=503`].map((target) => ({
      name: `a preflight has no fault: ${target}`,
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
  const requestHeaders = { "if-none-match": "*" };
  const notModified = { requestHeaders, status: 304, headers: NOT_MODIFIED_HEADERS, body: "" };
  const outdated = { requestHeaders: { "if-none-match": '"other"' }, headers: PAGE_HEADERS };
  return [
    { name: "every copy is current", request: PATH, ...notModified },
    { name: "HEAD for a copy", request: `HEAD ${PATH}?page=last`, ...notModified },
    { name: "an outdated copy", request: PATH, ...outdated },
    {
      name: "no copy of a web page is current, because it has no entity-tag",
      request: PATH,
      requestHeaders: { ...requestHeaders, accept: CHROMIUM },
      headers: { ...PAGE_HEADERS, etag: null, "content-type": "text/html; charset=utf-8" },
      body: /^<!doctype html>/,
    },
  ];
}
