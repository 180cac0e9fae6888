import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCut } from "../../src/mock/bodies.ts";
import { type DirectRuntime, startDirectRuntime } from "../direct-runtime.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto } from "../worker.ts";

const PATH = "/api/tf1/records/";
const PAGE = `${PATH}?format=api&page=2`;

let runtime: DirectRuntime;
let whole: string;
beforeAll(async () => {
  runtime = await startDirectRuntime("test/mock/counting-worker.ts");
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

/** Everything that comes until the connection ends, which it does not after a whole answer. */
async function receive(socket: Socket): Promise<{ head: string; body: string }> {
  let text = "";
  for await (const chunk of socket) text += chunk;
  const [head = "", ...body] = text.split("\r\n\r\n");
  return { head, body: body.join("\r\n\r\n") };
}

const ask = async (prefer: string, target = PAGE, ...headers: string[]) =>
  receive(await open(target, `Prefer: ${prefer}`, ...headers));

describe("body=cut", () => {
  test("announces the whole page, breaks off inside a record, and the connection ends", async () => {
    const { head, body } = await ask("body=cut");
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

  test("at the same place when it is asked for a compressed answer", async () => {
    const { body } = await ask("body=cut", PAGE, "Accept-Encoding: gzip, br");
    expect(body).toBe((await ask("body=cut")).body);
  });

  test("an error too", async () => {
    const { head, body } = await ask("code=404, body=cut");
    expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(head).toMatch(/^Content-Length: 23\r?$/m);
    expect(body).toBe('{"detail":"');
  });

  test("a client that reads it fails, after it had the beginning", async () => {
    const answer = await fetch(runtime.origin + PAGE, { headers: { Prefer: "body=cut" } });
    expect(answer.status).toBe(200);
    let received = "";
    const read = async () => {
      for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) received += piece;
    };
    await expect(read()).rejects.toThrow("terminated");
    expect(received.length).toBeGreaterThan(0);
  });

  test("a client that leaves, or asks for the head only, does no harm", async () => {
    for (let request = 0; request < 5; request++) (await open(PAGE, "Prefer: body=cut")).resetAndDestroy();
    const answer = await fetch(runtime.origin + PAGE, { method: "HEAD", headers: { Prefer: "body=cut" } });
    expect(answer.status).toBe(200);
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
  ])("%j is cut at %i", (text, cut) => expect(findCut(new TextEncoder().encode(text))).toBe(cut));
});

describe("body=garbage", () => {
  test.each([
    ["body=garbage", 200],
    ["body=garbage, code=500", 500],
  ])("%s is %i, and no JSON", async (prefer, status) => {
    const answer = await fetch(runtime.origin + PAGE, { headers: { Prefer: prefer } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    await expect(answer.json()).rejects.toThrow(SyntaxError);
  });
});

describe("body=empty", () => {
  test.each([
    ["body=empty", 200],
    ["body=empty, code=503", 503],
  ])("%s is %i, and nothing", async (prefer, status) => {
    const answer = await fetch(runtime.origin + PAGE, { headers: { Prefer: prefer } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("content-length")).toBe("0");
    expect(await answer.text()).toBe("");
  });
});

describe("body=slow", () => {
  const begin = (prefer: string) =>
    fetch(`${runtime.origin}${PAGE}&prefer=${encodeURIComponent(prefer)}`, {
      headers: { "Accept-Encoding": "gzip" },
    });

  test.each(["body=slow", "body=slow, delay=300"])(
    "%s drips for five seconds, and nothing is lost",
    async (prefer) => {
      const begun = performance.now();
      const answer = await begin(prefer);
      const headers = performance.now() - begun;
      let received = "";
      let pieces = 0;
      for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
        received += piece;
        pieces += 1;
      }
      const took = performance.now() - begun;
      expect(JSON.parse(received).results).toEqual(JSON.parse(whole).results);
      expect(pieces).toBeGreaterThan(20);
      expect(headers).toBeGreaterThanOrEqual(prefer.includes("delay") ? 299 : 0);
      expect(headers).toBeLessThan(3_000);
      expect(took - headers).toBeGreaterThan(4_000);
      expect(took).toBeLessThan(10_000);
    },
  );

  test("stops when the client goes away", async () => {
    const countSent = async () => Number(await (await fetch(`${runtime.origin}/sent`)).text());
    const socket = await open(`${PAGE}&prefer=body=slow`);
    await once(socket, "data");
    await setTimeout(500);
    const before = await countSent();
    expect(before).toBeGreaterThan(0);
    socket.resetAndDestroy();
    await setTimeout(300);
    const after = await countSent();
    expect(after).toBeLessThan(40);
    await setTimeout(1_000);
    expect(await countSent()).toBe(after);
  });
});
