import { afterEach, expect, test, vi } from "vitest";
import { sleep } from "../../src/faults/wait-limiter.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";

const PAGE = "/api/tf1/records/?format=api&page=2";

const service = await createMemoryService(makeRecords(40));
const get = (Prefer: string) => service.fetch(PAGE, { headers: { Prefer } });
afterEach(() => void vi.useRealTimers());
const stopClock = () => vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });

test.each([
  ["delay=300", 300, 200],
  ["delay=300, code=500", 300, 500],
  ["hang", 60_000, 503],
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

test("a wait for a client that has gone already ends at once", async () => {
  stopClock();
  await sleep(60_000, AbortSignal.abort());
  expect(vi.getTimerCount()).toBe(0);
});

const send = (Prefer: string, address: string, signal?: AbortSignal) =>
  service.fetch(PAGE, { headers: { Prefer, "CF-Connecting-IP": address }, ...(signal && { signal }) });

test("at most 100 responses wait at a time, 50 for one address, and others are refused with the reason", async () => {
  stopClock();
  const refused = {
    status: 503,
    retry: "5",
    warning: "At most 100 responses wait at a time, 50 of them for one client address.",
  };
  const read = async (response: Response | Promise<Response>) => {
    const { status, headers } = await response;
    return { status, retry: headers.get("Retry-After"), warning: headers.get("Mock-Warning") };
  };
  const client = new AbortController();
  const hanging = Array.from({ length: 50 }, () => send("hang", "::1", client.signal).catch(() => undefined));
  const delayed = Array.from({ length: 49 }, () => send("delay=10000", "::2:0:0:0:1"));
  while (vi.getTimerCount() < 99) await Promise.resolve();
  expect(await read(send("delay=1", "::3")), "the network of the first client").toEqual(refused);
  const slow = await send("body=slow", "::2:0:0:0:2");
  for (const prefer of ["hang", "delay=1", "body=slow", "on=2, hang"])
    expect(await read(send(prefer, "192.0.2.3")), prefer).toEqual(refused);
  expect(await read(send("code=404", "192.0.2.3"))).toMatchObject({ status: 404, warning: null });
  expect((await send("", "::1")).status).toBe(200);

  await slow.body?.cancel();
  expect((await send("body=slow", "::2:0:0:0:2")).status, "a body is cancelled").toBe(200);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(await read(send("hang", "192.0.2.3")), "a body that nobody reads").toEqual(refused);
  await vi.advanceTimersByTimeAsync(100);
  expect((await send("body=slow", "::2:0:0:0:2")).status, "its time is over").toBe(200);

  client.abort();
  await Promise.all(hanging);
  expect((await send("body=slow", "::1")).status, "clients have disconnected").toBe(200);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await Promise.all(delayed.map(async (response) => (await response).status))).toEqual(
    Array(49).fill(200),
  );
});

test.each([
  ["body=slow", 2_000],
  ["body=slow, delay=8000", 8_000],
])("%s sends the whole body in pieces, over %i ms", async (prefer, milliseconds) => {
  const whole = await (await get("")).text();
  stopClock();
  const begun = Date.now();
  const response = await get(prefer);
  expect(response.headers.get("Preference-Applied")).toBe(prefer.split(", ").reverse().join(", "));
  const pieces: string[] = [];
  const reading = Array.fromAsync(response.body!.pipeThrough(new TextDecoderStream()), (piece) =>
    pieces.push(piece),
  );
  await vi.advanceTimersByTimeAsync(milliseconds * 0.8);
  expect(pieces.join("").length).toBeLessThan(whole.length * 0.9);
  while (pieces.join("").length < whole.length) await vi.advanceTimersByTimeAsync(100);
  expect(Date.now() - begun).toBeLessThanOrEqual(milliseconds + 100);
  await reading;
  expect(pieces.join("")).toBe(whole);
  expect(pieces.length).toBeGreaterThan(15);
});

test.each([
  ["page=0", '{"detail":"Invalid page."}'],
  ["page=2", /^\{"count":/],
])("a slow body lasts its whole time, however short it is: %s", async (query, body) => {
  stopClock();
  const begun = Date.now();
  const response = await service.fetch(`/api/tf1/records/?${query}&prefer=body=slow,delay=8000`);
  let endedAt: number | undefined;
  const reading = response.text().finally(() => {
    endedAt = Date.now();
  });
  while (endedAt === undefined) await vi.advanceTimersByTimeAsync(10);
  expect(await reading).toMatch(body);
  expect(endedAt - begun).toBeGreaterThanOrEqual(7_900);
  expect(endedAt - begun).toBeLessThanOrEqual(8_100);
});

test("a wait of PREFER that is not possible is left out, and no request that asks for nothing gets an error", async () => {
  const { fetch } = await createMemoryService(makeRecords(40), {
    settings: { PREFER: "delay=10, code=404" },
  });
  stopClock();
  const status = async (init?: RequestInit) => (await fetch(PAGE, init)).status;
  const ask = (address: string) => status({ headers: { Prefer: "hang", "CF-Connecting-IP": address } });
  const hanging = ["192.0.2.1", "192.0.2.2"].flatMap((address) => Array(50).fill(address).map(ask));
  while (vi.getTimerCount() < 100) await Promise.resolve();
  expect(await status()).toBe(200);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await Promise.all(hanging)).toEqual(Array(100).fill(503));
  const delayed = status();
  await vi.advanceTimersByTimeAsync(10);
  expect(await delayed).toBe(404);
});
