import { expect } from "vitest";
import { getLastPage } from "../../src/records/page.ts";
import { CHROMIUM, type Exchange, PATH, type Target, TEXT_BROWSER } from "../support/exchange.ts";
import { COMMON_HEADERS, JSON_TYPE, LONGEST_PARAMETER, PAGE_CACHE_CONTROL } from "./collection-requests.ts";
import { ERROR_HEADERS } from "./rejected-requests.ts";

const WEB_PAGE = { "content-type": "text/html; charset=utf-8", "referrer-policy": "same-origin" };
const ERROR_PAGE = { ...ERROR_HEADERS, ...WEB_PAGE };

/** The HTML pages, and the home page in JSON. */
export function listSite({ origin, records }: Target): Exchange[] {
  type Html = [request: string, body: RegExp, headers: Exchange["headers"], status?: number, accept?: string];
  const html = (...[request, body, headers, status = 200, accept = CHROMIUM]: Html): Exchange => {
    return { request, requestHeaders: { accept }, status, headers: { ...WEB_PAGE, ...headers }, body };
  };
  const rejectMethods = (path: string) =>
    ["POST", "OPTIONS"].map((method) => ({
      request: `${method} ${path}`,
      status: 405,
      headers: { ...JSON_TYPE, allow: "GET, HEAD", "cache-control": "no-store" },
      body: { detail: `Method "${method}" not allowed.` },
    }));
  const about = {
    name: "Traffic Count Records",
    records_url: `${origin}${PATH}`,
    reference_url: `${origin}/docs`,
    openapi_url: `${origin}/openapi.json`,
    count: records.length,
    pages: getLastPage(records.length),
  };
  const json = (request: string, body: object, headers: Exchange["headers"]) => {
    return { request, headers: { ...JSON_TYPE, ...headers }, body: expect.objectContaining(body) };
  };
  return [
    html("/", /<meta name="description" content="Road .*<\/html>$/s, { "cache-control": PAGE_CACHE_CONTROL }),
    html(`${PATH}?page=last`, /<title>Records, page [\d,]+ of [\d,]+/, { allow: "GET, OPTIONS", etag: null }),
    html(`HEAD ${PATH}`, /^$/, {}),
    html("POST /", /<h1>405 /, {}, 405),
    html("/", /^<!doctype html>/, {}, 200, TEXT_BROWSER),
    html("/nothing", /<h1>404 /, { allow: null }, 404),
    html(
      `POST ${PATH}`,
      /<h1>405 Method Not Allowed<.*Method &quot;POST&quot; not allowed\./s,
      ERROR_PAGE,
      405,
    ),
    html(`${PATH}?page=0&format=json&format=api`, /<h1>404 Not Found<.*Invalid page\./s, ERROR_PAGE, 404),
    html(`${PATH}?${LONGEST_PARAMETER}y`, /<h1>414 URI Too Long</, ERROR_PAGE, 414),
    json("/", about, { vary: "Accept", "cache-control": PAGE_CACHE_CONTROL }),
    { request: "/?format=json", requestHeaders: { accept: CHROMIUM }, headers: JSON_TYPE },
    { request: "/", requestHeaders: { accept: "image/png" }, status: 406 },
    { request: "/?format=xml", status: 404 },
    ...["/", "/go", "/healthz"].flatMap(rejectMethods),
    { request: "/go?date=&page=3&x=1", status: 302, headers: { location: `${PATH}?format=api&page=1&x=1` } },
    { request: "/go?date=2019-02-30", status: 400, body: { detail: expect.stringContaining("2025-10-29") } },
  ];
}

/** The static files. The package sets their headers itself, without the file `_headers`. */
export function listFiles(): Exchange[] {
  const { allow: _, vary: __, ...all } = COMMON_HEADERS;
  const file = { ...all, "cache-control": "public, max-age=0, must-revalidate" };
  const text = { ...file, "content-type": "text/plain; charset=utf-8" };
  const servers = [expect.objectContaining({ url: "/" })];
  const document = expect.objectContaining({ openapi: "3.1.1", servers });
  const rules = ["/*prefer=", "/*page=", "/go"].map((path) => `Disallow: ${path}`);
  const icon = { ...all, location: /^\/assets\/[\da-f]{8}\/icon\.svg\?x=1$/ };
  return [
    { request: "/favicon.ico?x=1", status: 302, headers: icon },
    { request: "/robots.txt", headers: text, body: new RegExp(rules.join("\n").replaceAll("*", "\\*")) },
    { request: "HEAD /LICENSE", headers: text, body: "" },
    { request: "/LICENSE?x=1", headers: text, body: /^MIT License/ },
    { request: "POST /robots.txt", status: 405, headers: all },
    { request: "/robots.txt/", status: 404 },
    { request: "/_headers", status: 404 },
    { request: "/docs", headers: { ...file, ...WEB_PAGE }, body: /<meta name="description" content="Count/ },
    { request: "/docs/?x=1", status: 307, headers: { ...all, location: "/docs?x=1" } },
    { request: "POST /docs", status: 405, headers: all },
    { request: "/openapi.json", headers: { ...file, ...JSON_TYPE }, body: document },
  ];
}

/** Requests of monitors. */
export function listHealth({ records }: Target): Exchange[] {
  const headers = { "content-type": "application/json", "cache-control": "no-store", "retry-after": null };
  const version = expect.objectContaining({ id: expect.any(String), tag: expect.any(String) });
  const snapshot = {
    id: expect.toBeOneOf([null, expect.any(String)]),
    count: records.length,
    // The seed has no load time.
    loaded_at: expect.toBeOneOf([null, expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)]),
    age_seconds: expect.toBeOneOf([null, expect.any(Number)]),
    source: expect.any(String),
  };
  const store = expect.stringMatching(/^(d1|kv|seed|memory)$/);
  const body = { status: "ok", code: version, store, faults: true, prefer: null, snapshot };
  const healthy = { headers, body };
  return [
    { request: "/healthz", requestHeaders: { accept: CHROMIUM }, ...healthy },
    { request: "/healthz?prefer=code=500", requestHeaders: { prefer: "code=500, body=garbage" }, ...healthy },
    { request: "HEAD /healthz", headers, body: "" },
  ];
}

/** Faults in the header `Prefer` and in the query. */
export function listFaults(): Exchange[] {
  const faulty = { vary: "Accept", "cache-control": "no-store", etag: null };
  const prefer = (text: string, status: number, headers: Exchange["headers"] & object, body: unknown) => {
    const applied = { "preference-applied": text, "access-control-expose-headers": "*" };
    const requestHeaders = { prefer: text };
    return { request: PATH, requestHeaders, status, headers: { ...applied, ...headers }, body };
  };
  const inBrowser = { accept: CHROMIUM };
  const intact = { "preference-applied": null, "cache-control": "no-store", etag: /^"/ };
  const warning = { "preference-applied": "delay=1", "mock-warning": /^code=200 is invalid: / };
  return [
    prefer("code=404, body=garbage", 404, { ...faulty, ...JSON_TYPE }, /^\{"count": 1, .*<not json>$/),
    { request: `${PATH}?prefer=code=503`, requestHeaders: inBrowser, status: 503, headers: WEB_PAGE },
    prefer("fail=0, body=garbage", 200, intact, /^\{"count":.*\}$/),
    prefer("code=200, delay=1", 200, { ...intact, ...warning }, /^\{"count":/),
    { request: `${PATH}?prefer=next=null,count=%2B7`, headers: faulty, body: /^\{"count":\d+,"next":null,/ },
    {
      request: `${PATH}?prefer=dealy=5`,
      status: 400,
      headers: { "cache-control": "no-store", "mock-warning": null },
      body: /"dealy=5 is unknown: the options are code, /,
    },
  ];
}
