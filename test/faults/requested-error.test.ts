import { expect, test } from "vitest";
import { COMMON_HEADERS } from "../http-suite/collection-requests.ts";
import { checkExchanges, type Exchange, PATH } from "../support/exchange.ts";
import { fetch, PAGE_2, prefer, setTime } from "./faults-service.ts";

const CHALLENGE = 'Bearer realm="api"';

test.each<[number, string, Record<string, string>]>([
  [401, "Authentication credentials were not provided.", { "www-authenticate": CHALLENGE }],
  [405, 'Method "GET" not allowed.', { allow: "GET, OPTIONS" }],
  [407, "Proxy authentication required.", { "proxy-authenticate": CHALLENGE }],
  [415, 'Unsupported media type "text/plain" in request.', {}],
  [418, "I'm a teapot.", {}],
  [429, "Request was throttled. Expected available in 2 seconds.", { "retry-after": "2" }],
  [502, "Bad gateway.", {}],
  [503, "Service temporarily unavailable, try again later.", { "retry-after": "2" }],
  [599, "The request failed with status 599.", {}],
])("code=%i", async (status, detail, headers) => {
  const response = await fetch(PAGE_2, { headers: { Prefer: `code=${status}` } });
  expect([response.status, await response.json()]).toEqual([status, { detail }]);
  expect(Object.fromEntries(response.headers)).toEqual({
    ...COMMON_HEADERS,
    "cache-control": "no-store",
    "content-type": "application/json",
    "preference-applied": `code=${status}`,
    ...headers,
  });
});

test.each<Exchange>([
  ...[`${PATH}?page=0`, `${PATH}?format=xml`].map((target) => prefer("code=409", target)),
  ...["POST", "OPTIONS"].map((method) => prefer("code=409", `${method} ${PAGE_2}`)),
  prefer("code=409", `HEAD ${PAGE_2}`, { body: "" }),
  { request: `${PATH}?prefer=code=409` },
  { request: `${PATH}?%70refer=code%3D409` },
])("code replaces the response to $request", (exchange) =>
  checkExchanges(fetch, { ...exchange, status: 409 }),
);

test.each<[prefer: string, status: number, retryAfter: string | null]>([
  ["code=429, retry-after=none", 429, null],
  ["code=503, retry-after=7", 503, "7"],
  ["code=502, retry-after=7", 502, "7"],
  ["code=401, retry-after=7", 401, "7"],
  ["code=502, retry-after=date", 502, "Tue, 01 Jan 2030 00:00:03 GMT"],
  ["retry-after=7", 503, "7"],
  ["delay=1, retry-after=7", 503, "7"],
])("%s: the Retry-After of %i is %j", async (text, status, value) => {
  setTime(1);
  const body = value === null ? { detail: "Request was throttled." } : /detail/;
  await checkExchanges(fetch, prefer(text, PAGE_2, { status, headers: { "retry-after": value }, body }));
});
