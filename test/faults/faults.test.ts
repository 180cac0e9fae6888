import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { type Page, ROAD_USERS, TrafficRecord } from "../../src/records/record.ts";
import { checkExchanges, type Exchange, PATH } from "../http-suite/exchange.ts";
import { context, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";

const COUNT = 400;
const LAST = 27;
const NAMES = TrafficRecord.keyof().options;
const NUMBERS = Array.from({ length: LAST }, (_, index) => index + 1);

const page = (number: number | string, query = "") => `${PATH}?format=api&page=${number}${query}`;
const PAGE = page(2);
const PAGES = NUMBERS.map((number) => page(number));

const { env, fetch: send } = await createMemoryService(makeRecords(COUNT));
const openService = async (settings: object) =>
  (await createMemoryService(makeRecords(COUNT), { settings })).fetch;
const setTime = (milliseconds: number) =>
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) + milliseconds });
afterEach(() => void vi.useRealTimers());

/** A request with the header Prefer, and what its response must have. */
const prefer = (text: string, target = PAGE, expected: Omit<Exchange, "send"> = {}): Exchange => ({
  ...expected,
  send: target,
  with: { Prefer: text, ...expected.with },
});
const read = async (text: string, target = PAGE) =>
  (await (await send(target, { headers: { Prefer: text } })).json()) as Page;
const getStatuses = (text: string, targets: string[]) =>
  Promise.all(targets.map(async (target) => (await send(target, { headers: { Prefer: text } })).status));

const COMMON = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  allow: "GET, OPTIONS",
  vary: "Accept",
  "x-content-type-options": "nosniff",
};
const UNUSED = { "preference-applied": null, "mock-warning": null, "cache-control": /max-age=5/, etag: /./ };
const INTACT = { "preference-applied": null, "cache-control": "no-cache", etag: /./ };
const FAULTY = { "cache-control": "no-store", etag: null };

describe("code=", () => {
  const challenge = 'Bearer realm="api"';
  test.each<[number, string, Record<string, string>]>([
    [400, "Malformed request.", {}],
    [401, "Authentication credentials were not provided.", { "www-authenticate": challenge }],
    [403, "You do not have permission to perform this action.", {}],
    [405, 'Method "GET" not allowed.', { allow: "GET, OPTIONS" }],
    [406, "Could not satisfy the request Accept header.", {}],
    [407, "Proxy authentication required.", { "proxy-authenticate": challenge }],
    [415, 'Unsupported media type "text/plain" in request.', {}],
    [418, "I'm a teapot.", {}],
    [429, "Request was throttled. Expected available in 2 seconds.", { "retry-after": "2" }],
    [500, "A server error occurred.", {}],
    [502, "Bad gateway.", {}],
    [503, "Service temporarily unavailable, try again later.", { "retry-after": "2" }],
    [599, "The request failed with status 599.", {}],
  ])("%i", async (status, detail, headers) => {
    const response = await send(PAGE, { headers: { Prefer: `code=${status}` } });
    expect([response.status, await response.json()]).toEqual([status, { detail }]);
    expect(Object.fromEntries(response.headers)).toEqual({
      ...COMMON,
      "cache-control": "no-store",
      "content-type": "application/json",
      "preference-applied": `code=${status}`,
      ...headers,
    });
  });

  test.each<Exchange>([
    ...[`${PATH}?page=0`, `${PATH}?format=xml`].map((target) => prefer("code=409", target)),
    ...["POST", "OPTIONS"].map((method) => prefer("code=409", `${method} ${PAGE}`)),
    prefer("code=409", `HEAD ${PAGE}`, { body: "" }),
    { send: `${PATH}?prefer=code=409` },
    { send: `${PATH}?%70refer=code%3D409` },
    prefer("code=409", PAGE, { with: { Accept: "text/html" }, body: /nothing is wrong/ }),
  ])("replaces the response to $send", (exchange) => checkExchanges(send, { ...exchange, status: 409 }));
});

describe("a limit chooses the requests that fail:", () => {
  test.each<[string, number[]]>([
    ["on=3,7-9", [3, 7, 8, 9]],
    ["on=2,last", [2, LAST]],
    ["on=99", []],
    ["fail=1", NUMBERS],
    ["fail=0", []],
    ["on=2-4, fail=1", [2, 3, 4]],
    ["grow=20/s, on=3", [3]],
    ["fail=0.2, seed=4", [5, 8, 15]],
  ])("%s, without a fault, causes 503 on the pages %j", async (limits, pages) => {
    setTime(9_950);
    const failed = await getStatuses(limits, PAGES);
    expect(NUMBERS.filter((_, index) => failed[index] === 503)).toEqual(pages);
    const runs = PAGES.map((target) => `${target}&run=a`);
    expect(await getStatuses(limits, runs), "with another parameter").toEqual(failed);
    const throttled = failed.map((status) => (status === 503 ? 429 : status));
    expect(await getStatuses(`${limits}, code=429`, PAGES)).toEqual(throttled);
  });

  test("until, by the clock of the service", async () => {
    const text = "code=503, delay=1, until=2030-01-01T00:00:01Z";
    setTime(999);
    const applied = 'code=503, delay=1, until="2030-01-01T00:00:01Z"';
    await checkExchanges(
      send,
      prefer(text, PAGE, { status: 503, headers: { "preference-applied": applied } }),
    );
    setTime(1_000);
    await checkExchanges(send, prefer(text, PAGE, { headers: INTACT }));
  });

  test("times, so that the retry of a crawl succeeds, for each run of a test", async () => {
    for (const run of ["", "&run=a", "&run=b"]) {
      const targets = [1, 2, 3, 3, 4].map((number) => page(number, run));
      const seen: number[] = [];
      for (const target of targets) seen.push(...(await getStatuses("on=3, code=500, times=1", [target])));
      expect(seen).toEqual([200, 200, 500, 200, 200]);
    }
  });

  test("times, counted for each set of options", async () => {
    for (const [text, status] of [
      ["code=500, times=1", 500],
      ["code=500, times=1, fail=1", 500],
      ["CODE=500,times=1", 200],
    ] as const)
      expect(await getStatuses(text, [page(11)])).toEqual([status]);
  });

  test("times, counted by each service alone, until it is reset", async () => {
    const [one, other] = [createApp(), createApp()];
    const ask = async (app: typeof one) =>
      (await app.request(`${PATH}?prefer=code=500,times=1`, {}, env, context)).status;
    expect([await ask(one), await ask(one), await ask(other)]).toEqual([500, 200, 500]);
    one.reset();
    expect([await ask(one), await ask(other)]).toEqual([500, 200]);
  });
});

describe("no option is used, so the response is the usual one:", () => {
  test.each<Exchange>([
    prefer("", PAGE),
    prefer("respond-async, handling=lenient; strict", PAGE),
    { send: `${PATH}?preferred=code=503` },
    { send: `${PAGE}&nprefer=code=503&prefer=` },
  ])("$send $with", (exchange) => checkExchanges(send, { ...exchange, headers: { ...COMMON, ...UNUSED } }));
});

describe("on chooses a page", () => {
  test.each<[string, string, number]>([
    ["on=27, code=500", page("last"), 500],
    ["on=last, code=500", page(LAST), 500],
    ["on=1, code=500", page(0), 404],
    ["on=1, delay=5, times=9, seed=4", PAGE, 200],
  ])("%s, %s -> %i", (text, target, status) => checkExchanges(send, prefer(text, target, { status })));
});

describe("Preference-Applied", () => {
  test.each<[string, string, string | null]>([
    ["delay=1;x=y, code=404, code=500, respond-async", PAGE, "code=404, delay=1"],
    ["on=2, fail=1, body=empty, seed=3", PAGE, "body=empty, on=2, fail=1, seed=3"],
    ["on=2, fail=1, body=empty", page(3), null],
    ["COUNT=+1, on=2,4-9", PAGE, 'count=+1, on="2,4-9"'],
    ["fail=0, delay=1-2, seed=1", PAGE, "delay=1-2, seed=1"],
    ["fail=1, retry-after=0", PAGE, "code=503, retry-after=0, fail=1"],
    ["code=429, retry-after=0", PAGE, "code=429, retry-after=0"],
    ["code=500, retry-after=0", PAGE, "code=500"],
    ["retry-after=0", PAGE, null],
    ["next=null, on=last", page(LAST), null],
    ["next=null, count=-5", page(LAST), "count=-5"],
    ["rows=drop, delay=1", page(99), "delay=1"],
    ["on=2", PAGE, "code=503, on=2"],
    ["rows=drop, grow=15/m, body=garbage", PAGE, "body=garbage"],
    ["close, code=500, delay=1, body=cut", PAGE, "delay=1, close"],
    ["grow=15/m", PAGE, 'grow="15/m"'],
    ["grow=15/m, on=99, delay=1", PAGE, 'grow="15/m"'],
  ])("to %s for %s is %s", async (text, target, applied) => {
    const response = await send(target, { headers: { Prefer: text } });
    expect(response.headers.get("preference-applied")).toBe(applied);
  });
});

test.each([
  ["/", 200],
  ["/docs", 200],
  ["/openapi.json", 200],
  ["/nothing", 404],
  ["POST /", 405],
  [PATH.slice(0, -1), 301],
  ["/go?date=2019-05-17", 302],
])("%s is %i, because only the collection has faults", async (target, status) => {
  const headers = { "preference-applied": null, "mock-warning": null };
  await checkExchanges(send, prefer("code=409, dealy=5", target, { status, headers }));
});

describe("an option that is wrong", () => {
  const detail =
    "code=200 is invalid: code must be a whole number from 400 to 599. dealy=5 is unknown. Did you mean delay?";
  const query = "?prefer=code=200,dealy=5";
  const error = { status: 400, headers: { "cache-control": "no-store", "mock-warning": null } };

  test.each<Exchange>([
    prefer("code=200, dealy=5", PAGE, {
      headers: { ...FAULTY, "preference-applied": null, "mock-warning": detail },
    }),
    prefer("code=é\tSet-Cookie: a=b", PAGE, { headers: { "mock-warning": /^code=\?\?Set-Cookie: a=b is/ } }),
    { send: PATH + query, ...error, body: { detail } },
    { send: PATH + query, with: { Accept: "text/html" }, status: 400, body: /Did you mean delay\?/ },
  ])("$send $with", (exchange) => checkExchanges(send, exchange));
});

describe("a cache", () => {
  test("keeps no error, although it has no fault", () =>
    checkExchanges(
      send,
      prefer("fail=0", page(99), { status: 404, headers: { "cache-control": "no-store" } }),
    ));

  test("sees 304, 503, 304, and every changed page", async () => {
    const target = page(13);
    const etag = (await send(target, {})).headers.get("etag")!;
    for (const [text, status, headers] of [
      ["fail=0", 304, INTACT],
      ["fail=1", 503, FAULTY],
      ["on=2, code=503", 304, INTACT],
      ["on=13, code=503", 503, FAULTY],
      ["on=13, body=empty", 200, FAULTY],
      ["count=+1", 200, FAULTY],
      ["code=x", 200, FAULTY],
      ["next=null, on=last", 304, INTACT],
      // Nothing is hidden, so the page is that of other clients.
      ["grow=1/h", 200, { ...FAULTY, "preference-applied": 'grow="1/h"' }],
      ["grow=15/m", 200, { ...FAULTY, "preference-applied": 'grow="15/m"' }],
    ] as const) {
      const condition = { with: { "If-None-Match": etag } };
      await checkExchanges(send, prefer(text, target, { ...condition, status, headers }));
    }
  });
});

describe("a page is changed by", () => {
  test.each<[string, (usual: Page) => Partial<Page>]>([
    ["count=+1", ({ count }) => ({ count: count + 1 })],
    ["next=null", () => ({ next: null })],
    ["next=loop", ({ next }) => ({ next: String(next).replace("page=3", "page=2") })],
    ["next=skip", ({ next }) => ({ next: String(next).replace("page=3", "page=4") })],
    [
      "rows=drop, count=+2, next=null, record=extra, seed=3",
      ({ count }) => ({
        count: count + 2,
        next: null,
        results: expect.toSatisfy(({ length }) => length === 14),
      }),
    ],
  ])("%s", async (text, change) => {
    const usual = await read("");
    await checkExchanges(send, prefer(text, PAGE, { body: { ...usual, ...change(usual) } }));
  });

  test("count, whose sign a query turns into a space", () =>
    checkExchanges(send, { send: `${PATH}?prefer=count=+1`, body: /^{"count":401,/ }));

  test("rows, which drops, repeats or swaps a record", async () => {
    const { results: usual } = await read("");
    const [dropped, repeated, swapped] = await Promise.all(
      ["drop", "repeat", "swap"].map(async (fault) => (await read(`rows=${fault}, seed=1`)).results),
    );
    expect(usual.filter(({ id }) => !dropped!.some((record) => record.id === id))).toHaveLength(1);
    expect([repeated!.length, new Set(repeated!.map(({ id }) => id)).size]).toEqual([15, 14]);
    const byId = (records: Page["results"]) => records.toSorted((one, other) => one.id - other.id);
    expect(byId(swapped!)).toEqual(byId(usual));
    const times = swapped!.map(({ timestamp }) => timestamp);
    expect(times).not.toEqual(times.toSorted().reverse());
  });

  test("rows=swap, of the two first records if only these have different timestamps", async () => {
    const { fetch } = await createMemoryService(makeRecords(5));
    const { results } = Object(await (await fetch(`${PATH}?prefer=rows=swap`)).json());
    expect(results[0].timestamp < results[1].timestamp).toBe(true);
  });

  test("rows=swap, which is not applied if all records have one timestamp", async () => {
    const { fetch } = await createMemoryService(makeRecords(4));
    const usual = await (await fetch(PATH)).json();
    await checkExchanges(fetch, prefer("rows=swap", PATH, { headers: INTACT, body: usual }));
  });

  test.each<[string, RegExp]>([
    ["float", /^\d+\.5$/],
    ["null", /^null$/],
    ["missing", /^undefined$/],
    ["extra", /^0$/],
    ["offset", /\+00:00$/],
  ])("record=%s, in one field of one record", async (fault, expected) => {
    const list = ({ results }: Page) =>
      results.flatMap((record) => [...NAMES, "vans"].map((name) => String(Object(record)[name])));
    const [changed, usual] = [list(await read(`record=${fault}, seed=3`)), list(await read(""))];
    const changes = changed.filter((text, index) => text !== usual[index]);
    expect(changes).toEqual([expect.stringMatching(expected)]);
  });

  test("record, which can choose any count of any record", async () => {
    const pages = await Promise.all(
      Array.from({ length: 200 }, (_, seed) => read(`record=null, seed=${seed}`)),
    );
    const findChanged = (record: Page["results"][number]) => ROAD_USERS.find((name) => record[name] === null);
    const places = pages.map(({ results }) => results.findIndex(findChanged));
    const names = pages.map(({ results }) => results.map(findChanged).find(Boolean));
    expect([new Set(places).size, new Set(names).size]).toEqual([15, 6]);
  });
});

test.each<[string, number, Exchange["headers"] & object]>([
  ["code=429, retry-after=none", 429, { "retry-after": null }],
  ["code=503, retry-after=7", 503, { "retry-after": "7" }],
  ["code=429, retry-after=9", 429, { "retry-after": "9" }],
  ["code=503, retry-after=date", 503, { "retry-after": "Tue, 01 Jan 2030 00:00:03 GMT" }],
])("%s changes the headers of %i", async (text, status, headers) => {
  setTime(1);
  await checkExchanges(send, prefer(text, PAGE, { status, headers }));
});

describe("grow", () => {
  const at = async (seconds: number, target = page(1)) => {
    setTime(seconds * 1_000);
    return read("grow=20/s", target);
  };

  test("shows a part of the collection that grows by the clock, and begins again", async () => {
    const first = await at(0.2);
    const later = await at(0.7);
    expect(later.count - first.count).toBe(10);
    expect(later.results[10]).toEqual(first.results[0]);
    expect((await at(0)).count).toBe(COUNT / 2 + 1);
    expect((await at(9.95)).count).toBe(COUNT);
    expect((await at(10)).count).toBe(COUNT / 2 + 1);
  });

  test.each([
    [0, COUNT - 23],
    [23, COUNT],
    [24, COUNT - 23],
  ])(
    "hides less than what a day of growth adds: after %i hours it shows %i records",
    async (hours, count) => {
      setTime(hours * 3_600_000);
      expect((await read("grow=1/h", page(1))).count).toBe(count);
    },
  );

  test("changes the entity-tag with the number of records that are shown", async () => {
    const readTag = async (time: number) => {
      setTime(time);
      return (await send(`${PAGE}&prefer=grow=20/s`, {})).headers.get("etag");
    };
    expect(await readTag(200)).toBe(await readTag(200));
    expect(await readTag(200)).not.toBe(await readTag(1_200));
  });

  test("hides the pages that the collection does not have yet", async () => {
    const { count } = await at(1, page("last"));
    const shown = Math.ceil(count / 15);
    const body = /page=last&amp;[^>]*>Show the last page/;
    await checkExchanges(
      send,
      { send: page(shown + 1) },
      prefer("grow=20/s", page(shown + 1, "&x=1"), { with: { Accept: "text/html" }, status: 404, body }),
    );
  });
});

describe("PREFER, the preferences of a deployment,", () => {
  test("apply to requests of the collection that have none", async () => {
    const headers = { ...COMMON, "preference-applied": "code=503", "cache-control": "no-store" };
    const failed = { status: 503, headers };
    const targets = [PATH, `${PATH}?page=99`, `POST ${PATH}`, `${PATH}?prefer=`];
    await checkExchanges(
      await openService({ PREFER: "code=503" }),
      ...targets.map((target) => ({ send: target, ...failed })),
      { send: PATH, with: { Accept: "text/html" }, status: 503, body: /nothing is wrong/ },
      prefer("return=minimal", PATH, failed),
      // An ignored option blocks no valid one.
      prefer("code=999", `${PATH}?prefer=code=404`, {
        status: 404,
        headers: { "mock-warning": /^code=999 is/ },
      }),
      prefer("code=99", PATH, {
        status: 503,
        headers: { ...headers, "mock-warning": /^code=99 is invalid/ },
      }),
    );
  });

  test("do not apply to other paths and to preflights", async () => {
    const usual = { headers: { "preference-applied": null } };
    await checkExchanges(
      await openService({ PREFER: "code=503" }),
      ...["/", "/docs", "/openapi.json"].map((target) => ({ send: target, ...usual })),
      { send: "/go?date=2019-05-17", status: 302, ...usual },
      { send: "/nothing", status: 404, ...usual },
      { send: PATH.slice(0, -1), status: 301, ...usual },
      { send: `OPTIONS ${PATH}`, with: { "access-control-request-method": "GET" }, status: 204, ...usual },
      { send: "/healthz", body: expect.objectContaining({ status: "ok", prefer: "code=503" }) },
    );
  });

  test("are replaced by those of a request, and no cache keeps the response", async () => {
    await checkExchanges(
      await openService({ PREFER: "code=503, delay=1, times=2" }),
      prefer("none", PAGE, { headers: INTACT }),
      { send: `${PAGE}&prefer=none`, headers: INTACT, body: /page=3&prefer=none"/ },
      prefer("fail=0", PAGE, { headers: INTACT }),
      prefer("code=404", PAGE, { status: 404, headers: { "preference-applied": "code=404" } }),
      ...[503, 503].map((status) => ({ send: PAGE, status })),
      { send: PAGE, headers: INTACT, body: /\?format=api&page=3"/ },
    );
  });
});

test("with FAULTS off, prefer is a parameter without meaning, and Prefer an unknown header", async () => {
  await checkExchanges(
    await openService({ FAULTS: "off", PREFER: "code=503" }),
    ...["", "code=404", "hang", "dealy=5"].map((text) => prefer(text, PAGE, { headers: UNUSED })),
    { send: `${PAGE}&prefer=hang`, headers: UNUSED, body: /page=3&prefer=hang"/ },
    { send: `${PAGE}&prefer=dealy=5`, headers: UNUSED, body: /page=3&prefer=dealy%3D5"/ },
    { send: "/healthz", body: expect.objectContaining({ faults: false, prefer: null }) },
  );
});
