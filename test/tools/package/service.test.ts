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

  test("runs after the one before", async () => {
    const service = createService({ records: RECORDS });
    await Promise.all([service.replace(RECORDS.slice(0, 600)), service.replace(RECORDS.slice(0, 45))]);
    expect((await read(service)).count).toBe(45);
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
});
