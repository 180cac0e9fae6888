import { once } from "node:events";
import { request as requestOverHttp } from "node:http";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { findCut } from "../../src/mock/body-faults.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";

const PAGE = "/api/tf1/records/?format=api&page=2";

const runtime = useWorker({ vars: { STORE: "kv" } });
let whole: string;
beforeAll(async () => {
  await loadInto(runtime.env, "kv", makeRecords(40));
  whole = await (await fetch(runtime.origin + PAGE)).text();
});

const get = (Prefer: string, init: RequestInit = {}) =>
  fetch(runtime.origin + PAGE, { ...init, headers: { Prefer } });

async function open(target: string, ...headers: string[]): Promise<Socket> {
  const { hostname, port, host } = new URL(runtime.origin);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write([`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, "", ""].join("\r\n"));
  return socket;
}

/** Reads until the server closes the connection. After a complete response the connection stays open. */
async function receive(...headers: string[]): Promise<{ head: string; body: string }> {
  let text = "";
  for await (const chunk of await open(PAGE, ...headers)) text += chunk;
  const [head = "", ...body] = text.split("\r\n\r\n");
  return { head, body: body.join("\r\n\r\n") };
}

describe("body=cut", () => {
  test("announces the length of the whole page, stops inside a record, and closes the connection", async () => {
    const { head, body } = await receive("Prefer: body=cut");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(new RegExp(`^Content-Length: ${whole.length}\r?$`, "m"));
    expect(head).toMatch(/^Content-Type: application\/json\r?$/m);
    expect(body).toBe(whole.slice(0, findCut(Buffer.from(whole))));
    expect(body).toMatch(/"results":.*\{[^{}]*$/s);
    expect((await receive("Prefer: body=cut", "Accept-Encoding: gzip, br")).body).toBe(body);
  });

  test("also cuts an error response", async () => {
    const { head, body } = await receive("Prefer: code=404, body=cut");
    expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n.*^Content-Length: 23\r?$/ms);
    expect(body).toBe('{"detail":"');
  });

  test("lets fetch receive the beginning of the body, and then an error", async () => {
    const response = await get("body=cut");
    expect(response.status).toBe(200);
    let received = "";
    const read = async () => {
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) received += piece;
    };
    await expect(read()).rejects.toThrow("terminated");
    expect(received.length).toBeGreaterThan(0);
  });

  test("continues to work after a client disconnects or sends HEAD", async () => {
    for (let attempt = 0; attempt < 5; attempt++) (await open(PAGE, "Prefer: body=cut")).resetAndDestroy();
    expect((await get("body=cut", { method: "HEAD" })).status).toBe(200);
    expect(await (await get("")).text()).toBe(whole);
  });

  test.each([
    ["", 0],
    ["a", 0],
    ["abcdef", 3],
    [":::", 2],
    ['{"a":1,"b":2,"c":3}', 11],
    ['{"detail":"x"}', 10],
    ['{"d":"Not found."}', 9],
  ])("cuts %j at byte %i", (text, cut) => expect(findCut(Buffer.from(text))).toBe(cut));
});

test.each([
  ["body=garbage", 200, /^\{"count": 1, .*<not json>$/],
  ["body=garbage, code=500", 500, /<not json>$/],
  ["body=empty", 200, /^$/],
  ["body=empty, code=503", 503, /^$/],
])("%s has status %i and the body %s", async (prefer, status, body) => {
  const response = await get(prefer);
  expect([response.status, response.headers.get("content-type")]).toEqual([status, "application/json"]);
  const text = await response.text();
  expect(text).toMatch(body);
  expect(response.headers.get("content-length")).toBe(String(text.length));
});

test("body=slow sends the whole body over five seconds", async () => {
  const begun = performance.now();
  const response = await get("body=slow");
  let [received, pieces] = ["", 0];
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    received += piece;
    pieces += 1;
  }
  expect(received).toBe(whole);
  expect(pieces).toBeGreaterThan(20);
  // There is no upper limit, because a busy machine may be slow.
  expect(performance.now() - begun).toBeGreaterThan(4_000);
});

describe("delay and hang", () => {
  test("a delay waits before the response or the error", async () => {
    for (const [prefer, status] of [
      ["delay=300", 200],
      ["delay=300, code=500", 500],
    ] as const) {
      const begun = performance.now();
      expect((await get(prefer)).status).toBe(status);
      expect(performance.now() - begun).toBeGreaterThanOrEqual(299);
    }
  });

  test.each(["delay=10000", "hang"])("%s sends nothing, and delays no other request", async (prefer) => {
    const client = new AbortController();
    const delayed = get(prefer, { signal: client.signal }).then(
      () => "delayed",
      () => "aborted",
    );
    expect(await Promise.race([delayed, get("").then(() => "other")])).toBe("other");
    client.abort();
    expect(await delayed).toBe("aborted");
  });
});

test("several Prefer headers are read as one header", async () => {
  const outgoing = requestOverHttp(runtime.origin + PAGE);
  outgoing.setHeader("Prefer", ["delay=1; x=y", 'code="404", code=500', "respond-async"]);
  const [response] = await once(outgoing.end(), "response");
  expect([response.statusCode, response.headers["preference-applied"]]).toEqual([404, "code=404, delay=1"]);
  response.resume();
});
