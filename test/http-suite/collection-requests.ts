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
const TOO_LONG = "The URL is longer than 8192 characters.";
const NOT_ACCEPTABLE = "Could not satisfy the request Accept header.";

function page(
  query: string,
  number: number | "last",
  link = "format=api&page=PAGE",
  accept?: string,
): Exchange {
  return { send: PATH + query, ...(accept && { with: { accept } }), headers: PAGE, page: { number, link } };
}

function error(send: string, status: number, detail: string, accept?: string): Exchange {
  return { send, ...(accept && { with: { accept } }), status, headers: ERROR, body: { detail } };
}

/** Pages with their numbers and links (specification, "Page envelope"). */
export function listPages({ count, records }: Target): Exchange[] {
  const json = "format=json&page=PAGE";
  const last = getLastPage(count);
  return [
    page("", 1),
    page("?page=&format=", 1),
    page("?format=api&page=2", 2),
    page("?page=last", "last"),
    page("?page=00%32", 2),
    page("?page=1&page=2", 2),
    page("?format=json&page=3", 3, json),
    page("?format=xml&format=json", 1, json, "image/png"),
    page("?as_of=5&page=2", 2, "as_of=5&format=api&page=PAGE"),
    page("?z=1&page=2&a=2&a=1&q=%C3%BC%20%26", 2, "a=2&a=1&format=api&page=PAGE&q=%C3%BC+%26&z=1"),
    page("", 1, undefined, "text/html;q=0.9, */*"),
    page(`?${"x=&".repeat(2_500)}page=2&x`, 2, `format=api&page=PAGE${"&x=".repeat(2_501)}`),
    ...(records ? [page(`?page=${last}`, last)] : []),
  ];
}

/** Requests for page numbers that are invalid or past the end. */
export function listInvalidPages({ count, records }: Target): Exchange[] {
  const pages = "0 -1 %2B1 abc 1.5 2%00 %202 %D9%A2 LAST %F0 600479950316066 1&page=x".split(" ");
  // During the tests, a load may add records to a deployment.
  const past = records ? getLastPage(count) + 1 : 99_999_999;
  return [
    ...[...pages, past].map((text) => error(`${PATH}?page=${text}`, 404, INVALID)),
    { ...error(`${PATH}?page=${past}`, 404, INVALID), with: { "if-none-match": "*" } },
    { send: `HEAD ${PATH}?page=0`, status: 404, headers: ERROR, body: "" },
  ];
}

const UNKNOWN_PATHS = [
  "/api/tf1/",
  "/api/tf2/records/",
  "/API/tf1/records/",
  `${PATH}1/`,
  `${PATH}/`,
  "/nothing",
];

/** Requests with an invalid format, method, path or URL. */
export function listRejectedRequests({ records }: Target): Exchange[] {
  // A proxy in front of a deployment may reject these requests itself.
  const [methods, paths] = records ? [["PROPFIND"], ["/%ff%fe"]] : [[], []];
  const html = (send: string, status: number, body: RegExp): Exchange => ({
    send,
    with: { accept: CHROMIUM },
    status,
    headers: { ...ERROR, "content-type": "text/html; charset=utf-8" },
    body,
  });
  return [
    error(`${PATH}?page=0&format=xml`, 404, NOT_FOUND, "image/png"),
    error(`POST ${PATH}?format=API`, 404, NOT_FOUND),
    error(`${PATH}?page=0`, 406, NOT_ACCEPTABLE, "image/png"),
    error(`OPTIONS ${PATH}`, 406, NOT_ACCEPTABLE, "application/json;q=0"),
    ...["POST", "PUT", "PATCH", "DELETE", ...methods].map((method) =>
      error(`${method} ${PATH}?page=0`, 405, `Method "${method}" not allowed.`),
    ),
    html(`POST ${PATH}`, 405, /<h1>405 Method Not Allowed<.*Method &quot;POST&quot; not allowed\./s),
    html(`${PATH}?page=0&format=json&format=api`, 404, /<h1>404 Not Found<.*Invalid page\./s),
    html(`${PATH}?format=xml`, 404, /<h1>404 Not Found</),
    error(`${PATH}?page=0&format=json`, 404, INVALID, CHROMIUM),
    error(`${PATH}?x=${"y".repeat(8_192)}`, 414, TOO_LONG),
    html(`${PATH}?${"x&".repeat(4_096)}`, 414, /<h1>414 URI Too Long</),
    ...["", "?page=2&format=json&x=%20+"].map((query) => ({
      send: PATH.slice(0, -1) + query,
      status: 301,
      headers: { ...COMMON, location: PATH + query },
    })),
    error(`POST ${PATH.slice(0, -1)}`, 405, 'Method "POST" not allowed.'),
    ...[...UNKNOWN_PATHS, ...paths].map((path) => ({
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
      send: `OPTIONS ${PATH}`,
      headers: { ...COMMON, ...JSON_TYPE },
      body: {
        name: "Traffic Count Records",
        description: "Counts of road users by roadside cameras, newest first, 15 records a page.",
        renders: ["application/json", "text/html"],
        parses: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
      },
    },
    ...["/elsewhere", `${PATH}?prefer=code=503`].map((target) => ({
      send: `OPTIONS ${target}`,
      with: { ...preflight, prefer: "code=503" },
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
  const condition = (send: string, condition: string, expected: Omit<Exchange, "send">): Exchange => ({
    send,
    ...expected,
    with: { "if-none-match": condition, ...expected.with },
  });
  const current = { status: 304, headers: { ...COMMON, ...CACHED }, body: "" };
  return [
    condition(PATH, "*", current),
    condition(`HEAD ${PATH}?page=last`, "*", current),
    condition(PATH, '"other"', { headers: PAGE }),
    // The HTML view has no entity-tag, so no copy is current.
    condition(PATH, "*", {
      with: { accept: CHROMIUM },
      headers: { ...PAGE, etag: null, "content-type": "text/html; charset=utf-8" },
      body: /^<!doctype html>/,
    }),
  ];
}
