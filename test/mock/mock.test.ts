import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Page } from "../../src/records/record.ts";
import { check, type Exchange, PATH } from "../http-suite/exchange.ts";
import { context, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";

const PAGE = `${PATH}?format=api&page=2`;
const COUNT = 400;
const LAST = 27;

const { env, fetch: send } = await createMemoryService(makeRecords(COUNT));
afterEach(() => {
  vi.useRealTimers();
});

const prefer = (text: string, target = PAGE, more: Omit<Exchange, "send"> = {}): Exchange => ({
  send: target,
  with: { Prefer: text },
  ...more,
});
const page = (number: number | string, query = "") => `${PATH}?format=api&page=${number}${query}`;
const read = async (text: string, target = PAGE) =>
  (await (await send(target, { headers: { Prefer: text } })).json()) as Page;
const statuses = (text: string, targets: string[]) =>
  Promise.all(targets.map(async (target) => (await send(target, { headers: { Prefer: text } })).status));
const NUMBERS = Array.from({ length: LAST }, (_, index) => index + 1);
const PAGES = NUMBERS.map((number) => page(number));

const COMMON = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  allow: "GET, OPTIONS",
  vary: "Accept",
  "x-content-type-options": "nosniff",
};

describe("a request without options for the mock gets the usual response:", () => {
  const usual = { etag: /./, "cache-control": /max-age=5/, "mock-warning": null, "preference-applied": null };
  test.each<Exchange>([
    prefer(""),
    prefer("respond-async, handling=lenient; strict"),
    prefer("odata.track-changes"),
    { send: `${PATH}?preferred=code=503` },
    { send: `${PAGE}&nprefer=code=503` },
    { send: `${PAGE}&prefer=` },
  ])("$send $with", (exchange) => check(send, { ...exchange, headers: { ...COMMON, ...usual } }));
});

describe("code=", () => {
  test.each<[number, string, Record<string, string>]>([
    [400, "Malformed request.", {}],
    [401, "Authentication credentials were not provided.", { "www-authenticate": 'Bearer realm="api"' }],
    [403, "You do not have permission to perform this action.", {}],
    [405, 'Method "GET" not allowed.', { allow: "GET, OPTIONS" }],
    [406, "Could not satisfy the request Accept header.", {}],
    [407, "Proxy authentication required.", { "proxy-authenticate": 'Bearer realm="api"' }],
    [415, 'Unsupported media type "text/plain" in request.', {}],
    [418, "The request failed with status 418.", {}],
    [
      429,
      "Request was throttled. Expected available in 2 seconds.",
      { "retry-after": "2", ratelimit: '"default";r=0;t=2', "ratelimit-policy": '"default";q=100;w=10' },
    ],
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

  test("any status from 400 to 599 has a sentence", async () => {
    for (let status = 400; status < 600; status++)
      await check(send, prefer(`code=${status}`, PAGE, { status, body: /^{"detail":"[A-Z].+\."}$/ }));
  });

  test.each<Exchange>([
    ...["/", "/nothing", PATH.slice(0, -1), `${PATH}?page=0`, `${PATH}?format=xml`].map((target) =>
      prefer("code=409", target),
    ),
    ...["POST", "DELETE", "OPTIONS"].map((method) => prefer("code=409", `${method} ${PAGE}`)),
    prefer("code=409", `HEAD ${PAGE}`, { body: "" }),
    { send: `${PATH}?prefer=code=409` },
    { send: `${PATH}?%70refer=code%3D409` },
    { send: PAGE, with: { Prefer: "code=409", Accept: "text/html" }, body: /nothing is wrong/ },
  ])("replaces the response to $send", (exchange) => check(send, { ...exchange, status: 409 }));
});

describe("a limit chooses the requests that fail:", () => {
  test.each<[string, number[]]>([
    ["on=3,7-9", [3, 7, 8, 9]],
    ["on=last", [LAST]],
    ["on=2,last", [2, LAST]],
    ["on=99", []],
    ["fail=1", NUMBERS],
    ["fail=0", []],
    ["on=2-4, fail=1", [2, 3, 4]],
    ["fail=0.2, seed=4", [3, 9, 12, 14, 16, 19, 20, 22, 25]],
  ])("%s, without a fault, causes 503 on the pages %j", async (limits, pages) => {
    const failed = await statuses(limits, PAGES);
    expect(NUMBERS.filter((_, index) => failed[index] === 503)).toEqual(pages);
    expect(await statuses(`${limits}, code=429`, PAGES)).toEqual(
      failed.map((status) => (status === 503 ? 429 : status)),
    );
  });

  test("with a seed, an additional parameter changes nothing", async () => {
    const runs = ["", "&run=a", "&run=b"].map((run) => PAGES.map((target) => target + run));
    const [first, ...others] = await Promise.all(
      runs.map((targets) => statuses("fail=0.2, seed=4", targets)),
    );
    for (const other of others) expect(other).toEqual(first);
  });

  test.each<Exchange>([
    prefer("on=27, code=500", page("last"), { status: 500 }),
    prefer("on=last, code=500", page(LAST), { status: 500 }),
    prefer("on=1, code=500", "/"),
    prefer("on=1, code=500", page(0), { status: 404 }),
    prefer("on=1, delay=5, times=9, seed=4"),
    prefer("delay=1, times=1", page(1), { headers: { "preference-applied": "delay=1, times=1" } }),
  ])("$with for $send", (exchange) => check(send, exchange));

  test("until ends all faults by the clock of the service", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) });
    const text = "code=503, delay=1, until=2030-01-01T00:00:01Z";
    const applied = 'code=503, delay=1, until="2030-01-01T00:00:01Z"';
    await check(send, prefer(text, PAGE, { status: 503, headers: { "preference-applied": applied } }));
    vi.setSystemTime(Date.UTC(2030, 0, 1, 0, 0, 1));
    await check(send, prefer(text, PAGE, { headers: { "preference-applied": null } }));
  });
});

describe("times", () => {
  const fault = "&prefer=on=3,code=500,times=1";

  test("lets the retry of a crawl succeed, for each run of a test", async () => {
    for (const run of ["", "&run=a", "&run=b"]) {
      const targets = [1, 2, 3, 3, 4].map((number) => page(number, fault + run));
      for (const [index, status] of [200, 200, 500, 200, 200].entries())
        await check(send, { send: targets[index]!, status });
    }
  });

  test("counts requests with other options by themselves", async () => {
    for (const [text, status] of [
      ["code=500, times=1", 500],
      ["code=500, times=1, fail=1", 500],
      ["CODE=500,times=1", 200],
    ] as const)
      expect(await statuses(text, [page(11)])).toEqual([status]);
  });

  test("is counted by each service alone, until it is reset", async () => {
    const [one, other] = [createApp(), createApp()];
    const ask = async (app: typeof one) =>
      (await app.request("/nothing?prefer=code=500,times=1", {}, env, context)).status;
    expect([await ask(one), await ask(one), await ask(other)]).toEqual([500, 404, 500]);
    one.reset();
    expect([await ask(one), await ask(other)]).toEqual([500, 404]);
  });

  test("is exact for requests at the same time", async () => {
    const failed = await statuses("code=500, times=3", Array(10).fill(page(12)));
    expect(failed.filter((status) => status === 500)).toHaveLength(3);
  });
});

describe("Preference-Applied", () => {
  test.each<[string, string, string | null]>([
    ["delay=1;x=y, code=404, code=500, respond-async", PAGE, "code=404, delay=1"],
    [
      "on=2, fail=1, body=empty, seed=3, until=2999-01-01T00:00:00Z",
      PAGE,
      'body=empty, on=2, until="2999-01-01T00:00:00Z", fail=1, seed=3',
    ],
    ["on=2, fail=1, body=empty", page(3), null],
    ["fail=0, delay=5-5, seed=1", PAGE, "delay=5-5"],
    ["fail=0, delay=1-2, seed=1", PAGE, "delay=1-2, seed=1"],
    ["fail=1, retry-after=0", PAGE, "retry-after=0, fail=1"],
    ["code=500, retry-after=0, seed=1", PAGE, "code=500"],
    ["retry-after=0", PAGE, null],
    ["next=null, on=last", page(LAST), null],
    ["next=null, count=-5", page(LAST), "count=-5"],
    ["rows=drop, delay=1", page(99), "delay=1"],
    ["count=+1, delay=1", "/", "delay=1"],
    ["body=cut, delay=1", PATH.slice(0, -1), "delay=1"],
    ["grow=15/m", PAGE, 'grow="15/m"'],
    ["grow=15/m, on=99, delay=1", PAGE, 'grow="15/m"'],
    ["grow=15/m, delay=1", "/", "delay=1"],
  ])("to %s for %s is %s", async (text, target, applied) => {
    const response = await send(target, { headers: { Prefer: text } });
    expect(response.headers.get("preference-applied")).toBe(applied);
  });

  const largest = "9007199254740991-9007199254740991";
  test.each<[string, string]>([
    [`on=2,${Array(25).fill(largest)}, code=404`, `code=404, on="2,${Array(25).fill(largest)}"`],
    [`on=2,${Array(49).fill(largest)}, code=404`, "code=404, on"],
    [`delay=${"0".repeat(2_000)}1, code=404`, "code=404, delay"],
  ])("to %s has at most 1 KB, without long values", async (text, applied) => {
    const response = await send(PAGE, { headers: { Prefer: text } });
    expect(response.headers.get("preference-applied")).toBe(applied);
    expect(applied.length).toBeLessThanOrEqual(1_024);
  });
});

describe("an option that is wrong", () => {
  const sentence =
    "code=200 is invalid: code must be a whole number from 400 to 599. dealy=5 is unknown. Did you mean delay?";

  test("in the header is a warning", () =>
    check(
      send,
      prefer("code=200, dealy=5", PAGE, {
        headers: { "mock-warning": sentence, "preference-applied": null },
      }),
    ));

  test("in the query is 400 with the same sentence, on every path", () =>
    check(
      send,
      ...[PATH, "/", "/nothing"].map((path) => ({
        send: `${path}?prefer=code=200,dealy=5`,
        status: 400,
        headers: { "cache-control": "no-store", "mock-warning": null },
        body: { detail: sentence },
      })),
      {
        send: `${PATH}?prefer=dealy=5`,
        with: { Accept: "text/html" },
        status: 400,
        body: /Did you mean delay\?/,
      },
    ));

  test("is also a limit of grow, which is not a fault", async () => {
    const detail =
      "grow cannot be limited by times, because it is not a fault. Add the fault that times limits, such as code=503.";
    const applied = { "preference-applied": 'grow="15/m"' };
    await check(
      send,
      { send: `${PATH}?prefer=grow=15/m,times=1`, status: 400, body: { detail } },
      { send: `${PATH}?prefer=grow=15/m,times=1,code=503`, status: 503 },
      prefer("grow=15/m, times=1", PAGE, { headers: { "mock-warning": detail, ...applied } }),
      prefer("grow=15/m, on=last, times=1", PAGE, {
        headers: { "mock-warning": /limited by on,/, ...applied },
      }),
    );
  });

  test("cannot inject headers", async () => {
    const response = await send(PAGE, { headers: { Prefer: "code=é\tSet-Cookie: a=b" } });
    expect(response.headers.get("mock-warning")).toMatch(/^code=\?\?Set-Cookie: a=b is invalid/);
  });
});

describe("a cache", () => {
  test.each(["body=garbage", "count=+1"])(
    "does not keep a response with %s, and its condition has no effect",
    (text) =>
      check(send, {
        send: PAGE,
        with: { Prefer: text, "If-None-Match": "*" },
        headers: { "cache-control": "no-store", etag: null },
      }),
  );

  test.each(["on=9, code=500", "code=x", "grow=15/m", "next=null, on=last"])(
    "must ask again after a response to %s, which has no fault",
    (text) => check(send, prefer(text, PAGE, { headers: { "cache-control": "no-cache", etag: /./ } })),
  );

  test("sees 304, 503, 304", async () => {
    const target = page(13);
    const etag = (await send(target, {})).headers.get("etag")!;
    const ask = (Prefer: string, status: number): Exchange => ({
      send: target,
      with: { Prefer, "If-None-Match": etag },
      status,
      headers: status === 304 ? { etag, "cache-control": "no-cache" } : { etag: null },
    });
    await check(send, ask("fail=0", 304), ask("fail=1", 503), ask("fail=0", 304));
    await check(send, ask("on=2, code=503", 304), ask("on=13, code=503", 503), ask("on=2", 304));
    await check(
      send,
      ask("on=13, fail=0", 304),
      ask("on=13, body=empty", 200),
      ask("next=null, on=last", 304),
    );
  });

  test("keeps no error, although it has no fault", () =>
    check(send, prefer("fail=0", page(99), { status: 404, headers: { "cache-control": "no-store" } })));
});

describe("a page is changed by", () => {
  test.each<[string, (usual: Page) => Partial<Page>]>([
    ["count=+1", ({ count }) => ({ count: count + 1 })],
    ["count=-399", ({ count }) => ({ count: count - 399 })],
    ["next=null", () => ({ next: null })],
    ["next=loop", ({ next }) => ({ next: String(next).replace("page=3", "page=2") })],
    ["next=skip", ({ next }) => ({ next: String(next).replace("page=3", "page=4") })],
  ])("%s", async (text, change) => {
    const usual = await read("");
    await check(send, prefer(text, PAGE, { headers: { etag: null }, body: { ...usual, ...change(usual) } }));
  });

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

  test.each<[string, RegExp]>([
    ["float", /^\d+\.5$/],
    ["null", /^null$/],
    ["missing", /^undefined$/],
    ["extra", /^0$/],
    ["offset", /\+00:00$/],
  ])("record=%s, in one field of one record", async (fault, expected) => {
    const [changed, usual] = [await read(`record=${fault}, seed=3`), await read("")];
    const changes = changed.results.flatMap((record, index) =>
      [...new Set([...Object.keys(record), ...Object.keys(usual.results[index]!)])].flatMap((name) => {
        const [is, was] = [Object(record)[name], Object(usual.results[index])[name]];
        return is === was ? [] : [String(is)];
      }),
    );
    expect(changes).toEqual([expect.stringMatching(expected)]);
  });
});

describe("Retry-After", () => {
  test.each<[string, string | null]>([
    ["code=429, retry-after=none", null],
    ["code=503, retry-after=7", "7"],
    ["code=429, retry-after=9", "9"],
    ["hang, times=1, retry-after=0, on=99", null],
    ["code=503, retry-after=date", "Tue, 01 Jan 2030 00:00:03 GMT"],
  ])("to %s is %s", async (text, expected) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) + 1 });
    const response = await send(PAGE, { headers: { Prefer: text } });
    expect(response.headers.get("retry-after")).toBe(expected);
    if (expected === "9") expect(response.headers.get("ratelimit")).toBe('"default";r=0;t=9');
  });
});

describe("grow", () => {
  const at = async (seconds: number, target = page(1)) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) + seconds * 1_000 });
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
  test("hides the pages that the collection does not have yet", async () => {
    const { count } = await at(1, page("last"));
    const shown = Math.ceil(count / 15);
    const hidden = page(shown + 1, "&prefer=grow=20/s");
    await check(send, { send: page(shown + 1) });
    await check(send, { send: hidden, status: 404, body: { detail: "Invalid page." } });
    const text = await (await send(hidden, { headers: { Accept: "text/html" } })).text();
    expect(text).toContain(`>page ${shown}</a>`);
  });
});

describe("PREFER, the preferences of a deployment,", () => {
  const open = async (PREFER: string) =>
    (await createMemoryService(makeRecords(COUNT), { settings: { PREFER } })).fetch;

  test("apply to requests of the collection that have none", async () => {
    const send = await open("code=503");
    const failed = {
      status: 503,
      headers: { ...COMMON, "preference-applied": "code=503", "cache-control": "no-store" },
    };
    await check(
      send,
      ...[PATH, `${PATH}?page=99`, `POST ${PATH}`, `${PATH}?prefer=`].map((target) => ({
        send: target,
        ...failed,
      })),
      { send: PATH, with: { Accept: "text/html" }, status: 503, body: /nothing is wrong/ },
      ...["return=minimal", "respond-async", "code=99"].map((text) => prefer(text, PATH, failed)),
      prefer("code=99", PATH, { status: 503, headers: { "mock-warning": /^code=99 is invalid/ } }),
    );
  });

  test("do not apply to other paths and to preflights", async () => {
    const usual = { headers: { "preference-applied": null } };
    await check(
      await open("code=503"),
      ...["/", "/docs", "/openapi.json"].map((target) => ({ send: target, ...usual })),
      { send: "/go?date=2019-05-17", status: 302, ...usual },
      { send: "/nothing", status: 404, ...usual },
      { send: PATH.slice(0, -1), status: 301, ...usual },
      { send: `OPTIONS ${PATH}`, with: { "access-control-request-method": "GET" }, status: 204, ...usual },
      { send: "/healthz", body: expect.objectContaining({ status: "ok", prefer: "code=503" }) },
    );
  });

  test("are replaced by those of a request, and no cache keeps the response", async () => {
    const send = await open("code=503, delay=1, times=2");
    const intact = { "preference-applied": null, "cache-control": "no-cache", etag: /./ };
    await check(
      send,
      prefer("none", PAGE, { headers: intact }),
      { send: `${PAGE}&prefer=none`, headers: intact, body: /page=3&prefer=none"/ },
      prefer("fail=0", PAGE, { headers: intact }),
      prefer("code=404", PAGE, { status: 404, headers: { "preference-applied": "code=404" } }),
      ...[503, 503].map((status) => ({ send: PAGE, status })),
      { send: PAGE, headers: intact, body: /\?format=api&page=3"/ },
    );
  });

  test("can hide records", async () => {
    const send = await open("grow=15/m");
    await check(send, {
      send: PATH,
      headers: { "preference-applied": 'grow="15/m"', "cache-control": "no-cache" },
    });
    const { count } = (await (await send(PATH, {})).json()) as Page;
    expect(count).toBeLessThanOrEqual(COUNT);
  });

  test("are on the landing page", async () => {
    const send = await open("delay=200-800");
    await check(
      send,
      { send: "/", body: expect.objectContaining({ prefer: "delay=200-800" }) },
      { send: "/", with: { Accept: "text/html" }, body: /<code>delay=200-800<\/code>/ },
      { send: "/healthz", body: expect.objectContaining({ prefer: "delay=200-800" }) },
    );
  });
});

test("with FAULTS off, prefer is a parameter without meaning, and Prefer an unknown header", async () => {
  const settings = { FAULTS: "off", PREFER: "code=503" };
  const { fetch } = await createMemoryService(makeRecords(COUNT), { settings });
  const usual = {
    "preference-applied": null,
    "mock-warning": null,
    "cache-control": /max-age=5/,
    etag: /./,
  };
  await check(
    fetch,
    ...["", "code=404", "hang", "dealy=5"].map((text) => prefer(text, PAGE, { headers: usual })),
    ...["hang", "code=404", "dealy=5"].map((text) => ({
      send: `${PAGE}&prefer=${text}`,
      headers: usual,
      body: new RegExp(`page=3&prefer=${text.replace("=", "%3D")}"`),
    })),
    { send: "/healthz", body: expect.objectContaining({ faults: false, prefer: null }) },
  );
});
