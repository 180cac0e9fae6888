import { afterEach, describe, expect, test, vi } from "vitest";
import { findCut } from "../../src/mock/body-faults.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";

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
});
