import { once } from "node:events";
import { request as requestOverHttp } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findCut } from "../../src/mock/body-faults.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";

const PAGE = "/api/tf1/records/?format=api&page=2";

test.each([
  ["", 0],
  ["a", 0],
  ["abcdef", 3],
  [":::", 2],
  ['{"a":1,"b":2,"c":3}', 11],
  ['{"detail":"x"}', 10],
  ['{"d":"Not found."}', 9],
])("the body %j is cut at byte %i", (text, cut) => expect(findCut(Buffer.from(text))).toBe(cut));

describe("in memory,", async () => {
  const service = await createMemoryService(makeRecords(40));
  const get = (Prefer: string) => service.fetch(PAGE, { headers: { Prefer } });
  afterEach(() => void vi.useRealTimers());
  const stopClock = () => vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });

  test.each([
    ["delay=300", 300, 200],
    ["delay=300, code=500", 300, 500],
    ["hang", 300_000, 503],
  ])("%s waits for %i ms before the response", async (prefer, milliseconds, status) => {
    stopClock();
    const seen: number[] = [];
    const asked = get(prefer).then((response) => seen.push(response.status));
    while (vi.getTimerCount() === 0) await Promise.resolve();
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await asked;
    expect(seen).toEqual([status]);
  });

  test("body=slow sends the whole body in pieces, over five seconds", async () => {
    const whole = await (await get("")).text();
    stopClock();
    const begun = Date.now();
    const response = await get("body=slow");
    const pieces: string[] = [];
    const reading = Array.fromAsync(response.body!.pipeThrough(new TextDecoderStream()), (piece) =>
      pieces.push(piece),
    );
    for (let second = 0; second < 4; second++) await vi.advanceTimersByTimeAsync(1_000);
    expect(pieces.join("").length).toBeLessThan(whole.length * 0.9);
    while (pieces.join("").length < whole.length) await vi.advanceTimersByTimeAsync(100);
    expect(Date.now() - begun).toBeLessThanOrEqual(5_100);
    await reading;
    expect(pieces.join("")).toBe(whole);
    expect(pieces.length).toBeGreaterThan(40);
  });
});

describe("in workerd,", () => {
  const worker = useWorker({ vars: { STORE: "kv" } });
  let whole: string;
  beforeAll(async () => {
    await loadInto(worker.env, "kv", makeRecords(40));
    whole = await (await fetch(worker.origin + PAGE)).text();
  });

  const get = (Prefer: string, init: RequestInit = {}) =>
    fetch(worker.origin + PAGE, { ...init, headers: { Prefer } });

  async function open(...headers: string[]): Promise<Socket> {
    const { hostname, port, host } = new URL(worker.origin);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write([`GET ${PAGE} HTTP/1.1`, `Host: ${host}`, ...headers, "", ""].join("\r\n"));
    return socket;
  }

  /** Reads until the server closes the connection. After a complete response the connection stays open. */
  async function receive(...headers: string[]): Promise<{ head: string; body: string }> {
    let text = "";
    for await (const chunk of await open(...headers)) text += chunk;
    const [head = "", ...body] = text.split("\r\n\r\n");
    return { head, body: body.join("\r\n\r\n") };
  }

  test("body=cut announces the whole page, stops inside a record, and closes the connection", async () => {
    const { head, body } = await receive("Prefer: body=cut");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(new RegExp(`^Content-Length: ${whole.length}\r?$`, "m"));
    expect(head).toMatch(/^Content-Type: application\/json\r?$/m);
    expect(body).toBe(whole.slice(0, findCut(Buffer.from(whole))));
    expect(body).toMatch(/"results":.*\{[^{}]*$/s);
    expect((await receive("Prefer: body=cut", "Accept-Encoding: gzip, br")).body).toBe(body);
  });

  test("body=cut also cuts an error response", async () => {
    const { head, body } = await receive("Prefer: code=404, body=cut");
    expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n.*^Content-Length: 23\r?$/ms);
    expect(body).toBe('{"detail":"');
  });

  test("body=cut continues to work after a client disconnects or sends HEAD", async () => {
    for (let attempt = 0; attempt < 5; attempt++) (await open("Prefer: body=cut")).resetAndDestroy();
    expect((await get("body=cut", { method: "HEAD" })).status).toBe(200);
    expect(await (await get("")).text()).toBe(whole);
  });

  test("body=slow sends a small part at first", async () => {
    const reader = (await get("body=slow")).body!.getReader();
    expect((await reader.read()).value?.length).toBeLessThan(whole.length / 10);
    await reader.cancel();
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

  test("several Prefer headers are read as one header", async () => {
    const outgoing = requestOverHttp(worker.origin + PAGE);
    outgoing.setHeader("Prefer", ["delay=1; x=y", 'code="404", code=500', "respond-async"]);
    const [response] = await once(outgoing.end(), "response");
    expect([response.statusCode, response.headers["preference-applied"]]).toEqual([404, "code=404, delay=1"]);
    response.resume();
  });
});
