import { type IncomingHttpHeaders, METHODS, request } from "node:http";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../tools/configuration.ts";
import { checkResponse } from "./openapi-check.ts";
import { makeRecords } from "./records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "./worker.ts";

const PATH = "/api/tf1/records/";

// What a client may send in a request line: printable ASCII, percent-encoded or not, well-formed or not.
const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const encoded = fc.string({ unit: "binary" }).map((text) => encodeURIComponent(text.toWellFormed()));
const brokenEscape = fc.constantFrom("%", "%f", "%ff", "%00", "%2", "%u1234", "%C3%28");
const word = fc.oneof(
  printable.map((text) => text.replace(/[#?]/g, "")),
  encoded,
  brokenEscape,
);

const path = fc.oneof(
  { weight: 3, arbitrary: fc.constant(PATH) },
  fc.constantFrom("/", PATH.slice(0, -1), `/${PATH}`, `${PATH}1`, "/%", "/%ff", "/..%2f", "/api//tf1", "/*"),
  fc.array(word, { maxLength: 4 }).map((words) => `/${words.join("/")}`),
);
const value = fc.oneof(
  word,
  fc.constantFrom("1", "3", "4", "0", "last", "api", "json", "1e9", "9".repeat(400)),
);
const parameter = fc.tuple(fc.oneof(fc.constantFrom("page", "format", "page[]", "__proto__"), word), value);
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((list) => list.map((pair) => pair.join("=")).join("&"));

const accept = fc.oneof(
  printable,
  fc.constantFrom(
    "*/*",
    "text/html",
    "application/json;q=0",
    "a/b;q=x",
    '"',
    ",;,",
    "*/*;q=1e999",
    "a".repeat(4_000),
  ),
);
const headers = fc.record(
  {
    accept,
    origin: printable,
    "access-control-request-method": printable,
    "access-control-request-headers": printable,
    "if-none-match": printable,
    range: printable,
    cookie: printable,
    "content-type": printable,
  },
  { requiredKeys: [] },
);
// CONNECT opens a tunnel. workerd does not know the others and responds with 501 before the worker runs.
const UNSUPPORTED = new Set([
  "CONNECT",
  "BIND",
  "LINK",
  "M-SEARCH",
  "MKCALENDAR",
  "REBIND",
  "SOURCE",
  "UNBIND",
  "UNLINK",
]);
const method = fc.constantFrom(...METHODS.filter((name) => !UNSUPPORTED.has(name)), "GET", "HEAD", "OPTIONS");

interface ReceivedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

function send(
  origin: string,
  method: string,
  target: string,
  headers: Record<string, string>,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(origin + target, { method, headers }, async (incoming) => {
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: await text(incoming) });
    });
    outgoing.on("error", reject).end();
  });
}

function toResponse({ status, headers, body }: ReceivedResponse): Response {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(body === "" ? null : body, { status, headers: pairs });
}

function expectWellFormed(
  method: string,
  pathname: string,
  { status, headers, body }: ReceivedResponse,
): void {
  expect(status).toBeLessThan(500);
  expect(headers).toMatchObject({ "access-control-allow-origin": "*", "x-content-type-options": "nosniff" });
  if (pathname === PATH || `${pathname}/` === PATH)
    expect(headers).toMatchObject({ allow: "GET, OPTIONS", vary: "Accept" });
  if (status === 204 || status === 301 || method === "HEAD") {
    expect(body).toBe("");
    return;
  }
  if (headers["content-type"] !== "application/json") {
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toContain("script-src 'self';");
    expect(body).toMatch(/^<!doctype html><html lang="en">.*<\/html>$/s);
    return;
  }
  if (status >= 400) expect(JSON.parse(body)).toEqual({ detail: expect.any(String) });
  else expect(JSON.parse(body)).toBeTypeOf("object");
}

describe.each(STORE_NAMES)("served from %s", (store) => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startWorker({ vars: { STORE: store } });
    await loadInto(worker.env, store, makeRecords(40));
  });
  afterAll(() => worker.close());

  test("no request gets a 5xx, and every response is well-formed", async () => {
    await fc.assert(
      fc.asyncProperty(method, path, query, headers, async (method, path, query, headers) => {
        const target = query === "" ? path : `${path}?${query}`;
        const url = worker.origin + target;
        const response = await send(worker.origin, method, target, headers);
        expectWellFormed(method, new URL(url).pathname, response);
        await checkResponse({ method, url, headers: new Headers(headers) }, toResponse(response));
      }),
      { numRuns: 1_000 },
    );
  });
});
