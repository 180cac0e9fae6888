import { setImmediate, setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { makeRecords } from "../../support/sample-records.ts";
import { importPackage } from "./built-package.ts";

const { createService } = await importPackage();
const service = createService({ records: makeRecords(100) });
const server = await service.listen({ port: 0 });
afterAll(server.close);

const MOVED = "/api/tf1/records";
const PATH = `${MOVED}/`;
const SLOW = `${PATH}?prefer=body=slow`;

type Init = RequestInit & { abortAfterMs?: number; timeoutMs?: number };

/** Sends a request that is aborted after a time. */
function send(fetch: typeof globalThis.fetch, path: string, { abortAfterMs, timeoutMs, ...init }: Init = {}) {
  const controller = new AbortController();
  if (abortAfterMs) void setTimeout(abortAfterMs).then(() => controller.abort(new RangeError("too late")));
  const signal = timeoutMs ? AbortSignal.timeout(timeoutMs) : controller.signal;
  return fetch(server.url + path, { signal, ...init });
}

const collectGarbage = () => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
};

describe.each([
  ["service.fetch", service.fetch],
  ["the global fetch", fetch],
])("%s", (_, fetch) => {
  test.each<[string, string, RequestInit, status: number, path: string, body: RegExp]>([
    ["a page", `${PATH}?page=2`, {}, 200, `${PATH}?page=2`, /^\{"count":100,.*page=3/],
    ["a fragment", `${PATH}#newest`, {}, 200, PATH, /^\{"count":100,/],
    ["POST", PATH, { method: "POST", body: "{}" }, 405, PATH, /not allowed/],
    ["HEAD", PATH, { method: "HEAD" }, 200, PATH, /^$/],
    ["If-None-Match", PATH, { headers: { "If-None-Match": "*" } }, 304, PATH, /^$/],
    ["a redirect", `${MOVED}?page=2`, {}, 200, `${PATH}?page=2`, /^\{"count":100,/],
    ["POST without the slash", MOVED, { method: "POST", body: "{}" }, 405, MOVED, /not allowed/],
    ["a redirect that is not followed", MOVED, { redirect: "manual" }, 301, MOVED, /^$/],
    ["a slow body", SLOW, {}, 200, SLOW, /^\{"count":100,/],
  ])("responds to %s", async (_, sent, init, status, path, body) => {
    const response = await send(fetch, sent, init);
    const { url, redirected } = response;
    const expected = { url: server.url + path, redirected: sent === `${MOVED}?page=2` };
    expect([response.status, { url, redirected }]).toEqual([status, expected]);
    // A hook of ky gets a copy.
    expect(response.clone()).toMatchObject(expected);
    expect(await response.text()).toMatch(body);
  });

  test("accepts a URL object, and a Request with options", async () => {
    expect((await fetch(new URL(PATH, server.url))).statusText).toBe("OK");
    const response = await fetch(new Request(server.url + PATH), { headers: { Prefer: "code=429" } });
    expect([response.status, response.statusText]).toEqual([429, "Too Many Requests"]);
  });

  // biome-ignore format: a table of cases
  test.each<[string, string, Init, error: object]>([
    ["a redirect that is an error", MOVED, { redirect: "error" }, new TypeError("fetch failed")],
    ["a closed connection", `${PATH}?prefer=close`, {}, new TypeError("fetch failed")],
    ["an abort before the call", PATH, { signal: AbortSignal.abort(new RangeError("early")) }, new RangeError("early")],
    ["an abort during a wait", `${PATH}?prefer=hang`, { abortAfterMs: 50 }, new RangeError("too late")],
    ["a timeout after a redirect", `${MOVED}?prefer=hang`, { timeoutMs: 100 }, { name: "TimeoutError" }],
  ])("rejects %s", async (_, path, init, error) => {
    await expect(send(fetch, path, init)).rejects.toMatchObject(error);
  });

  test.each(["/api/tf1/records/", "ftp://counts.example/"])("rejects the URL %s", async (url) => {
    await expect(fetch(url)).rejects.toThrow(TypeError);
  });

  test.each<[string, string, Init, error: Error]>([
    ["is cut", `${PATH}?prefer=body=cut`, {}, new TypeError("terminated")],
    ["is aborted", SLOW, { abortAfterMs: 500 }, new RangeError("too late")],
  ])("rejects the text of a body that %s", async (_, path, init, error) => {
    const response = await send(fetch, path, init);
    collectGarbage();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow(error);
  });
});

describe("a client in the same process", () => {
  const read = async () => (await service.fetch(`${server.url}${PATH}?prefer=next=loop`)).json();

  test("that never ends lets timers run, even if its test replaces them", async () => {
    vi.useFakeTimers({ toFake: ["setImmediate"] });
    onTestFinished(() => void vi.useRealTimers());
    const signal = AbortSignal.timeout(1);
    for (let count = 0; count < 10_000 && !signal.aborted; count++) await read();
    expect(signal.aborted).toBe(true);
  });

  test("that reads a few pages needs no turn of the event loop, so fake timers are enough", async () => {
    await setImmediate();
    const turn = vi.fn();
    void setImmediate().then(turn);
    for (let count = 0; count < 50; count++) await read();
    expect(turn).not.toHaveBeenCalled();
  });
});
