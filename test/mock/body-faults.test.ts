import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCut } from "../../src/mock/body-faults.ts";
import { bundleWorker } from "../bundled-worker.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";

const PATH = "/api/tf1/records/";
const PAGE = `${PATH}?format=api&page=2`;

let runtime: RunningWorker;
let whole: string;
beforeAll(async () => {
  runtime = await startWorker({
    script: await bundleWorker("test/mock/counting-worker.ts"),
    vars: { STORE: "kv" },
  });
  await loadInto(runtime.env, "kv", makeRecords(40));
  whole = await (await fetch(runtime.origin + PAGE)).text();
});
afterAll(() => runtime?.close());

async function open(target: string, ...headers: string[]): Promise<Socket> {
  const { hostname, port, host } = new URL(runtime.origin);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write([`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, "", ""].join("\r\n"));
  return socket;
}

/** Reads until the server closes the connection. After a complete response the connection stays open. */
async function receive(socket: Socket): Promise<{ head: string; body: string }> {
  let text = "";
  for await (const chunk of socket) text += chunk;
  const [head = "", ...body] = text.split("\r\n\r\n");
  return { head, body: body.join("\r\n\r\n") };
}

const request = async (prefer: string, target = PAGE, ...headers: string[]) =>
  receive(await open(target, `Prefer: ${prefer}`, ...headers));

describe("body=cut", () => {
  test("announces the length of the whole page, stops inside a record, and closes the connection", async () => {
    const { head, body } = await request("body=cut");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(new RegExp(`^Content-Length: ${whole.length}\r?$`, "m"));
    expect(head).toMatch(/^Content-Type: application\/json\r?$/m);
    expect(body).toBe(whole.slice(0, body.length));
    expect(body.length).toBeGreaterThan(whole.length / 3);
    expect(body.length).toBeLessThan((whole.length * 2) / 3);
    expect(body).toMatch(/\{[^{}]*$/);
    expect(body.lastIndexOf("{")).toBeGreaterThan(whole.indexOf('"results"'));
    expect(() => JSON.parse(body)).toThrow();
  });

  test("cuts at the same place if the client accepts compression", async () => {
    const { body } = await request("body=cut", PAGE, "Accept-Encoding: gzip, br");
    expect(body).toBe((await request("body=cut")).body);
  });

  test("also cuts an error response", async () => {
    const { head, body } = await request("code=404, body=cut");
    expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(head).toMatch(/^Content-Length: 23\r?$/m);
    expect(body).toBe('{"detail":"');
  });

  test("lets fetch receive the beginning of the body, and then an error", async () => {
    const response = await fetch(runtime.origin + PAGE, { headers: { Prefer: "body=cut" } });
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
    const response = await fetch(runtime.origin + PAGE, { method: "HEAD", headers: { Prefer: "body=cut" } });
    expect(response.status).toBe(200);
    expect(await (await fetch(runtime.origin + PAGE)).text()).toBe(whole);
  });

  test.each([
    ["", 0],
    ["a", 0],
    ["abcdef", 3],
    [":::", 2],
    ['{"a":1,"b":2,"c":3}', 11],
    ['{"detail":"x"}', 10],
    ['{"d":"Not found."}', 9],
  ])("cuts %j at byte %i", (text, cut) => expect(findCut(new TextEncoder().encode(text))).toBe(cut));
});

describe("body=garbage", () => {
  test.each([
    ["body=garbage", 200],
    ["body=garbage, code=500", 500],
  ])("%s has status %i and invalid JSON", async (prefer, status) => {
    const response = await fetch(runtime.origin + PAGE, { headers: { Prefer: prefer } });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });
});

describe("body=empty", () => {
  test.each([
    ["body=empty", 200],
    ["body=empty, code=503", 503],
  ])("%s has status %i and no body", async (prefer, status) => {
    const response = await fetch(runtime.origin + PAGE, { headers: { Prefer: prefer } });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("content-length")).toBe("0");
    expect(await response.text()).toBe("");
  });
});

describe("body=slow", () => {
  const begin = (prefer: string) =>
    fetch(`${runtime.origin}${PAGE}&prefer=${encodeURIComponent(prefer)}`, {
      headers: { "Accept-Encoding": "gzip" },
    });

  test.concurrent.each(["body=slow", "body=slow, delay=300"])(
    "%s sends the whole body over five seconds",
    async (prefer) => {
      const begun = performance.now();
      const response = await begin(prefer);
      const headers = performance.now() - begun;
      let received = "";
      let pieces = 0;
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        received += piece;
        pieces += 1;
      }
      const took = performance.now() - begun;
      expect(JSON.parse(received).results).toEqual(JSON.parse(whole).results);
      expect(pieces).toBeGreaterThan(20);
      expect(response.headers.get("preference-applied")).toBe(prefer.replace(/(.*), (.*)/, "$2, $1"));
      // Without the delay the body would take milliseconds. There is no upper limit, because a busy machine may be slow.
      expect(took - headers).toBeGreaterThan(4_000);
    },
  );

  test("stops when the client disconnects", async () => {
    const countSent = async () => Number(await (await fetch(`${runtime.origin}/sent`)).text());
    const socket = await open(`${PAGE}&prefer=body=slow`);
    await once(socket, "data");
    await expect.poll(countSent).toBeGreaterThan(0);
    socket.resetAndDestroy();
    // A piece is sent every 0.1 s while the client reads. If no piece is sent within 0.5 s, the worker has stopped.
    let sent = -1;
    for (let now = await countSent(); now !== sent; now = await countSent()) {
      sent = now;
      await setTimeout(500);
    }
    expect(sent).toBeLessThan(50);
  });
});
