import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Hono } from "hono";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { AppEnv } from "../../src/bindings.ts";
import { requireFaultOptions } from "../../src/faults/fault-options.ts";
import type { Route } from "../../src/faults/fault-response.ts";
import { createFaults } from "../../src/faults/faults.ts";
import { sleep } from "../../src/faults/sleep.ts";
import { createSlots, WORKER_LIMITS } from "../../src/faults/slots.ts";
import { getWait } from "../../src/faults/wait.ts";
import { parsePageRequest } from "../../src/http/page-request.ts";
import { IN_BROWSER } from "../support/html-view.ts";
import { context } from "../support/memory-service.ts";
import { createFaultsService, fetch, getTarget, PAGE_2 } from "./faults-service.ts";

const PAGE_URL = `https://counts.example${PAGE_2}`;

/** The signal of a client that stays connected. */
const NEVER = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));

async function waitForTimers(count: number): Promise<void> {
  for (let turn = 0; vi.getTimerCount() < count && turn < 10_000; turn++) await setImmediate();
  expect(vi.getTimerCount(), "responses that wait").toBe(count);
}

test.each([
  ["delay=300", 300, 200],
  ["delay=300, code=500", 300, 500],
  ["hang", 60_000, 503],
])("%s waits for %i ms before the response", async (prefer, milliseconds, status) => {
  const statuses: number[] = [];
  const fetched = fetch(PAGE_2, { headers: { prefer } }).then((response) => statuses.push(response.status));
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
  const wait = getWait({ delay: { min: 200, max: 800 } }, { hasBody: true, random: () => number });
  expect(wait).toEqual({ beforeMs, bodyMs: 0 });
});

test.each(["body=cut", "close", "code=503", "body=garbage", "record=null"])(
  "%s needs no timer, which a test may have stopped",
  async (prefer) => {
    const response = await fetch(PAGE_2, { headers: { prefer } });
    await response.text().catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
  },
);

describe("at most 100 responses wait at a time, and 50 of a client:", () => {
  /** Creates a function that takes slots, and returns the number of slots that were free. */
  function createTaker(limits = WORKER_LIMITS) {
    const { acquireSlot } = createSlots();
    return (count: number, client: string | undefined, durationMs: number, signal = NEVER) => {
      const request = new Request(PAGE_URL, { signal });
      const take = () => acquireSlot(durationMs, { client, limits, request });
      return Array.from({ length: count }, take).filter((slot) => slot !== undefined).length;
    };
  }

  test("a delay that counts for no client can use all slots", () => {
    const take = createTaker();
    expect([take(101, undefined, 1), take(1, "first", 1)]).toEqual([100, 0]);
    expect(take(1, "first", 0), "no wait").toBe(1);
  });

  test("other limits are those of the service", () => {
    const take = createTaker({ total: 3, perClient: 2 });
    expect([take(9, "first", 1), take(9, "second", 1)]).toEqual([2, 1]);
    const takeAny = createTaker({ total: Infinity, perClient: Infinity });
    expect(takeAny(1_000, undefined, 1)).toBe(1_000);
  });

  test("a slot is free again after the wait, or when the client disconnects", async () => {
    const take = createTaker();
    const disconnect = new AbortController();
    expect(take(51, "first", 60_000, disconnect.signal)).toBe(50);
    expect(take(51, "second", 10_000)).toBe(50);
    expect(take(1, "third", 1)).toBe(0);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(take(1, "third", 1)).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(take(51, "third", 1)).toBe(50);
    disconnect.abort();
    expect(take(51, "first", 1)).toBe(50);
  });
});

test("clients without an address have no limit of their own, because they cannot be told apart", async () => {
  const { fetch } = await createFaultsService();
  const hanging = Array.from({ length: 51 }, () => fetch(PAGE_2, { headers: { prefer: "hang" } }));
  await waitForTimers(51);
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(hanging);
});

/** The ways in which a delayed response ends, each without the end of its time. */
test.each<{
  end: string;
  prefer: string;
  init?: RequestInit;
  read?: (response: Response) => Promise<unknown>;
}>([
  { end: "after the delay", prefer: "delay=1" },
  { end: "with a requested error", prefer: "delay=1, code=503, retry-after=7" },
  { end: "with a closed connection", prefer: "delay=1, close", read: async () => {} },
  { end: "with the last part of a slow body", prefer: "body=slow, delay=1" },
  { end: "with a canceled slow body", prefer: "body=slow", read: async ({ body }) => body!.cancel() },
  { end: "with the HTML of a slow body", prefer: "body=slow, delay=1", init: IN_BROWSER },
  { end: "without a body", prefer: "body=slow", init: { method: "HEAD" } },
  { end: "without a body, in a browser", prefer: "body=slow", init: { method: "HEAD", ...IN_BROWSER } },
  { end: "with a 304", prefer: "delay=1, fail=0", init: { headers: { "if-none-match": "*" } } },
  {
    end: "before it begins",
    prefer: "body=slow",
    init: { signal: AbortSignal.abort() },
    read: async () => {},
  },
])("the slot of a response that ends $end is free, even if a test stops the clock", async (row) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { prefer, init = {}, read = (response) => response.text() } = row;
  const { fetch } = await createFaultsService();
  const headers = new Headers(init.headers);
  headers.set("prefer", prefer);
  for (let request = 0; request < 101; request++) {
    const response = await fetch(PAGE_2, { ...init, headers });
    expect(response.headers.get("mock-warning")).toBeNull();
    await read(response);
  }
});

test("a client that leaves frees its slot, during the wait and during a slow body", async () => {
  for (let request = 0; request < 51; request++)
    for (const prefer of ["hang", "body=slow"]) {
      const client = new AbortController();
      const headers = { prefer, "CF-Connecting-IP": "192.0.2.4" };
      const fetched = fetch(PAGE_2, { headers, signal: client.signal });
      if (prefer === "body=slow") await fetched;
      client.abort();
      expect((await fetched).headers.get("mock-warning")).toBeNull();
    }
});

test("an error after the slot was taken frees it", async () => {
  const faults = createFaults(() => 0);
  const createBroken = () => new ReadableStream({ start: (body) => body.error(new Error("broken")) });
  const route: Route = { serve: async () => new Response(createBroken()), locate: async () => undefined };
  const options = requireFaultOptions("prefer", "body=slow");
  const app = new Hono<AppEnv>();
  app.get("*", (c) =>
    faults.respondWithFaults(parsePageRequest(c), { ...options, isFromClient: true }, route),
  );
  app.onError(({ message }, c) => c.text(message, 500));
  for (let request = 0; request < 101; request++)
    expect(await (await app.request(PAGE_2, {}, {}, context)).text()).toBe("broken");
});

test("nothing listens to a client after a wait or a slot has ended", async () => {
  const request = new Request(PAGE_URL);
  const slept = sleep(5, { signal: request.signal });
  const options = { client: "first", limits: WORKER_LIMITS, request };
  const slot = createSlots().acquireSlot(5, options);
  expect(getEventListeners(request.signal, "abort")).toHaveLength(2);
  slot?.release();
  await vi.advanceTimersByTimeAsync(5);
  await slept;
  expect(getEventListeners(request.signal, "abort")).toEqual([]);
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

describe("without room for a wait", () => {
  const FULL = "Too many responses are waiting: the limit is 100, and 50 per client address.";

  /** Takes all slots of a service. Returns a function that waits for their end. */
  async function takeSlots(send: typeof fetch) {
    const addresses = [...Array(50).fill("::1"), ...Array(50).fill("::2:0:0:0:1")];
    const hanging = addresses.map((address) =>
      send(PAGE_2, { headers: { prefer: "hang", "CF-Connecting-IP": address } }),
    );
    await waitForTimers(100);
    return async () => {
      await vi.advanceTimersByTimeAsync(60_000);
      await Promise.all(hanging);
    };
  }

  test("a client gets 503 with the reason", async () => {
    const { fetch } = await createFaultsService();
    const end = await takeSlots(fetch);
    const { status, headers } = await fetch(PAGE_2, { headers: { prefer: "delay=10" } });
    expect([status, headers.get("retry-after"), headers.get("mock-warning")]).toEqual([503, "5", FULL]);
    await end();
  });

  test.each([
    ["delay=10, code=404", 404, "code=404", /Not found/],
    ["delay=10", 200, null, /"count":400/],
    ["hang", 503, "hang", /unavailable/],
    ["body=slow", 200, null, /"count":400,.*\}$/],
    ["body=slow, count=+1", 200, "count=1", /"count":401/],
    ["body=cut, delay=10", 200, "body=cut", undefined],
  ])("the options of PREFER lose their wait only: %s", async (PREFER, status, applied, body) => {
    const { fetch } = await createFaultsService({ PREFER });
    const end = await takeSlots(fetch);
    const response = await fetch(PAGE_2);
    const { headers } = response;
    expect([response.status, headers.get("preference-applied"), headers.get("mock-warning")]).toEqual([
      status,
      applied,
      FULL,
    ]);
    if (body) expect(await response.text()).toMatch(body);
    else await expect(response.text()).rejects.toThrow();
    await end();
    const delayed = fetch(PAGE_2);
    if (PREFER !== "hang") await vi.advanceTimersByTimeAsync(10_000);
    else await vi.advanceTimersByTimeAsync(60_000);
    expect((await delayed).headers.get("mock-warning")).toBeNull();
  });
});
