import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Wait } from "../../src/faults/option.ts";
import { createWaitLimiter, sleep } from "../../src/faults/slots.ts";
import { createFaultsService, fetch, getTarget, PAGE_2 } from "./faults-service.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test.each([
  ["delay=300", 300, 200],
  ["delay=300, code=500", 300, 500],
  ["hang", 60_000, 503],
])("%s waits for %i ms before the response", async (prefer, milliseconds, status) => {
  const statuses: number[] = [];
  const fetched = fetch(PAGE_2, { headers: { prefer } }).then((response) => statuses.push(response.status));
  while (vi.getTimerCount() === 0) await setImmediate();
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

test("a wait ends immediately if the client has already disconnected", async () => {
  await sleep(60_000, AbortSignal.abort());
  expect(vi.getTimerCount()).toBe(0);
});

test("at most 100 responses wait at a time, and 50 of a client", async () => {
  const startWait = createWaitLimiter();
  const disconnect = new AbortController();
  const start = (client: string | undefined, wait: Wait, { signal } = new AbortController()) =>
    startWait(wait, signal, client);
  const startMany = (count: number, ...args: Parameters<typeof start>) =>
    Promise.allSettled(Array.from({ length: count }, () => start(...args)));
  const expectError = (client: string) =>
    expect(start(client, { beforeMs: 1 })).rejects.toMatchObject({
      status: 503,
      headers: {
        "Retry-After": "5",
        "Mock-Warning": "Too many responses are waiting: the limit is 100, and 50 per client address.",
      },
    });

  const waits = [startMany(50, "first", { beforeMs: 60_000 }, disconnect)];
  waits.push(startMany(49, "second", { beforeMs: 10_000 }));
  await expectError("first");
  const endBody = await start("third", { bodyMs: 2_000 });
  await expectError("third");
  expect(await start(undefined, { beforeMs: 1 }), "the deployment").toBeUndefined();
  expect(await start("first", {}), "no wait").toBeDefined();

  endBody?.();
  await start("third", { bodyMs: 2_000 });
  await vi.advanceTimersByTimeAsync(1_999);
  await expectError("third");
  await vi.advanceTimersByTimeAsync(1);
  await start("third", { bodyMs: 60_000 });

  disconnect.abort();
  waits.push(startMany(50, "first", { beforeMs: 60_000 }));
  await vi.advanceTimersByTimeAsync(8_000);
  waits.push(startMany(49, "second", { beforeMs: 60_000 }));
  await expectError("third");
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await Promise.all(waits)).flat().filter(({ status }) => status === "rejected")).toEqual([]);
});

test("without room for a wait, the options of PREFER are left out, and a client gets 503 with the reason", async () => {
  const { fetch } = await createFaultsService({ PREFER: "delay=10, code=404" });
  const hang = (address: string) =>
    fetch(PAGE_2, { headers: { prefer: "hang", "CF-Connecting-IP": address } });
  const addresses = [...Array(50).fill("::1"), ...Array(50).fill("::2:0:0:0:1")];
  const hanging = addresses.map(hang);
  while (vi.getTimerCount() < 100) await setImmediate();
  expect((await fetch(PAGE_2)).status).toBe(200);
  const { status, headers } = await hang("192.0.2.3");
  expect([status, headers.get("mock-warning")]).toEqual([503, expect.stringMatching(/^Too many/)]);
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(hanging);
  const delayed = fetch(PAGE_2);
  await vi.advanceTimersByTimeAsync(10);
  expect((await delayed).status).toBe(404);
});
