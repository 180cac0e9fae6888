import { describe, expect, test } from "vitest";
import { COMMON_HEADERS } from "../http-suite/collection-requests.ts";
import { checkExchanges, type Exchange, PATH } from "../support/exchange.ts";
import { createFaultsService, fetch, getTarget, PAGE_2, prefer, setTime } from "./faults-service.ts";

/** The headers of a page that no fault has affected, for a request with options in the query. */
const INTACT = { "preference-applied": null, "cache-control": "no-cache", etag: /./ };

/** The headers of a page whose body a fault has changed. */
const CHANGED = { "cache-control": "no-store", etag: null };

const UNUSED = { "preference-applied": null, "mock-warning": null, "cache-control": /max-age=5/, etag: /./ };

test.each<Exchange>([
  prefer("", PAGE_2),
  prefer("respond-async, handling=lenient; strict", PAGE_2),
  { request: `${PATH}?preferred=503` },
  { request: `${PAGE_2}&count=5&next=2&seed=a&code=503&times=2&hang&x=close&y=code` },
  { request: `${PAGE_2}&x=http://counts.example/?code=503&encoded=code%2503` },
])("$request $requestHeaders has no option, so the response has no special headers", (exchange) =>
  checkExchanges(fetch, { ...exchange, headers: { ...COMMON_HEADERS, ...UNUSED } }),
);

test.each<[name: string, text: string, page: number | "last", applied: string | null]>([
  ["the first value counts", "delay=1, code=404, code=500", 2, "code=404, delay=1"],
  ["conditions and the seed", "on=2, fail=1, body=empty, seed=3", 2, "body=empty, on=2, fail=1, seed=3"],
  ["a condition that is not met", "on=2, fail=1, body=empty", 3, null],
  ["none and its conditions", "none, on=2, times=1, else, code=503", 2, "on=2, times=1, none"],
  ["values that need quotes", "COUNT=+1, on=2,4-9", 2, 'count=1, on="2,4-9"'],
  ["a delay that fail excludes", "fail=0, delay=1-2, seed=1", 2, null],
  ["conditions without a fault", "fail=1, retry-after=0", 2, "code=503, retry-after=0, fail=1"],
  ["retry-after of any error", "code=500, retry-after=0", 2, "code=500, retry-after=0"],
  ["retry-after alone", "retry-after=0", 2, "code=503, retry-after=0"],
  ["a fault without an effect", "next=null, on=last", "last", null],
  ["only the fault with an effect", "next=null, count=-5", "last", "count=-5"],
  ["a page that does not exist", "rows=drop, delay=1, fail=1", 99, "delay=1, fail=1"],
  ["a time", "until=9999-01-01T00:00:00Z", 2, 'code=503, until="9999-01-01T00:00:00Z"'],
  ["a body that hides the page", "rows=drop, grow=15/m, body=garbage", 2, "body=garbage"],
  ["a closed connection", "close, code=500, delay=1, body=cut", 2, "delay=1, close"],
  ["a fault beside none", "none, code=503", 2, "code=503"],
  ["conditions do not apply to grow", "grow=15/m, on=99, delay=1", 2, 'grow="15/m"'],
])("Preference-Applied: %s: %s on page %s -> %s", async (_, text, page, applied) => {
  const response = await fetch(getTarget(page), { headers: { Prefer: text } });
  expect(response.headers.get("preference-applied")).toBe(applied);
});

// biome-ignore format: a table of cases
test.each<[query: string, ...misplaced: string[]]>([
  ["prefer=code=503&times=1", "times=1"],
  ["times=1&prefer=code=503", "times=1"],
  ["prefer=delay=1&hang&else&on=3", "hang", "else", "on=3"],
  ["perfer=code=503", "perfer=code=503"],
  ["Prefer=code%3D503,times%3d1", "Prefer=code=503,times=1"],
  ["a=retry-after=9&b=else=1", "a=retry-after=9", "b=else=1"],
  [`prefer=none${"&on".repeat(50)}`, "on", "on", "on", "on", "on"],
])("options outside of the parameter prefer have no effect, and a warning names them: %s", async (query, ...misplaced) => {
  const { headers } = await fetch(`${PATH}?page=2&${query}`);
  const warnings = headers.get("mock-warning")?.match(/\S+(?= has no effect)/g);
  expect([warnings, headers.get("cache-control")]).toEqual([misplaced, "no-store"]);
});

describe("a cache", () => {
  const target = getTarget(13);

  // biome-ignore format: a table of cases
  test.each<[from: "query" | "header", prefer: string, status: number, headers: Exchange["headers"] & object]>([
    ["query", "fail=0", 304, INTACT],
    ["query", "fail=1", 503, CHANGED],
    ["query", "on=13, body=empty", 200, CHANGED],
    ["query", "count=+1", 200, CHANGED],
    ["query", "next=null", 200, CHANGED],
    ["query", "next=null, on=last", 304, INTACT],
    ["query", "delay=1", 304, { "cache-control": "no-cache", etag: /./, "preference-applied": "delay=1" }],
    ["query", "grow=1/h", 304, { "cache-control": "no-cache", etag: /./, "preference-applied": 'grow="1/h"' }],
    ["query", "body=slow, delay=1", 200, { "cache-control": "no-cache, no-transform", etag: /./ }],
    // A cache does not know that the header decides.
    ["header", "fail=0", 304, { "cache-control": "no-store", etag: /./ }],
    ["header", "delay=1", 304, { "cache-control": "no-store", etag: /./ }],
    ["header", "grow=1/h", 304, { "cache-control": "no-store", etag: /./ }],
    ["header", "code=x", 304, { "cache-control": "no-store", etag: /./, "mock-warning": /^code=x/ }],
  ])("with a current copy gets, for an option in the %s, what it may store: %s -> %i", async (from, text, status, headers) => {
    setTime(23 * 3_600_000);
    const copy = { "If-None-Match": (await fetch(target)).headers.get("etag")! };
    const expected = { requestHeaders: copy, status, headers };
    const inQuery = { ...expected, request: `${target}&prefer=${encodeURIComponent(text)}` };
    await checkExchanges(fetch, from === "query" ? inQuery : prefer(text, target, expected));
  });

  test("stores no error, and revalidates a page on which a fault had no effect", () =>
    checkExchanges(
      fetch,
      prefer("fail=0", getTarget(99), { status: 404, headers: { "cache-control": "no-store" } }),
      { request: `${getTarget("last")}&prefer=next=null`, headers: INTACT },
    ));
});

test.each([
  ["/", 200],
  ["/nothing", 404],
  ["POST /", 405],
  [PATH.slice(0, -1), 301],
  ["/go?date=2019-05-17", 302],
])("%s is %i, because only the collection has faults", async (target, status) => {
  const headers = { "preference-applied": null, "mock-warning": null };
  await checkExchanges(fetch, prefer("code=409, dealy=5", target, { status, headers }));
  const { fetch: fetchByDefault } = await createFaultsService({ PREFER: "code=503" });
  await checkExchanges(fetchByDefault, { request: target, status, headers });
});

describe("the options of PREFER", () => {
  test("apply to requests to the collection without options", async () => {
    const { fetch } = await createFaultsService({ PREFER: "code=503" });
    const headers = { ...COMMON_HEADERS, "preference-applied": "code=503", "cache-control": "no-store" };
    const failed = { status: 503, headers };
    const targets = [PATH, `${PATH}?page=99`, `POST ${PATH}`, `${PATH}?prefer=`];
    await checkExchanges(
      fetch,
      ...targets.map((target) => ({ request: target, ...failed })),
      prefer("return=minimal", PATH, failed),
      prefer("code=99", PATH, { status: 503, headers: { ...headers, "mock-warning": /^code=99 is/ } }),
      { request: "/healthz", body: expect.objectContaining({ status: "ok", prefer: "code=503" }) },
    );
  });

  test("are replaced by the options of a request, and caches must revalidate the response", async () => {
    const { fetch } = await createFaultsService({ PREFER: "code=503, delay=1, times=2" });
    await checkExchanges(
      fetch,
      prefer("none", PAGE_2, { headers: { "preference-applied": "none", "cache-control": "no-store" } }),
      {
        request: `${PAGE_2}&prefer=none`,
        headers: { ...INTACT, "preference-applied": "none" },
        body: /page=3&prefer=none"/,
      },
      prefer("fail=0", PAGE_2, { headers: { "preference-applied": null, "cache-control": "no-store" } }),
      prefer("code=404", PAGE_2, { status: 404, headers: { "preference-applied": "code=404" } }),
      ...[503, 503].map((status) => ({ request: PAGE_2, status })),
      { request: PAGE_2, headers: INTACT, body: /\?format=api&page=3"/ },
    );
  });
});

test("with FAULTS off, prefer is a parameter without meaning, and Prefer an unknown header", async () => {
  const { fetch } = await createFaultsService({ FAULTS: "off", PREFER: "code=503" });
  await checkExchanges(
    fetch,
    ...["", "code=404", "hang", "dealy=5"].map((text) => prefer(text, PAGE_2, { headers: UNUSED })),
    { request: `${PAGE_2}&prefer=hang`, headers: UNUSED, body: /page=3&prefer=hang"/ },
    { request: `${PAGE_2}&prefer=dealy=5`, headers: UNUSED, body: /page=3&prefer=dealy%3D5"/ },
    { request: "/healthz", body: expect.objectContaining({ faults: false, prefer: null }) },
  );
});
