import { once } from "node:events";
import { Agent, get, request } from "node:http";
import { hostname } from "node:os";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { TrafficRecord } from "../../../src/records/schema.ts";
import { CSV_HEADER, formatCsvLine } from "../../../tools/data/formats/csv.ts";
import { addAdmin } from "../../../tools/package/admin.ts";
import { createControls } from "../../../tools/package/service.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { installPackage, startCommand } from "./built-package.ts";

const RECORDS = makeRecords(3);
const toCsv = (records: TrafficRecord[]) => CSV_HEADER + records.map(formatCsvLine).join("");

let url: string;
let plainUrl: string;
beforeAll(async () => {
  const folder = await installPackage();
  const admin = await startCommand(folder, ["--admin", "--prefer", "code=429", "--model-name", "tf1"]);
  const plain = await startCommand(folder, []);
  [url, plainUrl] = [admin.url, plain.url];
  return async () => {
    await admin.stop();
    await plain.stop();
  };
});

const send = (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type = "text/plain") =>
  fetch(`${url}/__admin/${path}`, { method, body: body ?? null, headers: { "Content-Type": type } });
const read = async (path: string) => Object(await (await fetch(url + path)).json());
const getPrefer = async () => (await read("/__admin/prefer")).prefer;
const getCount = async () => (await read("/api/tf1/records/")).count;

const PATHS = ["", "/", "/requests", "/requests/"];

test.each(PATHS)("DELETE /__admin%s is a 204, and without --admin a 404", async (path) => {
  const send = (origin: string) => fetch(`${origin}/__admin${path}`, { method: "DELETE" });
  expect([(await send(url)).status, (await send(plainUrl)).status]).toEqual([204, 404]);
});

test("the requests are listed with their members, and admin requests are not", async () => {
  await send("DELETE", "");
  const sent = { url: `${url}/api/tf1/records/?prefer=count=-5&times=1`, headers: { "x-test": "1" } };
  await fetch(sent.url, sent);
  const received = {
    ...{ method: "GET", ...sent, status: 200, applied: ["count=-5"] },
    changes: [{ option: "count", field: "count", from: 40_614, to: 40_609 }],
    warnings: [expect.stringContaining("times=1")],
  };
  expect(await read("/__admin/requests")).toMatchObject({ requests: [received] });
  expect((await send("DELETE", "requests")).status).toBe(204);
  expect(await read("/__admin/requests")).toEqual({ requests: [] });
});

// biome-ignore format: a table of cases
test.each([
  ["a text", "code=503,times=2", "code=503, times=2"],
  ["JSON", ' {"code": 503, "times": 2}', "code=503, times=2"],
  ["a text in JSON", '"code=503"', "code=503"],
  ["a JSON list of rules", '[{"code": 503, "times": 1, "hang": false}, {"body": "cut", "times": 1}]', "code=503, times=1, else, body=cut, times=1"],
  ["an empty text", "", ""],
])("the faults are replaced by %s, and restored", async (_, body, expected) => {
  expect((await send("PUT", "prefer", body)).status).toBe(204);
  expect(await getPrefer()).toBe(expected);
  expect((await send("DELETE", "prefer")).status).toBe(204);
  expect(await getPrefer()).toBe("code=429");
});

test.each([
  ["an unknown option", "cod=503", "cod=503 is unknown"],
  ["an invalid value in JSON", '{"code": 5}', "code=5 is invalid"],
  ["JSON of another type", "[5]", "a string, an object or"],
  ["invalid JSON", "{", "in JSON at position 1"],
])("%s as faults is a 400 with the reason, and changes nothing", async (_, body, reason) => {
  const response = await send("PUT", "prefer", body);
  expect(response.status).toBe(400);
  const { detail } = Object(await response.json());
  expect(detail).toContain(reason);
  expect(detail).not.toContain("createService");
  expect(await getPrefer()).toBe("code=429");
});

describe("the records", () => {
  beforeAll(async () => void (await send("PUT", "prefer", "")));

  // biome-ignore format: a table of cases
  test.each<[what: string, body: string | Buffer<ArrayBuffer>, records: TrafficRecord[]]>([
    ["CSV", toCsv(RECORDS), RECORDS],
    ["CSV of another model", toCsv(RECORDS).replaceAll("tf1", "tf2"), RECORDS],
    ["gzipped CSV", gzipSync(toCsv(RECORDS)), RECORDS],
    ["an array in JSON", JSON.stringify(RECORDS), RECORDS],
    ["a page", JSON.stringify({ count: 3, next: null, previous: null, results: RECORDS }), RECORDS],
    ["a header", CSV_HEADER, []],
    ["an empty array", "[]", []],
    ["an empty page", '{"count":0,"next":null,"previous":null,"results":[]}', []],
    ["a gzipped empty array", gzipSync("[]"), []],
  ])("are replaced by %s, and restored", async (_, body, records) => {
    expect((await send("PUT", "records", body)).status).toBe(204);
    const expected = { count: records.length, results: records.toReversed() };
    expect(await read("/api/tf1/records/")).toEqual({ next: null, previous: null, ...expected });
    expect((await send("DELETE", "records")).status).toBe(204);
    expect(await getCount()).toBe(40_614);
  });

  /** Begins a PUT, and waits until the service has received its head. */
  const beginPut = async () => {
    const put = request(`${url}/__admin/records`, { method: "PUT", headers: { Expect: "100-continue" } });
    const responded = once(put, "response");
    responded.catch(() => {});
    await once(put, "continue");
    put.write(CSV_HEADER);
    const end = async (line: string) => {
      put.end(line);
      const [response] = await responded;
      await text(response);
      return response.statusCode;
    };
    return { put, end };
  };
  const LINE = formatCsvLine(RECORDS[0]!);

  test("are the previous ones until a PUT has ended, which stops no page", async () => {
    const { end } = await beginPut();
    expect([await getCount(), (await fetch(`${url}/healthz`)).status]).toEqual([40_614, 200]);
    expect([await end(LINE), await getCount()]).toEqual([204, 1]);
    await send("DELETE", "records");
  });

  test("are those of the change that began last, whichever ends first", async () => {
    const first = await beginPut();
    expect((await send("PUT", "records", JSON.stringify(RECORDS))).status).toBe(204);
    expect(await getCount()).toBe(3);
    const third = await beginPut();
    expect((await send("DELETE", "records")).status).toBe(204);
    expect([await first.end(LINE), await third.end(LINE), await getCount()]).toEqual([204, 204, 40_614]);
  });

  test("are those of an earlier PUT if the later one fails, or its client disconnects", async () => {
    const [first, second, third] = [await beginPut(), await beginPut(), await beginPut()];
    third.put.on("error", () => {}).destroy();
    expect([await second.end("x"), await first.end(LINE), await getCount()]).toEqual([400, 204, 1]);
    await send("DELETE", "records");
  });

  // biome-ignore format: a table of cases
  test.each([
    ["an invalid record", toCsv([...RECORDS, { ...RECORDS[0]!, id: 9, cars: -1 }]), 'body:5: cars "-1" is not'],
    ["two records with one id", toCsv([RECORDS[0]!, RECORDS[0]!]), "body:3: id 2 already appears in body:2"],
    ["no body", undefined, "body: contains no records"],
    ["an invalid record in an array", JSON.stringify([...RECORDS, { ...RECORDS[0], cars: -1 }]), "body[3]: cars -1 is not"],
    ["an array that ends early", "[{}", "body:1: ends inside an array"],
    ["a part of the pages", JSON.stringify({ count: 40, next: null, previous: null, results: RECORDS }), "body: the pages contain 3 different records, but their count is 40"],
    ["a thousand problems, after which nothing is read", gzipSync(CSV_HEADER + "x\n".repeat(5_000_000)), "and 997 more like this\nStopped after 1000 problems"],
    ["a form", "--x", "Send the file itself", "multipart/form-data; boundary=x"],
  ])("stay with %s, which is a 400 with the problems", async (_, body, problem, type = "text/plain") => {
    const response = await send("PUT", "records", body, type);
    expect(response.status).toBe(400);
    expect(Object(await response.json()).detail).toContain(problem);
    expect(await getCount()).toBe(40_614);
  });
});

test.each([
  ["prefer", "of 8 KB", Buffer.alloc(8_193, "x"), 413],
  ["records", "of 64 MB", Buffer.alloc(64_000_001, " "), 413],
  ["records", "of 64 MB after decompression", gzipSync(Buffer.alloc(64_000_001, " ")), 413],
  ["records", "of NUL characters, which is wrong from its start,", Buffer.alloc(20_000_000), 400],
])("a body for %s %s is a %4$i, and the connection stays open", async (path, _, body, status) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const isOpen of [false, true]) {
    const put = request(`${url}/__admin/${path}`, { method: "PUT", agent }).end(body);
    const [response] = await once(put, "response");
    expect([response.statusCode, put.reusedSocket]).toEqual([status, isOpen]);
    expect((await text(response)).length).toBeLessThan(1_000);
  }
  agent.destroy();
  expect(await getCount()).toBe(40_614);
});

test.each([
  ["counts.example", 200],
  ["other.example", 403],
])("with --host Counts.Example, a request for the host %s is %i", async (host, status) => {
  const respond = addAdmin(createControls({ records: [] }), "Counts.Example");
  const reply = await respond(new Request(`http://${host}/__admin/requests`));
  expect(reply).toMatchObject({ response: { status } });
});

test("DELETE /__admin/ restores records and faults, and empties the list", async () => {
  await send("PUT", "records", toCsv(RECORDS));
  await send("PUT", "prefer", "");
  expect(await getCount()).toBe(3);
  expect((await send("DELETE", "")).status).toBe(204);
  expect(await read("/__admin/requests")).toEqual({ requests: [] });
  expect(await getPrefer()).toBe("code=429");
  await send("PUT", "prefer", "");
  expect(await getCount()).toBe(40_614);
});

test.each([
  ["", "DELETE"],
  ["requests", "GET, DELETE"],
  ["prefer", "GET, PUT, DELETE"],
  ["records", "PUT, DELETE"],
])(
  "POST and OPTIONS, which a web page may send to /__admin/%s, are a 405 that allows %s",
  async (path, allow) => {
    for (const method of ["POST", "OPTIONS"]) {
      const { status, headers } = await send(method, path, method === "POST" ? "code=500" : undefined);
      const names = ["Allow", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods"];
      expect([status, ...names.map((name) => headers.get(name))]).toEqual([405, allow, null, null]);
    }
  },
);

test("the list of requests is JSON even for a browser, which no other origin can read", async () => {
  const response = await fetch(`${url}/__admin/requests`, { headers: { Accept: "text/html" } });
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe(null);
});

test("a path that does not exist is a 404 in JSON", async () => {
  const response = await send("GET", "nothing");
  expect([response.status, await response.json()]).toEqual([404, { detail: "Not found." }]);
});

const allow = (host: string) => [host, 200] as const;
const refuse = (host: string) => [host, 403] as const;

test.each([
  ...["localhost", "LOCALHOST:80", "127.0.0.1", "192.0.2.1:8787", "[::1]:8787", hostname()].map(allow),
  ...["counts:8787", "my_counts", "notlocal", "localhost.", "counts.localhost", "counts.test."].map(allow),
  ...["counts.ns.svc.cluster.local", "host.docker.internal:8787"].map(allow),
  ...["counts.example", "localhost.counts.example", "counts.local.example", "counts."].map(refuse),
  ...["not-local.mylocal"].map(refuse),
  ["999.999.9.9", 400] as const,
])("a request for the host %s is %i", async (host, status) => {
  const [response] = await once(get(`${url}/__admin/requests`, { headers: { Host: host } }), "response");
  await text(response);
  expect(response.statusCode).toBe(status);
});
