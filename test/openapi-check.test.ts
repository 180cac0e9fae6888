import { describe, expect, test } from "vitest";
import { createExchanges } from "../src/records/openapi/examples.ts";
import { checkResponse } from "./openapi-check.ts";

const ORIGIN = "http://localhost";
const URL_OF_PAGE = `${ORIGIN}/api/tf1/records/`;

const { newest, invalidPage } = createExchanges(ORIGIN);
const page = JSON.stringify(newest.body);

const HEADERS = {
  allow: "GET, OPTIONS",
  vary: "Accept",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
};
const PAGE_HEADERS = {
  ...HEADERS,
  etag: '"1-2-3"',
  "cache-control": "public, max-age=5, stale-if-error=3600",
  "content-type": "application/json",
};
const ERROR_HEADERS = { ...HEADERS, "cache-control": "no-store", "content-type": "application/json" };
const PREFLIGHT_HEADERS = {
  ...HEADERS,
  "access-control-allow-methods": "GET, OPTIONS",
  "access-control-allow-headers": "*",
  "access-control-max-age": "86400",
};
const INVALID_PAGE = JSON.stringify(invalidPage.body);

interface Case {
  method?: string;
  url?: string;
  sent?: Record<string, string>;
  status?: number;
  headers?: Record<string, string>;
  body?: string | null;
}

function check({ method = "GET", url = URL_OF_PAGE, sent = {}, ...response }: Case): Promise<void> {
  const { status = 200, headers = PAGE_HEADERS, body = page } = response;
  return checkResponse({ method, url, headers: new Headers(sent) }, new Response(body, { status, headers }));
}

/** The headers of a page without one of them, or with another value for it. */
function change(name: string, value?: string, headers: Record<string, string> = PAGE_HEADERS) {
  const { [name]: _, ...others } = headers;
  return value === undefined ? others : { ...others, [name]: value };
}

/** The page with a part of its text replaced. */
function replaceText(from: string | RegExp, to: string): string {
  const replaced = page.replace(from, to);
  if (replaced === page) throw new Error(`${from} is not in the page`);
  return replaced;
}

const preflight = { method: "OPTIONS", sent: { "access-control-request-method": "GET" } };
const redirect = { url: `${ORIGIN}/api/tf1/records?page=2`, status: 301, body: null };
const location = { ...HEADERS, location: "/api/tf1/records/?page=2" };

describe("a documented response passes", () => {
  test.each<[string, Case]>([
    ["a page", {}],
    ["HEAD", { method: "HEAD", body: null }],
    ["a web page", { headers: change("content-type", "text/html; charset=UTF-8"), body: "<p>" }],
    ["304", { status: 304, headers: change("content-type"), body: null }],
    ["404", { status: 404, headers: ERROR_HEADERS, body: INVALID_PAGE }],
    ["405", { method: "PUT", status: 405, headers: ERROR_HEADERS, body: INVALID_PAGE }],
    [
      "another method, another error",
      { method: "PUT", status: 406, headers: ERROR_HEADERS, body: INVALID_PAGE },
    ],
    ["503", { status: 503, headers: { ...ERROR_HEADERS, "retry-after": "5" }, body: INVALID_PAGE }],
    [
      "a status on request",
      { status: 418, headers: { ...ERROR_HEADERS, "preference-applied": "code=418" }, body: INVALID_PAGE },
    ],
    [
      "a body that was broken on request",
      {
        headers: change("preference-applied", "body=garbage", change("cache-control", "no-store")),
        body: "{",
      },
    ],
    ["a preflight", { ...preflight, status: 204, headers: PREFLIGHT_HEADERS, body: null }],
    ["a redirect", { ...redirect, headers: location }],
    [
      "a redirect with a delay on request",
      {
        ...redirect,
        headers: { ...location, "cache-control": "no-store", "preference-applied": "delay=1" },
      },
    ],
    ["a redirect of any method", { ...redirect, method: "DELETE", headers: location }],
    ["a path that is not documented", { url: `${ORIGIN}/`, status: 418, headers: {}, body: "tea" }],
  ])("%s", async (_, tested) => {
    await check(tested);
  });
});

describe("any other response fails", () => {
  test.each<[string, Case, RegExp]>([
    ["an unknown status", { status: 418 }, /status 418/],
    ["405 to GET", { status: 405, headers: ERROR_HEADERS, body: INVALID_PAGE }, /status 405/],
    ["200 to POST", { method: "POST" }, /status 200/],
    ["304 to POST", { method: "POST", status: 304, body: null }, /status 304/],
    [
      "204 to OPTIONS",
      { method: "OPTIONS", status: 204, headers: PREFLIGHT_HEADERS, body: null },
      /status 204/,
    ],
    ["200 to a preflight", preflight, /status 200/],
    ["no Allow", { headers: change("allow") }, /headers must have required property 'allow'/],
    ["another Allow", { headers: change("allow", "GET, HEAD") }, /headers\/allow must be equal/],
    ["no CORS", { headers: change("access-control-allow-origin") }, /access-control-allow-origin/],
    ["a weak ETag", { headers: change("etag", 'W/"1"') }, /headers\/etag must match pattern/],
    ["a broken ETag", { headers: change("etag", "1-2-3") }, /headers\/etag/],
    ["an error that may be cached", { status: 404, body: INVALID_PAGE }, /headers\/cache-control/],
    ["503 without Retry-After", { status: 503, headers: ERROR_HEADERS, body: INVALID_PAGE }, /'retry-after'/],
    [
      "Retry-After that is not a number",
      { status: 503, headers: { ...ERROR_HEADERS, "retry-after": "soon" }, body: INVALID_PAGE },
      /headers\/retry-after must be integer/,
    ],
    ["a redirect without Location", { ...redirect, headers: HEADERS }, /'location'/],
    [
      "a redirect with an entity-tag",
      { ...redirect, headers: { ...location, etag: '"1"' } },
      /header etag is not documented here/,
    ],
    ["a redirect with a body", { ...redirect, headers: location, body: "moved" }, /a body, although none/],
    ["a charset", { headers: change("content-type", "application/json; charset=UTF-8") }, /content type/],
    ["another content type", { headers: change("content-type", "text/plain") }, /content type text\/plain/],
    ["no content type", { headers: change("content-type"), body: null }, /content type null/],
    [
      "an error as text",
      { status: 404, headers: change("content-type", "text/plain", ERROR_HEADERS), body: "Not found." },
      /content type text\/plain/,
    ],
    ["HEAD with a body", { method: "HEAD" }, /a body in the response to HEAD/],
    [
      "a missing field",
      { body: replaceText(/"buses":\d+,/, "") },
      /results\/0 must have required property 'buses'/,
    ],
    ["an additional field", { body: replaceText('"next"', '"pages":1,"next"') }, /additional properties/],
    ["a count below 0", { body: replaceText(/"cars":\d+/, '"cars":-1') }, /results\/0\/cars must be >= 0/],
    [
      "a camera health that is not a string",
      { body: replaceText(/"camera_ok":"True"/, '"camera_ok":true') },
      /camera_ok/,
    ],
    ["another model", { body: replaceText('"tf1"', '"tf2"') }, /model_name must be equal/],
    ["a relative link", { body: replaceText(ORIGIN, "") }, /next must match format "uri"/],
    ["a time without Z", { body: replaceText(/Z"/, '+00:00"') }, /timestamp must match pattern/],
    [
      "16 records",
      { body: replaceText('"results":[', `"results":[${JSON.stringify(firstRecord())},`) },
      /more than 15/,
    ],
    ["an error without detail", { status: 404, headers: ERROR_HEADERS, body: "{}" }, /'detail'/],
    ["an error instead of a page", { body: INVALID_PAGE }, /'results'/],
  ])("%s", async (_, tested, problem) => {
    await expect(check(tested)).rejects.toThrow(problem);
  });
});

function firstRecord(): unknown {
  const { results } = JSON.parse(page);
  return results[0];
}
