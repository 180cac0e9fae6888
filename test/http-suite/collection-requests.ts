import { type Exchange, PATH, type Target } from "../support/exchange.ts";

// Requests for the collection, and what each must get from every store.

/** The headers of every response of the collection, except of a preflight (specification, "List records"). */
export const COMMON_HEADERS = {
  allow: "GET, OPTIONS",
  vary: "Accept",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
};
export const JSON_TYPE = { "content-type": "application/json" };
export const PAGE_CACHE_CONTROL = "public, max-age=5, stale-if-error=3600";

const CACHE_HEADERS = { "cache-control": PAGE_CACHE_CONTROL, etag: /^".+"$/ };
const PAGE_HEADERS = { ...COMMON_HEADERS, ...CACHE_HEADERS, ...JSON_TYPE };

/** A path and query of 8,192 characters, the most that the service accepts. Its links omit the zeros. */
export const LONGEST_TARGET = `${PATH}?page=${"0".repeat(8_192 - `${PATH}?page=1`.length)}1`;

/** The longest parameter that links repeat: they have at most 8,000 characters besides the path and the values of page and format. */
export const LONGEST_PARAMETER = `x=${"y".repeat(8_000 - "format=&page=&x=".length)}`;

const PAST_THE_END = {
  page: undefined,
  status: 404,
  headers: COMMON_HEADERS,
  body: { detail: "Invalid page." },
};

/** Pages with their headers, numbers and links (specification, "Page envelope"). A row whose page the collection does not have expects a 404. */
export function listPages({ records }: Target): Exchange[] {
  // A page has 15 records. An empty collection has one page.
  const last = Math.max(1, Math.ceil(records.length / 15));
  const jsonLinks = "format=json&page=PAGE";
  const thousands = "&x=".repeat(2_500);
  // biome-ignore format: a table of cases
  const pages: (Exchange & { page: number })[] = [
    { name: "page 1 is the default", request: PATH, page: 1 },
    { name: "an empty number means page 1", request: `${PATH}?page=`, page: 1 },
    { name: "an empty format has no meaning", request: `${PATH}?format=`, page: 1 },
    { name: "a page is requested by its number", request: `${PATH}?page=2`, page: 2 },
    { name: "the last page can be requested by its number", request: `${PATH}?page=${last}`, page: last },
    { name: "the last page can be requested by its name", request: `${PATH}?page=last`, page: last },
    { name: "zeros before a number have no meaning", request: `${PATH}?page=002`, page: 2 },
    { name: "the longest URL gets its page", request: LONGEST_TARGET, page: 1 },
    { name: "a number can be percent-encoded", request: `${PATH}?page=%32`, page: 2 },
    { name: "of several pages, the last counts", request: `${PATH}?page=1&page=2`, page: 2 },
    { name: "of several formats, the last counts", request: `${PATH}?format=xml&format=json`, page: 1, links: jsonLinks },
    { name: "format=json overrides Accept", request: `${PATH}?format=json`, requestHeaders: { accept: "image/png" }, page: 1, links: jsonLinks },
    { name: "a client that ranks HTML lower gets JSON", request: PATH, requestHeaders: { accept: "text/html;q=0.9, */*" }, page: 1 },
    { name: "a client with an outdated copy gets the page", request: PATH, requestHeaders: { "if-none-match": '"outdated"' }, page: 1 },
    { name: "links keep format=json", request: `${PATH}?format=json&page=3`, page: 3, links: jsonLinks },
    { name: "links sort parameters by name", request: `${PATH}?z=1&page=2&a=1`, page: 2, links: "a=1&format=api&page=PAGE&z=1" },
    { name: "links do not sort values", request: `${PATH}?page=2&a=2&a=1`, page: 2, links: "a=2&a=1&format=api&page=PAGE" },
    { name: "links encode values like a form", request: `${PATH}?page=2&q=%C3%BC%20%26`, page: 2, links: "format=api&page=PAGE&q=%C3%BC+%26" },
    { name: "links keep thousands of parameters", request: `${PATH}?page=2${thousands}`, page: 2, links: `format=api&page=PAGE${thousands}` },
    { name: "links keep the longest parameter", request: `${PATH}?${LONGEST_PARAMETER}`, page: 1, links: `format=api&page=PAGE&${LONGEST_PARAMETER}` },
  ];
  return pages.map((row) =>
    row.page <= last ? { ...row, headers: PAGE_HEADERS } : { ...row, ...PAST_THE_END },
  );
}

const PREFLIGHT = {
  requestHeaders: { origin: "http://a.example", "access-control-request-method": "GET", prefer: "code=503" },
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
};

/** OPTIONS, and CORS preflights, which no option of `prefer` changes. */
export const OPTIONS_REQUESTS: Exchange[] = [
  {
    name: "OPTIONS describes the collection",
    request: `OPTIONS ${PATH}`,
    headers: { ...COMMON_HEADERS, ...JSON_TYPE },
    body: {
      name: "Traffic Count Records",
      description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
      renders: ["application/json", "text/html"],
      parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
    },
  },
  { name: "a preflight can have any path", request: "OPTIONS /elsewhere", ...PREFLIGHT },
  { name: "a preflight ignores prefer", request: `OPTIONS ${PATH}?prefer=code=503`, ...PREFLIGHT },
];

const NOT_MODIFIED = {
  requestHeaders: { "if-none-match": "*" },
  status: 304,
  headers: { ...COMMON_HEADERS, ...CACHE_HEADERS },
  body: "",
};

/** Requests of clients that have a copy of a page. A test in suite.ts sends the entity-tag of the page. */
export const CONDITIONAL_REQUESTS: Exchange[] = [
  { name: "a star matches any entity-tag", request: PATH, ...NOT_MODIFIED },
  { name: "HEAD can get a 304, too", request: `HEAD ${PATH}?page=last`, ...NOT_MODIFIED },
  {
    name: "a star does not match a web page, which has no entity-tag",
    request: PATH,
    requestHeaders: { "if-none-match": "*", accept: "text/html" },
    headers: { ...COMMON_HEADERS, "content-type": "text/html; charset=utf-8", etag: null },
  },
];
