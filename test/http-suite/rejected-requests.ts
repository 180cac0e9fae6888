import { getLastPage } from "../../src/records/page.ts";
import { CHROMIUM, type Exchange, PATH, type Target } from "../support/exchange.ts";
import { COMMON_HEADERS, JSON_TYPE, LONGEST_PARAMETER, LONGEST_TARGET } from "./collection-requests.ts";

/** The headers of every error of the collection in JSON. */
export const ERROR_HEADERS = { ...COMMON_HEADERS, ...JSON_TYPE, "cache-control": "no-store", etag: null };

const INVALID = "Invalid page.";
const NOT_FOUND = "Not found.";
const TOO_LONG =
  "The path and the query have more than 8192 characters, or the parameters, encoded, more than 8000.";
const NOT_ACCEPTABLE = "Could not satisfy the request Accept header.";

type ErrorRow = [name: string, request: string, status: number, detail: string, accept?: string];

function createError([name, request, status, detail, accept = "*/*"]: ErrorRow): Exchange {
  return { name, request, requestHeaders: { accept }, status, headers: ERROR_HEADERS, body: { detail } };
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
  const rejected = pages.map(([name, page]) => createError([name, `${PATH}?page=${page}`, 404, INVALID]));
  const missing = rejected.at(-1)!;
  return [
    ...rejected,
    { ...missing, name: "no copy of a missing page is current", requestHeaders: { "if-none-match": "*" } },
    { ...missing, name: "HEAD for a missing page", request: `HEAD ${missing.request}`, body: "" },
  ];
}

/** Requests with an invalid format, method, path or URL. */
export function listRejectedRequests(): Exchange[] {
  const errors: ErrorRow[] = [
    // Of several errors, one counts.
    ["the format precedes Accept", `${PATH}?page=0&format=xml`, 404, NOT_FOUND, "image/png"],
    ["the format precedes the method", `POST ${PATH}?format=API`, 404, NOT_FOUND],
    ["Accept precedes the page", `${PATH}?page=0`, 406, NOT_ACCEPTABLE, "image/png"],
    ["Accept also counts for OPTIONS", `OPTIONS ${PATH}`, 406, NOT_ACCEPTABLE, "application/json;q=0"],
    ...["POST", "PUT", "PATCH", "DELETE", "PROPFIND"].map((method): ErrorRow => {
      const name = `${method} is rejected before the page is read`;
      return [name, `${method} ${PATH}?page=0`, 405, notAllowed(method)];
    }),
    ["the path without the slash redirects no POST", `POST ${PATH.slice(0, -1)}`, 405, notAllowed("POST")],
    ["the URL is one character too long, also for a browser", `${LONGEST_TARGET}&`, 414, TOO_LONG, CHROMIUM],
    ["the links would be one character too long", `${PATH}?${LONGEST_PARAMETER}y`, 414, TOO_LONG],
    ["encoding would make the links too long", `${PATH}?x=${"~".repeat(2_662)}`, 414, TOO_LONG],
    ["a browser that asks for JSON", `${PATH}?page=0&format=json`, 404, INVALID, CHROMIUM],
  ];
  return [...errors.map(createError), ...listOtherPaths()];
}

const notAllowed = (method: string) => `Method "${method}" not allowed.`;

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
    ...Object.entries(unknown).map(([name, request]) => ({
      ...createError([name, request, 404, NOT_FOUND]),
      headers: { ...JSON_TYPE, allow: null, "access-control-allow-origin": "*" },
    })),
  ];
}
