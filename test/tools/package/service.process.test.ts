import assert from "node:assert/strict";
import { resolve } from "node:path";
import { inspect } from "node:util";
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import type { NumberOrRange } from "../../../src/faults/option-syntax.ts";
import type { OptionValues } from "../../../src/faults/option-table.ts";
import type { Prefer, PreferOptions, Service, ServiceOptions } from "../../../tools/package/index.d.ts";
import { runProcess } from "../../support/run-command.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { importPackage } from "./built-package.ts";

const { createService } = await importPackage();

const RECORDS = makeRecords(1_000);
const ORIGIN = "https://counts.example";
const PATH = `${ORIGIN}/api/tf1/records/`;

const create = (options: ServiceOptions = {}) => createService({ records: RECORDS, ...options });
const read = async (service: Service, query = "") => Object(await (await service.fetch(PATH + query)).json());
const readEtag = async (service: Service) => (await service.fetch(PATH)).headers.get("ETag") ?? "";

describe("the collection", () => {
  test.each(["records", "pages"])("is a copy of the %s at the time of the call", async (kind) => {
    const records = makeRecords(20);
    const page = { count: 20, next: null, previous: null, results: records };
    const input = kind === "records" ? records : [page];
    const service = create({ records: input });
    const replaced = create({ records: [] });
    const replacing = replaced.replace(input);
    records[19]!.cars = -1;
    records.length = 0;
    input.length = 0;
    await replacing;
    for (const { count, results } of [await read(service), await read(replaced)])
      expect([count, results[0]]).toEqual([20, makeRecords(20)[19]]);
    expect((await service.fetch(PATH)).headers.get("Data-Source")).toBe("records of a program");
  });

  // biome-ignore format: a table of cases
  test.each([
    ["records: the pages contain 1 different record", [{ count: 2, next: null, previous: null, results: [RECORDS[0]] }]],
    ["records[0]: 5 is not a record", [5]],
    ["records[1]: id 1n is not a whole number", [RECORDS[0], { ...RECORDS[1], id: 1n }]],
    ["records[0]: cars NaN is not a whole number", [{ ...RECORDS[0], cars: Number.NaN }]],
  ])("rejects with %s", async (message, records) => {
    await expect(create({ records: records as never }).ready).rejects.toThrow(message);
  });

  test.each<[string, (service: Service) => Promise<unknown>]>([
    ["ready", ({ ready }) => ready],
    ["fetch", ({ fetch }) => fetch(PATH)],
    ["listen", ({ listen }) => listen({ port: 0 })],
  ])("with an invalid record rejects %s with the record, the field and the value", async (_, use) => {
    const service = create({ records: [{ ...RECORDS[0]!, cars: -1 }] });
    await expect(use(service)).rejects.toThrow("records[0]: cars -1 ");
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
  { name: "an unknown option", options: { recrods: RECORDS }, expected: "recrods" },
  { name: "a path instead of options", options: "counts.csv", expected: "expected object" },
  { name: "records that cannot be iterated", options: { records: 5 }, expected: "at records" },
  { name: "a single file", options: { files: "counts.csv" }, expected: "at files" },
  { name: "no file", options: { files: [] }, expected: "It must name a file" },
  { name: "records and files", options: { records: [], files: [] }, expected: "not both" },
  { name: "another model", options: { modelName: "tf2" }, expected: "at modelName" },
  { name: "a clock that is a time", options: { now: 5 }, expected: "at now" },
  { name: "a clock that returns a Date", options: { now: () => new Date() }, expected: "at now" },
  { name: "an origin without a scheme", options: { publicOrigin: "a" }, expected: "publicOrigin" },
  { name: "faults that are null", options: { prefer: null }, expected: "at prefer" },
  { name: "an invalid fault in a string", options: { prefer: "code=5" }, expected: "code=5 is invalid" },
])("createService names what is wrong with $name", ({ options, expected }) => {
  expect(() => createService(options as ServiceOptions)).toThrow(expected);
});

test.each([
  8955,
  "8955",
  null,
  { prot: 8955 },
  { port: "8955" },
  { port: -1 },
  { port: 65_536 },
  { host: "" },
  { key: "key.pem" },
  { cert: "line\n", key: "line\n" },
])("listen(%j) is an error, and opens no port", async (options) => {
  await expect(create().listen(options as never)).rejects.toThrow(TypeError);
});

test.each([{ requests: [] }, { faults: "off" }, { now: Date.now }])("a service cannot get %o", (members) => {
  expect(() => Object.assign(create(), members)).toThrow(TypeError);
});

test("the methods of a service can be replaced by spies", async () => {
  const service = create();
  const spies = [
    vi.spyOn(service, "fetch").mockResolvedValue(new Response("spy")),
    vi.spyOn(service, "reset"),
  ];
  service.reset();
  expect(await (await service.fetch(PATH)).text()).toBe("spy");
  for (const spy of spies) expect(spy).toHaveBeenCalledOnce();
});

test("records of another model are served as tf1 with modelName, also after replace", async () => {
  const others = RECORDS.slice(0, 2).map((record) => ({ ...record, model_name: "tf2" as never }));
  const service = create({ records: others, modelName: "tf1" });
  expect((await read(service)).results).toEqual(RECORDS.slice(0, 2).toReversed());
  await service.replace(others.slice(1));
  expect((await read(service)).results).toEqual([RECORDS[1]]);
});

test.each([
  ["counts.example", 200],
  ["my_counts.example:8080", 200],
  ["[::1]:8787", 200],
  ["a';id;'b", 400],
  ["a$(id)b", 400],
])("requests of the host %s get %i", async (host, status) => {
  const urls = ["/api/tf1/records/", "/robots.txt"].map((path) => `http://${host}${path}`);
  const requests = urls.map((url) => create().fetch(url));
  expect((await Promise.all(requests)).map((response) => response.status)).toEqual([status, status]);
});

describe("requests", () => {
  test("are listed as plain values until reset, which also resets the counts of times", async () => {
    const service = create();
    const fail = () => service.fetch(`${PATH}?prefer=code=500,times=1`, { method: "HEAD" });
    const condition = await readEtag(service);
    await service.fetch(`${PATH}#newest`, { headers: { "If-None-Match": condition } });
    await fail();
    await service.fetch(`${PATH}?prefer=close`).catch(() => {});
    const received = service.requests.map(({ method, url, headers, status, applied }) => [
      `${method} ${url.replace(PATH, "")}`,
      headers,
      status,
      applied,
    ]);
    expect(received).toEqual([
      ["GET ", {}, 200, []],
      ["GET ", { "if-none-match": condition }, 304, []],
      ["HEAD ?prefer=code=500,times=1", {}, 500, ["code=500", "times=1"]],
      ["GET ?prefer=close", {}, null, ["close"]],
    ]);
    for (const copy of [structuredClone(service.requests), JSON.parse(JSON.stringify(service.requests))])
      assert.deepStrictEqual(copy, service.requests);
    expect(inspect(service.requests)).toContain("if-none-match");
    service.reset();
    expect(service.requests).toEqual([]);
    expect((await fail()).status).toBe(500);
  });

  test("are listed with their rule while they wait, and then with what had an effect, at the real time", async () => {
    const service = create({ now: () => 0 });
    const list = () => service.requests.map(({ status, applied }) => [status, applied]);
    const client = new AbortController();
    const left = service.fetch(`${PATH}?prefer=hang,times=1`, { signal: client.signal });
    await expect.poll(list).toEqual([[null, ["hang", "times=1"]]]);
    client.abort();
    await expect(left).rejects.toThrow();
    vi.useFakeTimers({ toFake: ["Date"], now: 5 });
    await service.fetch(`${PATH}?page=last&prefer=next=null,delay=1`);
    vi.useRealTimers();
    expect(list()).toEqual([
      [null, ["hang", "times=1"]],
      [200, ["delay=1"]],
    ]);
    expect(service.requests.map(({ receivedAt }) => receivedAt)).toEqual([expect.any(Number), 5]);
  });

  test("are listed with their changes and warnings: what a client must report, and why an option has no effect", async () => {
    const service = create();
    const { results } = await read(service, "?page=2");
    const headers = { Prefer: "dealy=5, rows=drop, record=null, on=2,9, seed=4" };
    const sent = await (await service.fetch(`${PATH}?page=2&perfer=code=503`, { headers })).json();
    const { applied, changes, warnings } = service.requests.at(-1)!;
    expect(applied).toEqual(["rows=drop", "record=null", "on=2,9", "seed=4"]);
    const [dropped, nulled] = changes;
    expect(results[dropped!.record! - 1]).toMatchObject({ id: dropped!.from });
    const { record, id, field, from } = nulled!;
    expect(sent.results[record! - 1]).toMatchObject({ id, [field!]: null });
    expect(results.find((one: { id: number }) => one.id === id)[field!]).toBe(from);
    assert.deepStrictEqual(changes, [
      { option: "rows", record: dropped!.record, from: dropped!.from },
      { option: "record", record, id, field, from, to: null },
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/^dealy=5 /),
      expect.stringMatching(/^perfer=code=503 /),
    ]);
  });
});

describe("replace", () => {
  test.each([
    ["shows new records immediately", RECORDS.slice(0, 45), 45],
    ["without an argument restores the initial records", undefined, 1_000],
  ])("%s, even while a previous call runs", async (_, records, count) => {
    const service = create();
    const etag = await readEtag(service);
    await Promise.all([service.replace(RECORDS.slice(0, 600)), service.replace(records)]);
    expect((await read(service)).count).toBe(count);
    expect((await readEtag(service)) === etag).toBe(records === undefined);
  });

  test.each([
    ["two equal records", [RECORDS[0]!, RECORDS[0]!], `records[1]: id ${RECORDS[0]!.id} already appears in`],
    ["an object", {}, "It must be an array or another iterable"],
  ])("with %s rejects, and the previous records stay", async (_, records, message) => {
    const service = create();
    await expect(service.replace(records as never)).rejects.toThrow(message);
    expect((await read(service)).count).toBe(1_000);
  });
});

test("two services share nothing, and leave the globals unchanged", async () => {
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  const [one, other] = [create(), create({ records: RECORDS.slice(0, 20) })];
  await one.replace([]);
  expect([(await read(one)).count, (await read(other)).count]).toEqual([0, 20]);
  const { close } = await one.listen({ port: 0 });
  await close();
  expect(Object.getOwnPropertyDescriptors(globalThis)).toEqual(globals);
});

test("fetch works with the Response of happy-dom, which has no bytes()", async () => {
  vi.spyOn(Response.prototype, "bytes").mockRejectedValue(new TypeError("not a function"));
  const service = create();
  expect((await read(service)).count).toBe(1_000);
  expect((await service.fetch(PATH, { method: "HEAD" })).status).toBe(200);
});

test("the type of faults is that of the parser, but a flag can be false, a range a text, and a list `as const`", () => {
  type Flag = "hang" | "close" | "none";
  type Range = NumberOrRange | `${number}-${number}`;
  type Ranges = { delay?: Range | undefined; on?: readonly (Range | "last")[] | undefined };
  type Value = Omit<OptionValues, Flag | "delay" | "on"> & Ranges;
  expectTypeOf<Omit<PreferOptions, Flag>>().branded.toEqualTypeOf<Value>();
  expectTypeOf([{ code: 503, on: [1, "last"] }, { delay: { min: 1, max: 2 } }] as const).toExtend<Prefer>();
  expectTypeOf<Pick<PreferOptions, Flag>>().toEqualTypeOf<{ [Name in Flag]?: boolean | undefined }>();
});

test.each<{ prefer: Prefer; expected: string }>([
  { prefer: "code=503,times=1,else,count=1", expected: "code=503, times=1, else, count=1" },
  { prefer: [{ code: 503, times: 1 }, { count: 1 }], expected: "code=503, times=1, else, count=1" },
  {
    prefer: { code: 503, times: 1, until: new Date("2030-01-01"), delay: { min: 0, max: 1 } },
    expected: "code=503, delay=0-1, until=2030-01-01T00:00:00Z, times=1",
  },
])("prefer can be set to $prefer, which resets the counts of times", async ({ prefer, expected }) => {
  const service = create({ prefer });
  const getStatus = async () => (await service.fetch(PATH)).status;
  expect([await getStatus(), await getStatus(), service.prefer]).toEqual([503, 200, expected]);
  service.prefer = prefer;
  expect([await getStatus(), await getStatus(), service.prefer]).toEqual([503, 200, expected]);
  service.prefer = "";
  expect([await getStatus(), service.prefer]).toEqual([200, ""]);
});

test.each(["code=5", null, undefined])("prefer cannot be set to %j, and keeps its value", (invalid) => {
  const service = create({ prefer: "code=503" });
  expect(() => Object.assign(service, { prefer: invalid })).toThrow("prefer");
  expect(service.prefer).toBe("code=503");
});

test.each<[string, (service: Service) => unknown]>([
  ["a reset", (service) => service.reset()],
  ["new records", (service) => service.replace()],
  ["a new value of prefer", (service) => Object.assign(service, { prefer: service.prefer })],
])("a growing collection begins with half of its records, and again after %s", async (_, beginAnew) => {
  let time = 1_234_567;
  const service = create({ now: () => time, prefer: { grow: { records: 15, per: "s" } } });
  const count = async () => Object(await (await service.fetch(PATH)).json()).count;
  const first = await count();
  time += 10_000;
  expect(await count()).toBe(first + 150);
  await beginAnew(service);
  expect(await count()).toBe(first);
});

type Leave = (client: AbortController, response: Promise<Response>) => unknown;
const abort: Leave = (client) => client.abort();

test.each<[string, string, Leave, accept?: string]>([
  ["hang", "aborts", abort],
  ["body=slow,delay=10000", "aborts", abort],
  ["body=slow,delay=10000", "aborts, which is a browser", abort, "text/html"],
  ["body=slow,delay=10000", "cancels the body", async (_, response) => (await response).body?.cancel()],
])(
  "%s waits until the client %s, and logs nothing",
  async (prefer, _, leave, accept = "application/json") => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const log = vi.spyOn(console, "error");
    const client = new AbortController();
    const init = { signal: client.signal, headers: { Accept: accept } };
    const response = create().fetch(`${PATH}?prefer=${prefer}`, init);
    response.catch(() => {});
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    await leave(client, response);
    expect(vi.getTimerCount()).toBe(0);
    await response.catch(() => {});
    expect(log).not.toHaveBeenCalled();
  },
);

describe("a process", () => {
  const run = async (code: string) => {
    const script = `import { createService } from ${JSON.stringify(resolve("dist/package/index.js"))};
      const service = createService({ records: [] });
      const fetch = (fault, init) => service.fetch("${PATH}?prefer=" + fault, init);
      ${code}`;
    const startedAt = performance.now();
    const { status, stdout } = await runProcess(process.execPath, ["--input-type=module", "--eval", script]);
    return { status, stdout, isFast: performance.now() - startedAt < 30_000 };
  };

  // biome-ignore format: a table of cases
  test.each([
    ["continues after invalid records", "createService({ records: [{}] }); setTimeout(() => console.log('alive'), 100);", "alive\n"],
    ["waits for a hang", "setTimeout(service.reset, 500).unref(); await fetch('hang').catch(({ cause }) => console.log(cause.code));", "UND_ERR_SOCKET\n"],
    ["waits for a client's timeout",
      "await fetch('hang', { signal: AbortSignal.timeout(500) }).catch(({ name }) => console.log(name));", "TimeoutError\n"],
    ["ends when its server is closed although a request hangs",
      `const { url, close } = await service.listen({ port: 0 });
       const hang = globalThis.fetch(url + "/api/tf1/records/?prefer=hang").catch(({ message }) => console.log(message));
       while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
       await close();
       await hang;`, "fetch failed\n"],
  ])("%s", async (_, code, stdout) => {
    expect(await run(code)).toEqual({ status: 0, stdout, isFast: true });
  });
});

test("a request that is aborted before the call is not received", async () => {
  const service = create();
  await service.fetch(PATH, { signal: AbortSignal.abort() }).catch(() => {});
  expect(service.requests).toEqual([]);
});
