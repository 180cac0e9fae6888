import ky from "ky";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Service, ServiceOptions } from "../../../tools/package/index.d.ts";
import { makeRecords } from "../../records/sample.ts";
import { importPackage } from "./built.ts";

let createService: (options?: ServiceOptions) => Service;
beforeAll(async () => {
  ({ createService } = await importPackage());
});
afterEach(() => void vi.useRealTimers());

const RECORDS = makeRecords(1_000);
const ORIGIN = "https://counts.example";

const fetchFrom = (service: Service, query = "", init?: RequestInit) =>
  service.fetch(new Request(`${ORIGIN}/api/tf1/records/${query}`, init));
const read = async (service: Service, query = "") => Object(await (await fetchFrom(service, query)).json());

test("the seed is served if nothing else is given", async () => {
  const { count, next } = await read(createService());
  expect([count, next]).toEqual([40_614, `${ORIGIN}/api/tf1/records/?format=api&page=2`]);
});

test("records in any order are served newest first", async () => {
  const service = createService({ records: RECORDS.toReversed() });
  const first = await read(service);
  const last = await read(service, "?page=last");
  expect(first.results[0]).toEqual(RECORDS.at(-1));
  expect(last.results.at(-1)).toEqual(RECORDS[0]);
});

test("wrong records reject ready, fetch and listen with an error that names them", async () => {
  const service = createService({ records: [{ ...RECORDS[0]!, cars: -1 }] });
  const message = "records[0]: cars -1 is not a whole number, 0 or greater\nNothing was loaded.";
  await expect(service.ready).rejects.toThrow(message);
  await expect(fetchFrom(service)).rejects.toThrow(message);
  await expect(service.listen({ port: 0 })).rejects.toThrow(message);
});

test("records are copied when the function is called", async () => {
  const records = makeRecords(20);
  const service = createService({ records });
  records[19]!.cars = -1;
  records.length = 0;
  const { count, results } = await read(service);
  expect([count, results[0]]).toEqual([20, makeRecords(20)[19]]);
});

test.each([
  [{ recrods: RECORDS }, "createService has no option recrods. Its options are records, files, "],
  [{ records: 5 }, "Records must be an array, or anything else that is iterable."],
  [{ records: [], files: [] }, "A service has records or files, not both."],
  [{ publicOrigin: "counts.example" }, 'publicOrigin is "counts.example"; it must be an http or https URL'],
  [{ prefer: "code=5" }, `prefer is "code=5".`],
])("%j is refused", (options, message) => {
  expect(() => createService(options as ServiceOptions)).toThrow(message);
});

describe("fetch takes what the global one takes:", () => {
  const URL_TEXT = `${ORIGIN}/api/tf1/records/?page=2`;
  let service: Service;
  beforeAll(() => {
    service = createService({ records: RECORDS });
  });

  test.each([
    ["a text", URL_TEXT, undefined, 200],
    ["a text with a fragment", `${URL_TEXT}#newest`, undefined, 200],
    ["a URL", new URL(URL_TEXT), { method: "POST" }, 405],
    ["a Request", new Request(URL_TEXT), undefined, 200],
    ["a Request and options", new Request(URL_TEXT), { headers: { Prefer: "code=429" } }, 429],
  ])("%s", async (_, input, init, status) => {
    const response = await service.fetch(input, init);
    expect([response.status, response.url, response.redirected]).toEqual([status, URL_TEXT, false]);
  });

  test("what is no URL rejects as there", async () => {
    const [expected, actual] = await Promise.all(
      [fetch, service.fetch].map((fetch) => fetch("/api/tf1/records/").catch((error) => error)),
    );
    expect(actual).toBeInstanceOf(TypeError);
    expect(actual.message).toBe(expected.message);
  });

  test("redirects are followed, unless the request says otherwise", async () => {
    const path = "/api/tf1/records?page=2";
    const followed = await service.fetch(ORIGIN + path);
    expect([followed.status, followed.url, followed.redirected]).toEqual([200, URL_TEXT, true]);
    expect((await service.fetch(ORIGIN + path, { redirect: "manual" })).status).toBe(301);
    const refused = service.fetch(ORIGIN + path, { redirect: "error" });
    await expect(refused).rejects.toMatchObject({ name: "TypeError", message: "fetch failed" });
  });

  test("a client that takes fetch as an option needs no wrapper", async () => {
    const client = ky.create({ fetch: service.fetch, retry: { limit: 2, delay: () => 1 } });
    service.reset();
    const page = await client(URL_TEXT, {
      searchParams: { prefer: "code=503,times=2,retry-after=none" },
    }).json();
    expect(page).toMatchObject({ count: 1_000 });
    expect(service.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
  });
});

describe("requests", () => {
  test("lists what a client has requested, until reset", async () => {
    const service = createService({ records: RECORDS });
    const { headers } = await fetchFrom(service);
    await fetchFrom(service, "", { headers: { "If-None-Match": headers.get("ETag")! } });
    await fetchFrom(service, "?prefer=code=500,times=1", { method: "HEAD" });
    await fetchFrom(service, "?prefer=close").catch(() => {});
    const seen = service.requests.map(({ url, headers, ...others }) => ({
      ...others,
      query: new URL(url).search,
      condition: headers.get("If-None-Match"),
    }));
    const plain = { method: "GET", query: "", condition: null, status: 200, applied: [] };
    expect(seen).toEqual([
      plain,
      { ...plain, condition: headers.get("ETag"), status: 304 },
      {
        ...plain,
        method: "HEAD",
        query: "?prefer=code=500,times=1",
        status: 500,
        applied: ["code=500", "times=1"],
      },
      { ...plain, query: "?prefer=close", status: null, applied: ["close"] },
    ]);
    service.reset();
    expect(service.requests).toEqual([]);
  });

  test("lists the newest 10,000", async () => {
    const service = createService({ records: [] });
    for (let page = 1; page <= 10_001; page++) await fetchFrom(service, `?page=${page}`);
    expect(service.requests).toHaveLength(10_000);
    expect(service.requests[0]!.url).toMatch(/\?page=2$/);
  });
});

describe("replace", () => {
  test("shows at once", async () => {
    const service = createService({ records: RECORDS });
    await service.replace(RECORDS.slice(0, 30));
    expect((await read(service)).count).toBe(30);
  });

  test("with wrong records keeps the old ones", async () => {
    const service = createService({ records: RECORDS });
    const replaced = service.replace([RECORDS[0]!, RECORDS[0]!]);
    await expect(replaced).rejects.toThrow(`records[1]: id ${RECORDS[0]!.id} already appears in records[0]`);
    expect((await read(service)).count).toBe(1_000);
  });

  test("without an argument brings the first records back", async () => {
    const service = createService({ records: RECORDS });
    const etag = (await fetchFrom(service)).headers.get("ETag");
    await service.replace([]);
    await service.replace();
    expect((await fetchFrom(service)).headers.get("ETag")).toBe(etag);
  });

  test("of what are no records rejects", async () => {
    const service = createService({ records: RECORDS });
    const replaced = service.replace({ records: [] } as never);
    await expect(replaced).rejects.toThrow("Records must be an array, or anything else that is iterable.");
  });

  test.each([
    ["by other records", RECORDS.slice(0, 45), 45],
    ["by the first ones", undefined, 1_000],
  ])("runs after the one before, %s", async (_, records, count) => {
    const service = createService({ records: RECORDS });
    await Promise.all([service.replace(RECORDS.slice(0, 600)), service.replace(records)]);
    expect((await read(service)).count).toBe(count);
  });
});

test("a restart with the same records keeps ETags", async () => {
  const [before, after] = [createService({ records: RECORDS }), createService({ records: RECORDS })];
  const etag = (await fetchFrom(before)).headers.get("ETag")!;
  expect((await fetchFrom(after, "", { headers: { "If-None-Match": etag } })).status).toBe(304);
  const other = createService({ records: RECORDS.slice(1) });
  expect((await fetchFrom(other, "", { headers: { "If-None-Match": etag } })).status).toBe(200);
});

test("two services share nothing, and the globals are unchanged", async () => {
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  const [one, other] = [
    createService({ records: RECORDS }),
    createService({ records: RECORDS.slice(0, 20) }),
  ];
  const page = async (service: Service, path: string) => {
    const headers = { Accept: "text/html" };
    return (await service.fetch(new Request(ORIGIN + path, { headers }))).text();
  };
  for (const path of ["/", "/docs", "/api/tf1/records/"]) {
    const before = await page(other, path);
    await page(one, path);
    expect(await page(other, path)).toBe(before);
  }
  await one.replace([]);
  expect((await read(other)).count).toBe(20);
  const { close } = await one.listen({ port: 0 });
  await close();
  expect(Object.getOwnPropertyDescriptors(globalThis)).toEqual(globals);
});

test("reset forgets what times has counted", async () => {
  const service = createService({ records: RECORDS });
  const read = async () => (await fetchFrom(service, "?prefer=code%3D500,times%3D1")).status;
  const statuses = [await read(), await read()];
  service.reset();
  expect([...statuses, await read()]).toEqual([500, 200, 500]);
});

test.each(["GET", "HEAD"])(
  "fetch rejects %s as a closed connection does, until the retry",
  async (method) => {
    const service = createService({ records: RECORDS });
    const ask = () => fetchFrom(service, "?prefer=close,times=1", { method });
    const failure = await ask().catch((error) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect([failure.message, failure.cause.code]).toEqual(["fetch failed", "UND_ERR_SOCKET"]);
    expect((await ask()).status).toBe(200);
  },
);

test("a body that is cut rejects as that of the global fetch does", async () => {
  const service = createService({ records: RECORDS });
  const { headers, body } = await fetchFrom(service, "?prefer=body=cut");
  expect(headers.get("Content-Encoding")).toBeNull();
  const received: Uint8Array[] = [];
  const reading = Array.fromAsync(body!, (chunk) => received.push(chunk));
  const cause = { code: "UND_ERR_SOCKET" };
  await expect(reading).rejects.toMatchObject({ name: "TypeError", message: "terminated", cause });
  expect(received).toHaveLength(1);
  expect(Number(headers.get("Content-Length"))).toBeGreaterThan(received[0]!.length);
});

describe("the clock", () => {
  const now = Date.parse("2024-06-01T12:00:00Z");

  test("decides until", async () => {
    let time = now;
    const service = createService({ records: RECORDS, now: () => time });
    const query = "?prefer=code%3D500,until%3D2024-06-01T12:00:01Z";
    expect((await fetchFrom(service, query)).status).toBe(500);
    time += 1_000;
    expect((await fetchFrom(service, query)).status).toBe(200);
  });

  test("decides the count that grow shows", async () => {
    let time = now;
    const service = createService({ records: RECORDS, now: () => time });
    const { count } = await read(service, "?prefer=grow%3D1/m");
    time += 60_000;
    expect((await read(service, "?prefer=grow%3D1/m")).count).not.toBe(count);
  });
});

describe("a request that is aborted", () => {
  test.each(["hang", "delay=10000"])("ends the wait of %s", async (fault) => {
    const service = createService({ records: RECORDS });
    await service.ready;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const controller = new AbortController();
    const response = fetchFrom(service, `?prefer=${encodeURIComponent(fault)}`, {
      signal: controller.signal,
    });
    await vi.waitUntil(() => vi.getTimerCount() === 1);
    controller.abort();
    await expect(response).rejects.toThrow("aborted");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends a body that takes time", async () => {
    const service = createService({ records: RECORDS });
    const reason = new Error("enough");
    const controller = new AbortController();
    const { signal } = controller;
    const { body } = await fetchFrom(service, "?prefer=body=slow", { signal });
    const reader = body!.getReader();
    await reader.read();
    controller.abort(reason);
    await expect(reader.read()).rejects.toBe(reason);
  });

  test("before it begins is not received", async () => {
    const service = createService({ records: RECORDS });
    const response = fetchFrom(service, "", { signal: AbortSignal.abort() });
    await expect(response).rejects.toMatchObject({ name: "AbortError" });
    expect(service.requests).toEqual([]);
  });
});
