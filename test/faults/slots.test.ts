import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSlots, getWait, type Wait } from "../../src/faults/slots.ts";
import { createFaultsService, fetch, getTarget, PAGE_2 } from "./faults-service.ts";

/** The signal of a client that stays connected. */
const NEVER = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

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
  expect(getWait({ delay: { min: 200, max: 800 } }, () => number)).toEqual({ beforeMs, bodyMs: 0 });
});

describe("at most 100 responses wait at a time, and 50 of a client:", () => {
  /** Creates a function that takes slots, and returns the number of slots that were free. */
  function createTaker() {
    const acquireSlot = createSlots();
    return (count: number, client: string, wait: Partial<Wait>, signal = NEVER) => {
      const take = () => acquireSlot({ beforeMs: 0, bodyMs: 0, ...wait }, client, signal);
      return Array.from({ length: count }, take).filter(({ isAcquired }) => isAcquired).length;
    };
  }

  test("PREFER, and requests without an address, can use all slots", () => {
    const take = createTaker();
    expect([take(101, "unknown", { beforeMs: 1 }), take(1, "first", { bodyMs: 1 })]).toEqual([100, 0]);
    expect(take(1, "first", {}), "no wait").toBe(1);
  });

  test("a slot is free again after the wait, or when the client disconnects", async () => {
    const take = createTaker();
    const disconnect = new AbortController();
    expect(take(51, "first", { beforeMs: 60_000 }, disconnect.signal)).toBe(50);
    expect(take(51, "second", { beforeMs: 8_000, bodyMs: 2_000 })).toBe(50);
    expect(take(1, "third", { beforeMs: 1 })).toBe(0);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(take(1, "third", { beforeMs: 1 })).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(take(51, "third", { beforeMs: 1 })).toBe(50);
    disconnect.abort();
    expect(take(51, "first", { beforeMs: 1 })).toBe(50);
  });
});

test("slots are free again after each response and each canceled body, even if a test stops the clock", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let request = 0; request < 101; request++)
    for (const prefer of ["delay=1", "body=slow, delay=1", "body=slow"]) {
      const { status, body } = await fetch(PAGE_2, { headers: { prefer } });
      expect(status).toBe(200);
      if (prefer === "body=slow") await body!.cancel();
    }
});

test("without room for a wait, the options of PREFER are left out, and a client gets 503 with the reason", async () => {
  const { fetch } = await createFaultsService({ PREFER: "delay=10, code=404" });
  const hang = (address: string) =>
    fetch(PAGE_2, { headers: { prefer: "hang", "CF-Connecting-IP": address } });
  const addresses = [...Array(50).fill("::1"), ...Array(50).fill("::2:0:0:0:1")];
  const hanging = addresses.map(hang);
  await waitForTimers(100);
  expect((await fetch(PAGE_2)).status).toBe(200);
  const { status, headers } = await hang("192.0.2.3");
  expect([status, headers.get("retry-after"), headers.get("mock-warning")]).toEqual([
    503,
    "5",
    "Too many responses are waiting: the limit is 100, and 50 per client address.",
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(hanging);
  const delayed = fetch(PAGE_2);
  await vi.advanceTimersByTimeAsync(10);
  expect((await delayed).status).toBe(404);
});
