import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { expect, expectTypeOf, test, vi } from "vitest";
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

test.each(["records", "pages"])("the collection is a copy of the %s at the call", async (kind) => {
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

const invalid = [{ ...RECORDS[0]!, cars: -1 }];
const CALLS: Record<string, (value: never) => unknown> = {
  createService: (options) => createService(options).ready,
  listen: (options) => create().listen(options),
  replace: (records) => create().replace(records),
  "a change": async (members) => Object.assign(create(), members),
  fetch: (records) => create({ records }).fetch(PATH),
  "listen with": (records) => create({ records }).listen({ port: 0 }),
};

// biome-ignore format: a table of cases
test.each<readonly [call: string, value: unknown, expected: string | typeof TypeError]>([
  ["createService", { recrods: RECORDS }, "recrods"],
  ["createService", "counts.csv", "expected object"],
  ["createService", { records: 5 }, "at records"],
  ["createService", { files: "counts.csv" }, "at files"],
  ["createService", { files: [] }, "It must name a file"],
  ["createService", { records: [], files: [] }, "not both"],
  ["createService", { modelName: "tf2" }, "at modelName"],
  ["createService", { now: 5 }, "at now"],
  ["createService", { now: () => new Date() }, "at now"],
  ["createService", { publicOrigin: "a" }, "The public origin is"],
  ["createService", { prefer: null }, "at prefer"],
  ["createService", { prefer: "code=5" }, "code=5 is invalid"],
  ["createService", { records: [{ count: 2, next: null, previous: null, results: [RECORDS[0]] }] }, "records: the pages contain 1 different record"],
  ["createService", { records: [5] }, "records[0]: 5 is not a record"],
  ["createService", { records: [RECORDS[0], { ...RECORDS[1], id: 1n }] }, "records[1]: id 1n is not a whole number"],
  ["createService", { records: [{ ...RECORDS[0], cars: Number.NaN }] }, "records[0]: cars NaN is not a whole number"],
  ["createService", { records: invalid }, "records[0]: cars -1 "],
  ["fetch", invalid, "records[0]: cars -1 "],
  ["listen with", invalid, "records[0]: cars -1 "],
  ...[8955, "8955", null, { prot: 8955 }, { port: "8955" }, { port: -1 }, { port: 65_536 }].map((options) => ["listen", options, TypeError] as const),
  ...[{ host: "" }, { key: "key.pem" }, { cert: "line\n", key: "line\n" }].map((options) => ["listen", options, TypeError] as const),
  ...[{ requests: [] }, { faults: "off" }, { now: Date.now }].map((members) => ["a change", members, TypeError] as const),
  ...["code=5", null, undefined].map((prefer) => ["a change", { prefer }, "prefer"] as const),
  ["replace", [RECORDS[0]!, RECORDS[0]!], `records[1]: id ${RECORDS[0]!.id} already appears in`],
  ["replace", {}, "It must be an array or another iterable"],
])("%s of %o is an error with the reason", async (call, value, expected) => {
  await expect((async () => CALLS[call]?.(value as never))()).rejects.toThrow(expected);
});

test("after an error, faults and records stay", async () => {
  const service = create({ prefer: "code=503" });
  expect(() => Object.assign(service, { prefer: "code=5" })).toThrow("code=5");
  await expect(service.replace(invalid)).rejects.toThrow("cars");
  expect([service.prefer, (await read(service, "?prefer=none")).count]).toEqual(["code=503", 1_000]);
});

test("the methods of a service can be replaced by spies", async () => {
  const service = create();
  vi.spyOn(service, "fetch").mockResolvedValue(new Response("spy"));
  expect(await (await service.fetch(PATH)).text()).toBe("spy");
});

test("records of another model are served as tf1 with modelName, also after replace", async () => {
  const others = RECORDS.slice(0, 2).map((record) => ({ ...record, model_name: "tf2" as never }));
  const service = create({ records: others, modelName: "tf1" });
  expect((await read(service)).results).toEqual(RECORDS.slice(0, 2).toReversed());
  await service.replace(others.slice(1));
  expect((await read(service)).results).toEqual([RECORDS[1]]);
});

test("requests are listed as plain values until reset, which also resets the counts of times", async () => {
  const service = create();
  const fail = () => service.fetch(`${PATH}?prefer=code=500,times=1`, { method: "HEAD" });
  const condition = await readEtag(service);
  await service.fetch(`${PATH}#newest`, { headers: { "If-None-Match": condition } });
  await fail();
  await service.fetch(`${PATH}?prefer=rows=drop`);
  await service.fetch(`${PATH}?prefer=close`).catch(() => {});
  await service.fetch(PATH, { signal: AbortSignal.abort() }).catch(() => {});
  const received = service.requests.map(({ method, url, headers, status, applied }) =>
    [method, url.replace(PATH, ""), JSON.stringify(headers), status, ...applied].join(" "),
  );
  expect(received).toEqual([
    "GET  {} 200",
    `GET  ${JSON.stringify({ "if-none-match": condition })} 304`,
    "HEAD ?prefer=code=500,times=1 {} 500 code=500 times=1",
    "GET ?prefer=rows=drop {} 200 rows=drop",
    "GET ?prefer=close {}  close",
  ]);
  for (const copy of [structuredClone(service.requests), JSON.parse(JSON.stringify(service.requests))])
    expect(copy).toStrictEqual(service.requests);
  expect(inspect(service.requests)).toContain("if-none-match");
  service.reset();
  expect(service.requests).toEqual([]);
  expect((await fail()).status).toBe(500);
});

test("requests are listed with their rule while they wait, and then with what had an effect, at the real time", async () => {
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

test("replace shows new records, or the initial ones with their ETags, even while a previous call runs", async () => {
  const service = create();
  const etag = await readEtag(service);
  expect(await readEtag(create()), "after a restart").toBe(etag);
  await Promise.all([service.replace(RECORDS.slice(0, 600)), service.replace(RECORDS.slice(0, 45))]);
  expect([(await read(service)).count, (await readEtag(service)) === etag]).toEqual([45, false]);
  await Promise.all([service.replace(RECORDS.slice(0, 600)), service.replace()]);
  expect(await readEtag(service)).toBe(etag);
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

// biome-ignore format: a table of cases
test.each<{ prefer: Prefer; expected: string }>([
  { prefer: "code=503,times=1,else,count=1", expected: "code=503, times=1, else, count=1" },
  { prefer: [{ code: 503, times: 1 }, { count: 1 }], expected: "code=503, times=1, else, count=1" },
  { prefer: { code: 503, times: 1, until: new Date("2030-01-01"), delay: { min: 0, max: 1 } }, expected: "code=503, delay=0-1, until=2030-01-01T00:00:00Z, times=1" },
])("prefer can be set to $prefer, which resets the counts of times", async ({ prefer, expected }) => {
  const service = create({ prefer });
  const getStatus = async () => (await service.fetch(PATH)).status;
  expect([await getStatus(), await getStatus(), service.prefer]).toEqual([503, 200, expected]);
  service.prefer = prefer;
  expect([await getStatus(), await getStatus(), service.prefer]).toEqual([503, 200, expected]);
  service.prefer = "";
  expect([await getStatus(), service.prefer]).toEqual([200, ""]);
});

test.each<[string, (service: Service) => unknown]>([
  ["a reset", (service) => service.reset()],
  ["new records", (service) => service.replace()],
  ["a new value of prefer", (service) => Object.assign(service, { prefer: service.prefer })],
])("a growing collection begins with half of its records, and again after %s", async (_, beginAnew) => {
  let time = 1_234_567;
  const service = create({ now: () => time, prefer: { grow: { records: 15, per: "s" } } });
  const count = async () => (await read(service)).count;
  const first = await count();
  time += 10_000;
  expect(await count()).toBe(first + 150);
  await beginAnew(service);
  expect(await count()).toBe(first);
});

// biome-ignore format: a table of cases
test.each<[prefer: string, what: string, accept: string, leave: (client: AbortController, response: Promise<Response>) => unknown]>([
  ["hang", "a program aborts", "application/json", (client) => client.abort()],
  ["body=slow,delay=10000", "a program aborts", "application/json", (client) => client.abort()],
  ["body=slow,delay=10000", "a browser aborts", "text/html", (client) => client.abort()],
  ["body=slow,delay=10000", "a program cancels the body", "application/json", async (_, response) => (await response).body?.cancel()],
])("%s waits until %s, and logs nothing", async (prefer, _, accept, leave) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
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
});

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
])("a process %s", async (_, code, stdout) => {
  const script = `import { createService } from ${JSON.stringify(resolve("dist/package/index.js"))};
    const service = createService({ records: [] });
    const fetch = (fault, init) => service.fetch("${PATH}?prefer=" + fault, init);
    ${code}`;
  const args = ["--input-type=module", "--eval", script];
  expect(await runProcess(process.execPath, args)).toEqual({ status: 0, stdout, stderr: "" });
});

test("a client that never ends lets timers run, even if its test replaces them", async () => {
  vi.useFakeTimers({ toFake: ["setImmediate"] });
  const signal = AbortSignal.timeout(1);
  const service = create();
  for (let count = 0; count < 10_000 && !signal.aborted; count++) await read(service, "?prefer=next=loop");
  expect(signal.aborted).toBe(true);
});

test("a client that reads a few pages needs no turn of the event loop, so fake timers are enough", async () => {
  const service = create();
  await service.ready;
  await setImmediate();
  const turn = vi.fn();
  void setImmediate().then(turn);
  for (let count = 0; count < 50; count++) await read(service);
  expect(turn).not.toHaveBeenCalled();
});
