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
