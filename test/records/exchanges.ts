import type { Exchange } from "../exchange.ts";
import { makeRecords } from "./sample.ts";

const PATH = "/api/tf1/records/";

/** How many records of `makeRecords` the collection has. */
export const COUNT = 100;
const LAST = 7;

const COMMON = {
  allow: "GET, OPTIONS",
  vary: "Accept",
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff",
};

/**
 * Requests to the collection and its responses (specification, "Endpoints", and docs/endpoint.md).
 * @param origin of the service
 */
export function describeCollection(origin: string): Exchange[] {
  const records = makeRecords(COUNT).reverse();
  const page = (query: string, number: number, link = "format=api&page=PAGE"): Exchange => {
    const url = (page: number) => `${origin}${PATH}?${link.replace("PAGE", String(page))}`;
    return {
      send: PATH + query,
      headers: {
        ...COMMON,
        "content-type": "application/json",
        "cache-control": /^public/,
        etag: /^"[^"]+"$/,
      },
      body: {
        count: COUNT,
        next: number < LAST ? url(number + 1) : null,
        previous: number > 1 ? url(number - 1) : null,
        results: records.slice(15 * (number - 1), 15 * number),
      },
    };
  };
  const error = (send: string, status: number, detail: string, accept = "*/*"): Exchange => ({
    send,
    with: { accept },
    status,
    headers: { ...COMMON, "content-type": "application/json", "cache-control": "no-store", etag: null },
    body: { detail },
  });
  const notAcceptable = "Could not satisfy the request Accept header.";
  return [
    page("", 1),
    page("?page=", 1),
    page("?format=api&page=2", 2),
    page("?page=7", LAST),
    page("?page=last", LAST),
    page("?page=%32", 2),
    page("?page=1&page=4", 4),
    page("?format=json&page=3", 3, "format=json&page=PAGE"),
    page("?format=xml&format=json", 1, "format=json&page=PAGE"),
    page("?z=1&page=2&a=%C3%BC", 2, "a=%C3%BC&format=api&page=PAGE&z=1"),
    { ...page("?format=json", 1, "format=json&page=PAGE"), with: { accept: "image/png" } },
    { send: `HEAD ${PATH}?page=2`, headers: { ...COMMON, etag: /^"/ }, body: "" },
    {
      send: `HEAD ${PATH}?page=8`,
      status: 404,
      headers: { ...COMMON, "cache-control": "no-store" },
      body: "",
    },
    { send: PATH, with: { "if-none-match": '"other", *' }, body: /^{"count":100,/ },
    { send: PATH, with: { "if-none-match": "*" }, status: 304, headers: { ...COMMON, etag: /^"/ }, body: "" },
    {
      send: PATH,
      with: { accept: "text/html" },
      headers: { ...COMMON, etag: null },
      body: /^<!doctype html>/,
    },
    ...["8", "0", "-1", "abc", "1.5", "2%00", "LAST", "1&page=x", "1&as_of=abc", "1&as_of=101"].map((query) =>
      error(`${PATH}?page=${query}`, 404, "Invalid page."),
    ),
    error(`${PATH}?as_of=100-1`, 404, "The collection was replaced, so the state that as_of names is gone."),
    error(`${PATH}?page=0&format=xml`, 404, "Not found.", "image/png"),
    error(`POST ${PATH}?format=xml`, 404, "Not found."),
    error(`${PATH}?page=0`, 406, notAcceptable, "image/png"),
    error(`OPTIONS ${PATH}`, 406, notAcceptable, "application/json;q=0"),
    ...["POST", "PUT", "PATCH", "DELETE", "PROPFIND"].map((method) =>
      error(`${method} ${PATH}?page=0`, 405, `Method "${method}" not allowed.`),
    ),
    {
      send: `OPTIONS ${PATH}`,
      headers: COMMON,
      body: /^{"name":.*"renders":\["application\/json","text\/html"\]/,
    },
    {
      send: `OPTIONS ${PATH}`,
      with: { "access-control-request-method": "GET" },
      status: 204,
      headers: {
        ...COMMON,
        "access-control-allow-methods": "GET, OPTIONS",
        "access-control-allow-headers": "*",
      },
      body: "",
    },
    ...["", "?page=2&x=%20+"].map((query) => ({
      send: PATH.slice(0, -1) + query,
      status: 301,
      headers: { ...COMMON, location: PATH + query },
    })),
    ...["/api", "/api/", "/api/tf1", "/api/tf1/", "/api/tf2/records/", `${PATH}/`, "/%ff%fe"].map((path) => ({
      ...error(path, 404, "Not found."),
      headers: { allow: null, "access-control-allow-origin": "*" },
    })),
  ];
}
