import { COLLECTION_PATH } from "../../src/records/page.ts";
import { describeValue, type PageResponse } from "./page-response.ts";
import { createRule, type Finding, type Rule } from "./rule.ts";

/** The elements of a header in lower case, because case, order and repetition do not matter (RFC 9110, 5.6.1). */
function parseList(value: string | null): string[] {
  return [...new Set((value ?? "").toLowerCase().match(/[^\s,]+/g))].sort();
}

function isAllow(value: string | null): boolean {
  return String(parseList(value)) === "get,options";
}

function checkHeader(page: PageResponse, name: string, isRight: (value: string | null) => boolean): Finding {
  const value = page.headers.get(name);
  return page.status === 200
    ? isRight(value) || `${name} is ${describeValue(value ?? undefined)}`
    : undefined;
}

/** The encodings that fetch decodes (RFC 9110, 8.4.1, and RFC 9659). It leaves a body with any other as it is. */
const ENCODINGS = ["identity", "gzip", "x-gzip", "deflate", "br", "zstd"];

/** What HTTP shows of the pages and of the responses to other methods. */
export const HTTP_RULES: Rule[] = [
  createRule("List records.path", `The path is ${COLLECTION_PATH}`, {
    page({ status, headers }) {
      const isMoved = status >= 300 && status < 400;
      return !isMoved || `returned ${status} with Location ${describeValue(headers.get("Location"), 200)}`;
    },
  }),
  createRule("List records.method", "Pages are requested with GET, without a body", {
    page: ({ status }) => (status !== 405 && status !== 501) || `GET returned ${status}`,
  }),
  createRule("List records.status", "The status of a page is 200", {
    page: ({ status, failure }) => status === 200 || (failure ?? `returned ${status}`),
  }),
  createRule("List records.Content-Type", "Content-Type is application/json, without parameters", {
    page: (page) => checkHeader(page, "Content-Type", (value) => value?.toLowerCase() === "application/json"),
  }),
  createRule("List records.body", "The body is a page envelope in JSON", {
    page({ status, envelope, failure, body, headers }) {
      if (status !== 200) return undefined;
      const text = () => describeValue(Buffer.from(body).toString());
      if (envelope === undefined) return failure ?? `the body is not a JSON object: ${text()}`;
      const unknown = parseList(headers.get("Content-Encoding")).find((name) => !ENCODINGS.includes(name));
      return unknown === undefined || `Content-Encoding is ${describeValue(unknown)}, but the body is JSON`;
    },
  }),
  createRule("List records.Allow", "Allow is GET, OPTIONS; no response advertises another method", {
    page: (page) => checkHeader(page, "Allow", isAllow),
    response({ purpose, headers }) {
      const methods = headers.get("Allow");
      const others = purpose === "options" ? "" : ", GET, OPTIONS";
      return methods === null ? undefined : isAllow(methods + others) || `Allow is ${describeValue(methods)}`;
    },
  }),
  createRule("List records.Vary", "Vary includes Accept", {
    page: (page) => checkHeader(page, "Vary", (value) => parseList(value).includes("accept")),
  }),
  createRule("Options.method", "OPTIONS is allowed, and its response has Allow", {
    response({ purpose, status, headers, failure }) {
      if (purpose !== "options") return undefined;
      if (status < 200 || status >= 300) return failure ?? `returned ${status}`;
      return headers.has("Allow") || "Allow is missing";
    },
  }),
];

export const WRITE_RULE = createRule("Record 5", "Requests that would write are refused and change nothing", {
  response({ purpose, status, problem, unclear }) {
    if (purpose !== "write") return undefined;
    if (problem !== undefined) return problem;
    if (status > 0 && status < 400) return `returned ${status}`;
    // After 429 or 5xx it is unknown whether the service writes.
    const isRefused = status === 501 || (status < 500 && status !== 429);
    return unclear === undefined && isRefused ? true : { unclear: unclear ?? `returned ${status}` };
  },
});
