import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../../src/bindings.ts";
import app from "../../src/index.ts";
import { CHROMIUM, checkExchanges, type Exchange, PATH, UNAVAILABLE } from "../support/exchange.ts";
import { context, createInstance, createMemoryService, getLogLines } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

const { store, origin: ORIGIN } = await createMemoryService(makeRecords(40));

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

describe("with an invalid setting, requests get 503, and the log and the health check report the setting:", () => {
  test.each<[name: keyof Env, settings: object, expected: string]>([
    ["PUBLIC_ORIGIN", { PUBLIC_ORIGIN: "counts.example" }, '"counts.example"'],
    ["RATE_LIMIT", { RATE_LIMIT: "on" }, '"on"; it must be "off", "10" or "60"'],
    ["RATE_LIMIT", { RATE_LIMIT: "" }, '""; it must be "off", "10" or "60"'],
    ["RATE_LIMIT", { RATE_LIMIT: "60" }, '"60", but wrangler.toml binds no RATE_LIMITER'],
    ["FAULTS", { FAULTS: "false" }, '"false"; it must be "on" or "off"'],
    ["PREFER", { PREFER: "delay=x" }, '"delay=x". delay=x is invalid: '],
    ["PREFER", { PREFER: 503 }, '"503". 503 is unknown: '],
    ["STORE", { STORE: "sqlite" }, '"sqlite"; it must be "d1", "kv" or "seed"'],
    ["STORE", {}, "undefined; it must be "],
    ["STORE", { STORE: "d1" }, '"d1", but no [[d1_databases]] binds DB'],
    ["STORE", { STORE: "seed", ASSETS: undefined }, '"seed", but [assets] does not bind'],
    ["STORE", { STORE: "kv" }, '"kv", but no [[kv_namespaces]] binds KV'],
  ])("%s in %j", async (name, settings, expected) => {
    const others = name === "STORE" ? { STORE: undefined, ...settings } : settings;
    const { env } = createInstance(store, { settings: others });
    const page = /^<!doctype html>.*<h1>503 .*<a href="https:\/\S*">Try again after 5 seconds</s;
    const detail = `The setting ${name} is invalid. See the log.`;
    const health = expect.objectContaining({ status: "unavailable", detail });
    const exchanges: Exchange[] = [
      { request: PATH, ...UNAVAILABLE },
      { request: PATH, requestHeaders: { accept: CHROMIUM }, status: 503, body: page },
      { request: "/nothing", status: 503 },
      { request: `POST ${PATH}?page=0`, status: 503 },
      { request: "/healthz", status: 503, body: health },
    ];
    await checkExchanges(async (path, init) => app.request(ORIGIN + path, init, env, context), ...exchanges);
    const line = { event: "request_failed", reason: expect.stringContaining(`${name} is ${expected}`) };
    // The path of the route, and not of the request, which can contain anything.
    const paths = [PATH, PATH, "*", PATH, "/healthz"];
    expect(getLogLines(), "each failure once").toMatchObject(paths.map((path) => ({ ...line, path })));
  });

  test("with FAULTS off, PREFER is not checked", () =>
    checkExchanges(createInstance(store, { settings: { FAULTS: "off", PREFER: "dealy=5" } }).fetch, {
      request: PATH,
    }));
});

test("links start with the origin, and the entity-tag changes with the origin, the version of the code, and the load", async () => {
  const service = await createMemoryService(makeRecords(40));
  const tags = new Set<string | null>();
  const expectOrigin = async (expected: string, settings: Partial<Env> = {}, origin = expected) => {
    const response = await createInstance(service.store, { settings }).fetch(origin + PATH);
    expect(await response.json()).toMatchObject({ next: `${expected}${PATH}?format=api&page=2` });
    tags.add(response.headers.get("etag"));
  };
  await expectOrigin(ORIGIN);
  await expectOrigin(ORIGIN);
  expect(tags.size).toBe(1);
  await expectOrigin("http://inside:8787");
  await expectOrigin("https://public.example", { PUBLIC_ORIGIN: "https://public.example" }, ORIGIN);
  await expectOrigin(ORIGIN, { CF_VERSION_METADATA: { id: "2", tag: "", timestamp: "" } });
  service.load(makeRecords(40));
  await expectOrigin(ORIGIN);
  expect(tags.size).toBe(5);
});

test("a page has the source of its records in a header, and a response without a body does not", async () => {
  const service = await createMemoryService();
  service.load(makeRecords(40), ["Zürich\n", "a.csv"]);
  const headers = { "data-source": "Z%C3%BCrich%0A, a.csv", link: '</>; rel="describedby"' };
  const none = { status: 304, headers: { "data-source": null, link: null } };
  await checkExchanges(
    service.fetch,
    { request: PATH, headers },
    { request: `HEAD ${PATH}?page=last`, headers },
    { request: PATH, requestHeaders: { accept: "text/html" }, headers },
    { request: PATH, requestHeaders: { prefer: "delay=1" }, headers },
    { request: PATH, requestHeaders: { "if-none-match": "*" }, ...none },
    { request: PATH, requestHeaders: { "if-none-match": "*", prefer: "fail=0" }, ...none },
  );
});

const PREFLIGHT = { "access-control-request-method": "GET" };

describe("the rate limit", () => {
  const openLimited = (limit: Env["RATE_LIMITER"] & object, period = "60") =>
    createInstance(store, { settings: { RATE_LIMIT: period, RATE_LIMITER: limit } }).fetch;

  test.each(["10", "60"])(
    "of %s seconds rejects requests, except preflights, long URLs and pages about the service",
    (period) =>
      checkExchanges(
        openLimited({ limit: async () => ({ success: false }) }, period),
        ...["/nothing", PATH, PATH.slice(0, -1), `${PATH}?prefer=code=500`].map((request) => ({
          request,
          status: 429,
          headers: { "retry-after": period, "cache-control": "no-store" },
          body: { detail: `Request was throttled. Expected available in ${period} seconds.` },
        })),
        { request: `${PATH}?${"x".repeat(8_192)}`, status: 414 },
        { request: `OPTIONS ${PATH}`, requestHeaders: PREFLIGHT, status: 204 },
        ...["/", "/healthz"].map((request) => ({ request, requestHeaders: { prefer: "hang" } })),
      ),
  );

  test("allows all requests if the limiter fails, and logs nothing about the client", async () => {
    const fetch = openLimited({ limit: () => Promise.reject(new Error("limiter is down")) });
    await checkExchanges(fetch, { request: PATH, requestHeaders: { "CF-Connecting-IP": "192.0.2.4" } });
    const line = { event: "rate_limiter_failed", reason: "Error: limiter is down", at: expect.any(Array) };
    expect(getLogLines()).toEqual([line]);
    expect(JSON.stringify(getLogLines())).not.toContain("192.0.2.4");
  });

  test.each([
    [undefined, "unknown"],
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::/64"],
    ["2001:db8::1", "2001:0db8:0000:0000::/64"],
    ["2001:DB8::", "2001:0db8:0000:0000::/64"],
    ["2001:0db8:0:0:1::", "2001:0db8:0000:0000::/64"],
    ["1:2:3:4:5:6:7::", "0001:0002:0003:0004::/64"],
    ["::FFFF:192.0.2.1", "0000:0000:0000:0000:0000:ffff:c000:0201"],
    ["::1:2:3:4:5:6:7:8:9", "unknown"],
    ["::1%eth0", "unknown"],
  ])("counts requests from %s with the key %s", async (address, key) => {
    const limit = vi.fn(async () => ({ success: true }));
    const headers = address === undefined ? {} : { "CF-Connecting-IP": address };
    await checkExchanges(openLimited({ limit }), { request: PATH, requestHeaders: headers });
    expect(limit).toHaveBeenCalledExactlyOnceWith({ key });
  });
});
