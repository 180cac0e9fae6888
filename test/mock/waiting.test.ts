import { afterEach, expect, test, vi } from "vitest";
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

test("at most 100 responses wait at a time, and others are refused with the reason", async () => {
  stopClock();
  const send = (Prefer: string, client?: AbortController) =>
    service.fetch(PAGE, { headers: { Prefer }, ...(client && { signal: client.signal }) });
  const refused = {
    status: 503,
    retry: "5",
    warning: "100 responses wait already, which is the most that may wait at a time.",
  };
  const read = async (response: Response | Promise<Response>) => {
    const { status, headers } = await response;
    return { status, retry: headers.get("Retry-After"), warning: headers.get("Mock-Warning") };
  };
  const client = new AbortController();
  const hanging = Array.from({ length: 50 }, () => send("hang", client).catch(() => undefined));
  const delayed = Array.from({ length: 49 }, () => send("delay=10000"));
  while (vi.getTimerCount() < 99) await Promise.resolve();
  const slow = await send("body=slow");
  for (const prefer of ["hang", "delay=1", "body=slow", "on=2, hang"])
    expect(await read(send(prefer)), prefer).toEqual(refused);
  expect(await read(send("code=404"))).toMatchObject({ status: 404, warning: null });
  expect((await send("")).status).toBe(200);

  await slow.body?.cancel();
  expect(await read(send("hang"))).toEqual(refused);
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await send("body=slow")).status, "the slow body is over").toBe(200);

  client.abort();
  await Promise.all(hanging);
  expect((await send("body=slow")).status, "clients have disconnected").toBe(200);
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
