import { describe, expect, test } from "vitest";
import { captureTime, EPOCH, slots } from "../../src/generator/slots.ts";

describe("slots", () => {
  test.each([
    ["a whole one", 0, 1800, [0]],
    ["two that the period only touches", 1799, 1801, [0, 1]],
    ["one, as the period ends where the next begins", 900, 1800, [0]],
    ["none in an empty period", 1800, 1800, []],
  ])("are %s", (_, from, to, expected) => {
    const found = Array.from(slots(EPOCH + from, EPOCH + to, 30));
    expect(found.map((slot) => slot.number)).toEqual(expected);
    expect(found.map((slot) => slot.start)).toEqual(expected.map((number) => EPOCH + number * 1800));
  });
});

describe("captureTime", () => {
  test.each([
    [0, 1, 1, 10],
    [0, 30, 1, 10],
    [0.5, 30, 895, 904],
    [1 - 2 ** -32, 1, 49, 58],
    [1 - 2 ** -32, 30, 1789, 1798],
  ])("phase %d of %d minutes -> second %d to %d of the slot", (phase, interval, first, last) => {
    const mast = { refs: [], scene: "street", key: 3, phase } as const;
    const day = Array.from(slots(EPOCH, EPOCH + 300 * interval * 60, interval));
    const seconds = new Set(day.map((slot) => captureTime(slot, mast) - slot.start));
    expect([...seconds].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => first + i));
    expect(Math.max(...seconds)).toBe(last);
  });
});
