import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { chooseTimes } from "../../src/faults/wait.ts";
import { checkExchanges } from "../support/exchange.ts";
import { context } from "../support/memory-service.ts";
import { createFaultsService, fetch, getTarget, PAGE_2 } from "./faults-service.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));

async function waitForTimers(count: number): Promise<void> {
  for (let turn = 0; vi.getTimerCount() < count && turn < 10_000; turn++) await setImmediate();
  expect(vi.getTimerCount(), "responses that wait").toBe(count);
}

test.each([
  ["delay=300", "GET", 300, 200],
  ["delay=300, code=500", "GET", 300, 500],
  ["hang", "GET", 60_000, 503],
  ["hang, delay=300", "GET", 60_300, 503],
  // Nothing sends the body, so the delay is the time before the response.
  ["body=slow, delay=300", "HEAD", 300, 200],
  ["body=slow, delay=300, close", "GET", 300, 200],
])("%s, %s waits for %i ms before the response", async (prefer, method, milliseconds, status) => {
  const statuses: number[] = [];
  const fetched = fetch(PAGE_2, { method, headers: { prefer } }).then((response) =>
    statuses.push(response.status),
  );
  await waitForTimers(1);
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(statuses).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await fetched;
  expect(statuses).toEqual([status]);
});

test.each([
  [getTarget(2), "body=slow", 2_000],
  [getTarget(2), "body=slow, delay=8000", 8_000],
  [getTarget(0), "body=slow, delay=8000", 8_000],
])("%s sends a body in parts with %s, and its end after %i ms", async (target, prefer, milliseconds) => {
  const body = await (await fetch(target)).text();
  const response = await fetch(target, { headers: { prefer } });
  const parts: string[] = [];
  const stream = response.body!.pipeThrough(new TextDecoderStream());
  const received = Array.fromAsync(stream, (part) => parts.push(part));
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(parts.join("")).not.toBe(body);
  await vi.advanceTimersByTimeAsync(1);
  await received;
  expect(parts.join("")).toBe(body);
  expect(parts.length).toBeGreaterThan(15);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(body.length / 10);
});

test.each([
  [0, 200],
  [0.5, 500],
  [1 - 2 ** -53, 800],
])("delay chooses from the whole range, including both ends: %d -> %i", (number, beforeMs) => {
  const times = chooseTimes({ delay: { min: 200, max: 800 } }, number);
  expect(times).toEqual({ beforeMs, bodyMs: 0 });
});

const WITHOUT_WAIT = ["body=cut", "close", "code=503", "body=garbage", "record=null"];

test.each(WITHOUT_WAIT)("%s needs no timer, which a test may have stopped", async (prefer) => {
  const response = await fetch(PAGE_2, { headers: { prefer } });
  await response.text().catch(() => {});
  expect(vi.getTimerCount()).toBe(0);
});

/** Sends requests of a client that hang. Returns how many of them wait. */
async function hang(send: typeof fetch, count: number, client?: string, signal: AbortSignal | null = null) {
  const waiting = vi.getTimerCount();
  const headers = new Headers({ prefer: "hang" });
  if (client !== undefined) headers.set("CF-Connecting-IP", client);
  for (let sent = 0; sent < count; sent++) void send(PAGE_2, { headers, signal }).catch(() => {});
  await setImmediate();
  return vi.getTimerCount() - waiting;
}

test("a client address has 50 of 100 slots, and clients without an address share all", async () => {
  const { fetch } = await createFaultsService();
  expect(await hang(fetch, 51, "192.0.2.1")).toBe(50);
  expect(await hang(fetch, 51, "::2:0:0:0:1")).toBe(50);
  expect(await hang(fetch, 1, "192.0.2.3")).toBe(0);
  const { fetch: fetchOther } = await createFaultsService();
  expect(await hang(fetchOther, 101)).toBe(100);
});

test("a slot is free again after the wait, or when the client leaves", async () => {
  const { fetch } = await createFaultsService();
  expect(await hang(fetch, 51, "192.0.2.1", AbortSignal.abort())).toBe(0);
  const client = new AbortController();
  expect(await hang(fetch, 50, "192.0.2.1", client.signal)).toBe(50);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await hang(fetch, 50, "192.0.2.2")).toBe(50);
  client.abort();
  await setImmediate();
  expect(await hang(fetch, 50, "192.0.2.1")).toBe(50);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(await hang(fetch, 1, "192.0.2.2")).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(await hang(fetch, 51, "192.0.2.2")).toBe(50);
});

test.each<[end: string, headers: Record<string, string>]>([
  ["after the delay", { prefer: "delay=1" }],
  ["with a requested error", { prefer: "delay=1, code=503, retry-after=7" }],
  ["with a 304", { prefer: "delay=1", "if-none-match": "*" }],
  ["with a slow body", { prefer: "body=slow, delay=1" }],
])("the slot of a response that ends %s is free, even if a test stops the clock", async (_, headers) => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  const { fetch } = await createFaultsService();
  for (let request = 0; request < 101; request++) {
    const response = await fetch(PAGE_2, { headers });
    await response.text();
    expect(response.headers.get("mock-warning")).toBeNull();
  }
});

test("a slow body keeps its slot until its time is over", async () => {
  const { fetch } = await createFaultsService();
  const headers = { prefer: "body=slow, delay=5000" };
  /** Sends requests. Returns how many of them get a slot. */
  const send = async (count: number) => {
    const responses = await Promise.all(Array.from({ length: count }, () => fetch(PAGE_2, { headers })));
    return responses.filter((response) => !response.headers.has("mock-warning")).length;
  };
  expect(await send(101)).toBe(100);
  expect(vi.getTimerCount(), "as long as nobody reads").toBe(0);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(await send(1)).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(await send(101)).toBe(100);
});

test("endWaits closes the connections of the responses that wait, and frees their slots", async () => {
  const { app, endWaits } = createApp();
  const { env } = await createFaultsService();
  const send = (prefer: string) =>
    app.request(PAGE_2, { headers: { prefer } }, env, context) as Promise<Response>;
  for (let round = 0; round < 2; round++) {
    const hanging = Array.from({ length: 100 }, () => send("hang"));
    await waitForTimers(100);
    endWaits();
    for (const { body } of await Promise.all(hanging))
      await expect(body?.getReader().read()).rejects.toThrow();
  }
  const slow = await send("body=slow");
  endWaits();
  await expect(slow.text()).rejects.toThrow();
  expect((await send("none")).status).toBe(200);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ["delay=10, code=404", 404, "code=404", /Not found/],
  ["delay=10", 200, null, /"count":400/],
  ["hang, retry-after=7", 503, "hang, retry-after=7", /unavailable/],
  ["body=slow", 200, null, /"count":400,.*\}$/],
  ["body=slow, count=+1", 200, "count=1", /"count":401/],
  ["body=garbage, delay=10", 200, "body=garbage", /<not json>/],
])("without a slot, %s does not wait, and Mock-Warning says so", async (prefer, status, applied, body) => {
  const { fetch } = await createFaultsService({ PREFER: prefer });
  await hang(fetch, 100);
  const warning =
    "Too many responses are waiting, so this one did not wait: the limit is 100, and 50 per client address.";
  const headers = { "preference-applied": applied, "mock-warning": warning };
  const exchange = { request: PAGE_2, status, headers, body };
  await checkExchanges(fetch, exchange, { ...exchange, requestHeaders: { prefer } });
});
