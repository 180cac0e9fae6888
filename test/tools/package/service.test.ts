import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CSV_HEADER } from "../../../data/formats/csv.ts";
import type { Service, ServiceOptions } from "../../../tools/package/index.d.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { importPackage } from "./built-package.ts";

const { createService } = await importPackage();
afterEach(() => vi.restoreAllMocks());

const RECORDS = makeRecords(1_000);
const ORIGIN = "https://counts.example";
const PATH = `${ORIGIN}/api/tf1/records/`;

const create = (options: ServiceOptions = {}) => createService({ records: RECORDS, ...options });
const read = async (service: Service, query = "") => Object(await (await service.fetch(PATH + query)).json());
const readEtag = async (service: Service) => (await service.fetch(PATH)).headers.get("ETag") ?? "";

describe("the collection", () => {
  test("is the seed if nothing else is given", async () => {
    const { count, next } = await read(createService());
    expect([count, next]).toEqual([40_614, `${PATH}?format=api&page=2`]);
  });

  test("of records in any order is served newest first, with their source", async () => {
    const service = create({ records: RECORDS.toReversed() });
    expect((await service.fetch(PATH)).headers.get("Data-Source")).toBe("records of a program");
    expect((await read(service)).results[0]).toEqual(RECORDS.at(-1));
    expect((await read(service, "?page=last")).results.at(-1)).toEqual(RECORDS[0]);
  });

  test("is a copy of the records when the function is called", async () => {
    const records = makeRecords(20);
    const service = create({ records });
    records[19]!.cars = -1;
    records.length = 0;
    const { count, results } = await read(service);
    expect([count, results[0]]).toEqual([20, makeRecords(20)[19]]);
  });

  test("with wrong records rejects ready, fetch and listen with an error that names them", async () => {
    const service = create({ records: [{ ...RECORDS[0]!, cars: -1 }] });
    const message = "records[0]: cars -1 is not a whole number, 0 or greater\nNothing was loaded.";
    for (const promise of [service.ready, service.fetch(PATH), service.listen({ port: 0 })])
      await expect(promise).rejects.toThrow(message);
  });

  test("has the same ETags after a restart with the same records", async () => {
    const etag = await readEtag(create());
    const statuses = [create(), create({ records: RECORDS.slice(1) })].map(
      async (service) => (await service.fetch(PATH, { headers: { "If-None-Match": etag } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([304, 200]);
  });
});

test.each([
  [{ recrods: RECORDS }, "createService has no option recrods. Its options are records, files, "],
  [null, "createService takes an object with options."],
  ["counts.csv", "createService takes an object with options."],
  [{ records: 5 }, "The option records must be an array or another iterable."],
  [{ files: "counts.csv" }, "The option files must be an array of paths."],
  [{ files: [1] }, "The option files must be an array of paths."],
  [{ records: [], files: [] }, "A service has records or files, not both."],
  [{ modelName: "tf2" }, 'The option modelName must be "tf1".'],
  [{ now: 5 }, "The option now must be a function."],
  [{ publicOrigin: 5 }, "The option publicOrigin must be a text."],
  [{ publicOrigin: "counts.example" }, 'publicOrigin is "counts.example"; it must be an http or https URL'],
  [{ prefer: null }, "The option prefer must be a text."],
  [{ prefer: "code=5" }, `prefer is "code=5".`],
])("%j is refused", (options, message) => {
  expect(() => createService(options as ServiceOptions)).toThrow(message);
});

test("modelName serves files of another model as of this one", async () => {
  const file = join(createFolder(), "other.csv");
  await writeFile(file, `${CSV_HEADER}1,1,a,2019-01-01T00:00:00Z,,1,0,0,0,0,0,tf2\n`);
  const rejected = createService({ files: [file] }).ready;
  await expect(rejected).rejects.toThrow(/--model-name tf1 loads files of other models as such\.\n.*"tf2"/);
  const service = createService({ files: [file], modelName: "tf1" });
  expect((await read(service)).results[0].model_name).toBe("tf1");
});

test.each([
  ["counts.example", 200],
  ["my_counts.example:8080", 200],
  ["[::1]:8787", 200],
  ["a';id;'b", 400],
  ["a$(id)b", 400],
])("requests of the host %s get %i", async (host, status) => {
  for (const path of ["/api/tf1/records/", "/robots.txt"])
    expect((await create().fetch(`http://${host}${path}`)).status).toBe(status);
});

describe("requests", () => {
  test("lists what a client has requested, until reset, which also forgets what was counted", async () => {
    const service = create();
    const failing = () => service.fetch(`${PATH}?prefer=code=500,times=1`, { method: "HEAD" });
    const condition = await readEtag(service);
    await service.fetch(PATH, { headers: { "If-None-Match": condition } });
    await failing();
    await service.fetch(`${PATH}?prefer=close`).catch(() => {});
    const seen = service.requests.map(({ method, url, headers, status, applied }) => [
      `${method} ${new URL(url).search}`,
      headers.get("If-None-Match"),
      status,
      applied,
    ]);
    expect(seen).toEqual([
      ["GET ", null, 200, []],
      ["GET ", condition, 304, []],
      ["HEAD ?prefer=code=500,times=1", null, 500, ["code=500", "times=1"]],
      ["GET ?prefer=close", null, null, ["close"]],
    ]);
    service.reset();
    expect(service.requests).toEqual([]);
    expect((await failing()).status).toBe(500);
  });

  test("lists the newest ones, until they take about 10 MB", async () => {
    const service = create({ records: [] });
    const read = async (from: number, to: number, headers = {}) => {
      for (let page = from; page <= to; page++) await service.fetch(`${PATH}?page=${page}`, { headers });
    };
    const headers = Object.fromEntries(
      Array.from({ length: 850 }, (_, index) => [`x-${index}`, "a".repeat(10)]),
    );
    await read(1, 200, headers);
    expect(service.requests).toHaveLength(101);
    expect(service.requests[0]!.url).toMatch(/\?page=100$/);
    service.reset();
    await read(1, 101, headers);
    expect(service.requests).toHaveLength(101);
  });

  test("lists nothing if the command watches the responses itself", async () => {
    const hooks = { onResponse: vi.fn() };
    const service: Service = Reflect.apply(createService, undefined, [{ records: RECORDS }, hooks]);
    await service.fetch(PATH);
    expect(service.requests).toEqual([]);
    expect(hooks.onResponse).toHaveBeenCalledOnce();
  });
});

describe("replace", () => {
  test.each([
    ["of other records shows them at once", RECORDS.slice(0, 45), 45],
    ["without an argument brings the first records back", undefined, 1_000],
  ])("%s, also while another one runs", async (_, records, count) => {
    const service = create();
    const etag = await readEtag(service);
    await Promise.all([service.replace(RECORDS.slice(0, 600)), service.replace(records)]);
    expect((await read(service)).count).toBe(count);
    expect((await readEtag(service)) === etag).toBe(records === undefined);
  });

  test.each([
    [
      "wrong records",
      [RECORDS[0]!, RECORDS[0]!],
      `records[1]: id ${RECORDS[0]!.id} already appears in records[0]`,
    ],
    ["what are no records", {}, "The option records must be an array or another iterable."],
  ])("of %s rejects, and keeps the old ones", async (_, records, message) => {
    const service = create();
    await expect(service.replace(records as never)).rejects.toThrow(message);
    expect((await read(service)).count).toBe(1_000);
  });
});

test("two services share nothing, and the globals are unchanged", async () => {
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  const [one, other] = [create(), create({ records: RECORDS.slice(0, 20) })];
  const fetchHtml = async (service: Service, path: string) =>
    (await service.fetch(ORIGIN + path, { headers: { Accept: "text/html" } })).text();
  for (const path of ["/", "/docs", "/api/tf1/records/"]) {
    const before = await fetchHtml(other, path);
    await fetchHtml(one, path);
    expect(await fetchHtml(other, path)).toBe(before);
  }
  await one.replace([]);
  expect((await read(other)).count).toBe(20);
  const { close } = await one.listen({ port: 0 });
  await close();
  expect(Object.getOwnPropertyDescriptors(globalThis)).toEqual(globals);
});

test("prefer can be set at any time, and counts anew", async () => {
  const service = create();
  const ask = async () => (await service.fetch(PATH)).status;
  for (const prefer of ["code=503,times=1", "code=504,times=1"]) {
    service.prefer = prefer;
    expect([service.prefer, await ask(), await ask()]).toEqual([prefer, Number(prefer.slice(5, 8)), 200]);
  }
  expect(() => Object.assign(service, { prefer: "code=5" })).toThrow(`prefer is "code=5".`);
  expect(() => Object.assign(service, { prefer: null })).toThrow("The option prefer must be a text.");
});

test("the given clock decides when a fault ends", async () => {
  let time = Date.parse("2024-06-01T12:00:00Z");
  const service = create({ now: () => time, prefer: "code=500,until=2024-06-01T12:00:01Z" });
  expect((await service.fetch(PATH)).status).toBe(500);
  time += 1_000;
  expect((await service.fetch(PATH)).status).toBe(200);
});

describe("in process", () => {
  const ask = (service: Service, prefer: string, init?: RequestInit) =>
    service.fetch(`${PATH}?prefer=${prefer}`, init);

  test.each([
    ["hang", "application/json"],
    ["body=slow,delay=10000", "text/html"],
  ])("100 responses wait at a time until their client leaves: %s", async (prefer, Accept) => {
    const service = create();
    const client = new AbortController();
    const init = { headers: { Accept }, signal: client.signal };
    for (let n = 0; n < 100; n++) ask(service, prefer, init).catch(() => {});
    await expect.poll(() => service.requests.length).toBe(100);
    const rejected = await ask(service, "delay=1");
    expect([rejected.status, rejected.headers.get("Mock-Warning")]).toEqual([
      503,
      "At most 100 responses wait at a time, 50 of them for one client address.",
    ]);
    client.abort();
    expect((await ask(service, "delay=1")).status).toBe(200);
  });

  test.each([
    ["GET", "body=slow,delay=10000"],
    ["HEAD", "body=slow,delay=10000"],
    ["GET", "close,body=slow"],
  ])("%s with %s keeps no place after it was cancelled", async (method, prefer) => {
    const service = create();
    const cancel = ({ body }: Response) => body?.cancel();
    await Promise.all(
      Array.from({ length: 100 }, () => ask(service, prefer, { method }).then(cancel, () => {})),
    );
    expect((await ask(service, "delay=1")).status).toBe(200);
  });
});

describe("a request that is aborted", () => {
  test("ends its wait", async () => {
    const service = create();
    await service.ready;
    // Connections of other tests have timers too.
    const [start, end] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    const findWaitTimer = () => start.mock.calls.findIndex(([, milliseconds]) => milliseconds === 60_000);
    const controller = new AbortController();
    const response = service.fetch(`${PATH}?prefer=hang`, { signal: controller.signal });
    await expect.poll(findWaitTimer).toBeGreaterThanOrEqual(0);
    controller.abort();
    await expect(response).rejects.toThrow("aborted");
    expect(end).toHaveBeenCalledWith(start.mock.results[findWaitTimer()]?.value);
  });

  test("before it begins is not received", async () => {
    const service = create();
    const response = service.fetch(PATH, { signal: AbortSignal.abort() });
    await expect(response).rejects.toMatchObject({ name: "AbortError" });
    expect(service.requests).toEqual([]);
  });
});
