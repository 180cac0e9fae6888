import { once } from "node:events";
import { Agent, get, request } from "node:http";
import { hostname } from "node:os";
import { text } from "node:stream/consumers";
import { deflateSync, gzipSync } from "node:zlib";
import { assert, beforeAll, expect, test } from "vitest";
import { CSV_HEADER, formatCsvLine } from "../../../tools/data/formats/csv.ts";
import { addAdmin } from "../../../tools/package/admin.ts";
import { createControls } from "../../../tools/package/service.ts";
import { formatCsv, makeRecords } from "../../support/sample-records.ts";
import { installPackage, startCommand } from "./built-package.ts";

const RECORDS = makeRecords(3);
const CSV = formatCsv(RECORDS);
const SAMPLE_COUNT = 40_614;

let url: string;
beforeAll(async () => {
  const args = ["--admin", "--prefer", "code=429", "--model-name", "tf1"];
  const admin = await startCommand(await installPackage(), args);
  url = admin.url;
  return async () => void (await admin.stop());
});

type Body = string | Buffer<ArrayBuffer> | null;

const send = (method: string, path: string, body: Body = null, headers: Record<string, string> = {}) =>
  fetch(`${url}/__admin/${path}`, { method, body, headers: { "Content-Type": "text/plain", ...headers } });
const read = async (path: string) =>
  Object(await (await fetch(url + path, { headers: { Prefer: "none" } })).json());
const getPrefer = async () => (await read("/__admin/prefer")).prefer;
const getCount = async () => (await read("/api/tf1/records/")).count;
const getPage = () => read("/api/tf1/records/");
const isBefore3000 = async () =>
  (await fetch(`${url}/api/tf1/records/?prefer=code=418,until=3000-01-01T00:00:00Z`)).status === 418;
const showPage = (results = RECORDS) => ({
  count: results.length,
  next: null,
  previous: null,
  results: results.toReversed(),
});

// biome-ignore format: a table of cases
test.each<[path: string, what: string, body: Body, observe: () => Promise<unknown>, expected: unknown]>([
  ["prefer", "a text", "code=503,times=2", getPrefer, "code=503, times=2"],
  ["prefer", "JSON", ' {"code": 503, "times": 2}', getPrefer, "code=503, times=2"],
  ["prefer", "JSON with a byte order mark", '\ufeff{"code": 503}', getPrefer, "code=503"],
  ["prefer", "a text in JSON", '"code=503"', getPrefer, "code=503"],
  ["prefer", "rules in JSON", '[{"code": 503, "times": 1, "hang": false}, {"body": "cut", "times": 1}]', getPrefer, "code=503, times=1, else, body=cut, times=1"],
  ["prefer", "what GET shows", '{"prefer":"code=503, times=1, else, body=cut"}', getPrefer, "code=503, times=1, else, body=cut"],
  ["prefer", "an empty text", "", getPrefer, ""],
  ["now", "a time", "3000-01-02T00:00:00Z\n", isBefore3000, false],
  ["now", "a day", "3000-01-02", isBefore3000, false],
  ["records", "CSV", CSV, getPage, showPage()],
  ["records", "CSV of another model", CSV.replaceAll("tf1", "tf2"), getPage, showPage()],
  ["records", "gzipped CSV", gzipSync(CSV), getPage, showPage()],
  ["records", "an array with a byte order mark", `\ufeff${JSON.stringify(RECORDS)}`, getPage, showPage()],
  ["records", "a page", JSON.stringify(showPage()), getPage, showPage()],
  ["records", "an empty array", "[]", getPage, showPage([])],
  ["records", "an empty page", JSON.stringify(showPage([])), getPage, showPage([])],
  ["records", "a gzipped empty array", gzipSync("[]"), getPage, showPage([])],
])("PUT /__admin/%s with %s has an effect until DELETE, and until DELETE of all", async (path, _, body, observe, expected) => {
  const initial = await observe();
  for (const deleted of [path, ""]) {
    expect((await send("PUT", path, body)).status).toBe(204);
    expect(await observe()).toEqual(expected);
    expect((await send("DELETE", deleted)).status).toBe(204);
    expect(await observe()).toEqual(initial);
  }
});

test("the requests are listed with their members, and admin requests are not", async () => {
  await send("DELETE", "");
  const sent = { url: `${url}/api/tf1/records/?prefer=count=-5&times=1`, headers: { "x-test": "1" } };
  const received = {
    ...{ method: "GET", ...sent, status: 200, applied: ["count=-5"] },
    changes: [{ option: "count", field: "count", from: SAMPLE_COUNT, to: SAMPLE_COUNT - 5 }],
    warnings: [expect.stringContaining("times=1")],
  };
  for (const deleted of ["requests", ""]) {
    await fetch(sent.url, sent);
    expect(await read("/__admin/requests")).toMatchObject({ requests: [received] });
    expect((await send("DELETE", deleted)).status).toBe(204);
    expect(await read("/__admin/requests")).toEqual({ requests: [] });
  }
});

const FORM = { "Content-Type": "multipart/form-data; boundary=x" };
const ONE_INVALID = [...RECORDS, { ...RECORDS[0]!, id: 9, cars: -1 }];
const NULS = Buffer.alloc(20_000_000);
/** The status, what is sent, the path, the body, the reason, the method and the headers. */
type Refusal = [number, string, string, Body, string, string?, object?];
const ALLOWED = { "": "DELETE", "requests/": "GET, DELETE", prefer: "GET, PUT, DELETE" };
const REFUSED = Object.entries({ ...ALLOWED, now: "PUT, DELETE", records: "PUT, DELETE" }).flatMap(
  ([path, allow]) =>
    ["POST", "OPTIONS"].map((method): Refusal => [405, method, path, null, `not allowed. ${allow}`, method]),
);

// biome-ignore format: a table of cases
test.each<Refusal>([
  [400, "an unknown fault", "prefer", "cod=503", "cod=503 is unknown"],
  [400, "an invalid fault in JSON", "prefer", '{"code": 5}', "code=5 is invalid"],
  [400, "faults beside those that GET shows", "prefer", '{"prefer": "code=503", "code": 503}', "prefer=code=503 is unknown"],
  [400, "faults of another type", "prefer", "[5]", "a string, an object or"],
  [400, "invalid JSON as faults", "prefer", "{", "in JSON at position 1"],
  [400, "a time of a clock on a wall", "now", "12:00", "2030-01-31T12:00:00Z"],
  [400, "no time", "now", null, "2030-01-31T12:00:00Z"],
  [400, "an invalid record", "records", formatCsv(ONE_INVALID), 'body:5: cars "-1" is not'],
  [400, "two records with one id", "records", formatCsv([RECORDS[0]!, RECORDS[0]!]), "body:3: id 2 already appears in body:2"],
  [400, "no records", "records", null, "body: contains no records"],
  [400, "only a header", "records", CSV_HEADER, "body: contains no records"],
  [400, "an invalid record in an array", "records", JSON.stringify(ONE_INVALID), "body[3]: cars -1 is not"],
  [400, "an array that ends early", "records", "[{}", "body:1: ends inside an array"],
  [400, "a part of the pages", "records", JSON.stringify({ ...showPage(), count: 40 }), "body: the pages contain 3 different records, but their count is 40"],
  [400, "a thousand problems, after which nothing is read", "records", gzipSync(CSV_HEADER + "x\n".repeat(5_000_000)), "and 997 more like this\nStopped after 1000 problems"],
  [400, "a form", "records", "--x", "not a form", "PUT", FORM],
  [400, "the rest of a file", "records", CSV, "not a form or a range", "PUT", { "Content-Range": "bytes 1841-3681/3682" }],
  [400, "an encoding but gzip", "records", deflateSync(CSV), "body:1", "PUT", { "Content-Encoding": "deflate" }],
  [413, "more than 8 KB of faults", "prefer", Buffer.alloc(8_193, "x"), "has more than"],
  [413, "more than 64 MB of records", "records", Buffer.alloc(64_000_001, " "), "has more than"],
  [413, "more than 64 MB of records after decompression", "records", gzipSync(Buffer.alloc(64_000_001, " ")), "has more than"],
  [400, "NUL characters, which are wrong from their start,", "records", NULS, "body:1"],
  [403, "an origin, as a web page has it,", "prefer", "code=500", "Origin", "PUT", { Origin: "http://localhost:8787" }],
  [404, "a path that does not exist", "nothing", null, "Not found.", "GET"],
  ...REFUSED,
])("%i in JSON for %s at /__admin/%s, which changes nothing, and the connection stays open", async (status, _, path, body, reason, method = "PUT", headers = {}) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const isOpen of [false, true]) {
    const sent = request(`${url}/__admin/${path}`, { method, agent, headers: { ...headers } }).end(body);
    const [response] = await once(sent, "response");
    const { detail } = JSON.parse(await text(response));
    expect([response.statusCode, sent.reusedSocket, detail.length < 1_000]).toEqual([status, isOpen, true]);
    expect(`${detail} ${response.headers.allow}`).toContain(reason);
    expect(detail).not.toContain("createService");
    expect(response.headers).toMatchObject({ "content-type": "application/json", "x-content-type-options": "nosniff" });
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
  }
  agent.destroy();
  expect([await getPrefer(), await getCount(), await isBefore3000()]).toEqual(["code=429", SAMPLE_COUNT, true]);
});

test.each([
  ...["", "/", "/requests", "/prefer?x"].map((path) => [path, "localhost", 404, "--admin"] as const),
  ["/requests", "counts.test", 200, '"requests"'],
  ["/requests", "other.test", 403, "other.test"],
] as const)("GET /__admin%s of the host %s is %i with %j", async (path, host, status, shown) => {
  const isOn = host !== "localhost";
  const respond = addAdmin(createControls({ records: [] }), { isOn, host: "Counts.Test" });
  const reply = await respond(new Request(`http://${host}/__admin${path}`));
  assert(reply.kind === "response");
  expect(reply.response.status).toBe(status);
  expect(await reply.response.text()).toContain(shown);
});

/** Begins a PUT, and waits until the service has received its head. */
async function beginPut() {
  const put = request(`${url}/__admin/records`, { method: "PUT", headers: { Expect: "100-continue" } });
  const responded = once(put, "response");
  responded.catch(() => {});
  await once(put, "continue");
  put.write(CSV_HEADER);
  const end = async (line = formatCsvLine(RECORDS[0]!)) => {
    put.end(line);
    const [response] = await responded;
    await text(response);
    return response.statusCode;
  };
  return { put, end };
}

test("records are those of the change that began last, whichever ends first, and until then the previous ones", async () => {
  const first = await beginPut();
  expect(await getCount()).toBe(SAMPLE_COUNT);
  expect((await send("PUT", "records", JSON.stringify(RECORDS))).status).toBe(204);
  expect(await getCount()).toBe(3);
  const third = await beginPut();
  expect((await send("DELETE", "records")).status).toBe(204);
  expect([await first.end(), await third.end(), await getCount()]).toEqual([204, 204, SAMPLE_COUNT]);
});

test("records are those of an earlier PUT if the later one fails, or its client disconnects", async () => {
  const [first, second, third] = [await beginPut(), await beginPut(), await beginPut()];
  third.put.on("error", () => {}).destroy();
  expect([await second.end("x"), await first.end(), await getCount()]).toEqual([400, 204, 1]);
  await send("DELETE", "records");
});

// biome-ignore format: a table of cases
test.each([
  [200, ["localhost", "LOCALHOST:80", "127.0.0.1", "192.0.2.1:8787", "[::1]:8787", hostname(), "counts:8787", "my_counts", "notlocal"]],
  [200, ["localhost.", "counts.localhost", "counts.ns.svc.cluster.local", "host.docker.internal:8787"]],
  [403, ["counts.example", "localhost.counts.example", "counts.local.example", "counts.", "not-local.mylocal", "counts.test.", "counts.local", "mycluster.local"]],
  [400, ["999.999.9.9"]],
])("%i for requests of the hosts %j", async (status, hosts) => {
  for (const host of hosts) {
    const [response] = await once(get(`${url}/__admin/requests`, { headers: { Host: host } }), "response");
    await text(response);
    expect([host, response.statusCode]).toEqual([host, status]);
  }
});
