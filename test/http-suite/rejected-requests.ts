import { getLastPage } from "../../src/records/page.ts";
import { CHROMIUM, type Exchange, PATH, type Target } from "../support/exchange.ts";
import {
  COMMON_HEADERS,
  formatAccept,
  JSON_TYPE,
  LONGEST_QUERY,
  LONGEST_TARGET,
} from "./collection-requests.ts";

const ERROR_HEADERS = { ...COMMON_HEADERS, ...JSON_TYPE, "cache-control": "no-store", etag: null };

const INVALID = "Invalid page.";
const NOT_FOUND = "Not found.";
const TOO_LONG =
  "The path and the query have more than 8192 characters, or the parameters, encoded, more than 8000.";
const NOT_ACCEPTABLE = "Could not satisfy the request Accept header.";

interface ErrorRow {
  name: string;
  request: string;
  status: number;
  detail: string;
  accept?: string;
}

function createError({ name, request, status, detail, accept }: ErrorRow): Exchange {
  return {
    name,
    request,
    requestHeaders: formatAccept(accept),
    status,
    headers: ERROR_HEADERS,
    body: { detail },
  };
}

/** Requests for page numbers that are invalid or past the end. */
export function listInvalidPages({ records }: Target): Exchange[] {
  const pages: [name: string, page: string | number][] = [
    ["zero", "0"],
    ["a negative number", "-1"],
    ["a sign", "%2B1"],
    ["letters", "abc"],
    ["a fraction", "1.5"],
    ["a NUL after the number", "2%00"],
    ["a space before the number", "%202"],
    ["a digit that is not ASCII", "%D9%A2"],
    ["the name of the last page in upper case", "LAST"],
    ["bytes that are not UTF-8", "%F0"],
    ["a number whose positions are not exact", "600479950316066"],
    ["a last value that is invalid", "1&page=x"],
    ["a page past the end", getLastPage(records.length) + 1],
  ];
  const rejected = pages.map(([name, page]) =>
    createError({ name, request: `${PATH}?page=${page}`, status: 404, detail: INVALID }),
  );
  return [
    ...rejected,
    {
      ...rejected.at(-1)!,
      name: "no copy of a missing page is current",
      requestHeaders: { "if-none-match": "*" },
    },
    {
      name: "HEAD for an invalid page",
      request: `HEAD ${PATH}?page=0`,
      status: 404,
      headers: ERROR_HEADERS,
      body: "",
    },
  ];
}

/** Requests with an invalid format, method, path or URL. */
export function listRejectedRequests(): Exchange[] {
  return [...listPrecedence(), ...listLongUrls(), ...listErrorPages(), ...listOtherPaths()];
}

/** Requests with several errors, of which one counts. */
function listPrecedence(): Exchange[] {
  const notFound = { status: 404, detail: NOT_FOUND };
  const notAcceptable = { status: 406, detail: NOT_ACCEPTABLE };
  const rows: ErrorRow[] = [
    {
      name: "the format precedes Accept and the page",
      request: `${PATH}?page=0&format=xml`,
      accept: "image/png",
      ...notFound,
    },
    { name: "the format precedes the method", request: `POST ${PATH}?format=API`, ...notFound },
    {
      name: "Accept precedes the page",
      request: `${PATH}?page=0`,
      accept: "image/png",
      ...notAcceptable,
    },
    {
      name: "Accept also counts for OPTIONS",
      request: `OPTIONS ${PATH}`,
      accept: "application/json;q=0",
      ...notAcceptable,
    },
    ...["POST", "PUT", "PATCH", "DELETE", "PROPFIND"].map((method) => ({
      name: "the method precedes the page",
      request: `${method} ${PATH}?page=0`,
      status: 405,
      detail: `Method "${method}" not allowed.`,
    })),
  ];
  return rows.map(createError);
}

function listLongUrls(): Exchange[] {
  const requests = {
    "the URL is one character too long": `${LONGEST_TARGET}&`,
    "the links would be one character too long": `${PATH}?${LONGEST_QUERY}y`,
    "encoding would make the links too long": `${PATH}?x=${"~".repeat(2_662)}`,
  };
  return Object.entries(requests).map(([name, request]) =>
    createError({ name, request, status: 414, detail: TOO_LONG }),
  );
}

/** Errors for a browser. */
function listErrorPages(): Exchange[] {
  const html = (request: string, status: number, body: RegExp): Exchange => ({
    name: "an error as HTML",
    request,
    requestHeaders: { accept: CHROMIUM },
    status,
    headers: { ...ERROR_HEADERS, "content-type": "text/html; charset=utf-8" },
    body,
  });
  return [
    html(`POST ${PATH}`, 405, /<h1>405 Method Not Allowed<.*Method &quot;POST&quot; not allowed\./s),
    html(`${PATH}?page=0&format=json&format=api`, 404, /<h1>404 Not Found<.*Invalid page\./s),
    createError({
      name: "an error as JSON, because the browser asks for it",
      request: `${PATH}?page=0&format=json`,
      status: 404,
      detail: INVALID,
      accept: CHROMIUM,
    }),
  ];
}

function listOtherPaths(): Exchange[] {
  const unknown = {
    "the parent of the collection": "/api/tf1/",
    "another model": "/api/tf2/records/",
    "upper case": "/API/tf1/records/",
    "a single record": `${PATH}1/`,
    "two slashes": `${PATH}/`,
    "another path": "/nothing",
    "bytes that are not UTF-8": "/%ff%fe",
  };
  return [
    ...["", "?page=2&format=json&x=%20+"].map((query) => ({
      name: "the path without the slash keeps the query",
      request: PATH.slice(0, -1) + query,
      status: 301,
      headers: { ...COMMON_HEADERS, location: PATH + query },
    })),
    createError({
      name: "the path without the slash redirects no POST",
      request: `POST ${PATH.slice(0, -1)}`,
      status: 405,
      detail: 'Method "POST" not allowed.',
    }),
    ...Object.entries(unknown).map(([name, request]) => ({
      ...createError({ name, request, status: 404, detail: NOT_FOUND }),
      headers: { ...JSON_TYPE, allow: null, "access-control-allow-origin": "*" },
    })),
  ];
}
