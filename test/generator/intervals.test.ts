import { describe, expect, test } from "vitest";
import { createCameras } from "../../src/generator/cameras.ts";
import {
  createProcessingOrder,
  EPOCH,
  generateIntervals,
  getCaptureTime,
  getProcessingRank,
} from "../../src/generator/intervals.ts";

describe("generateIntervals", () => {
  test.each([
    ["one whole interval", 0, 1800, [0]],
    ["two intervals that overlap with the period", 1799, 1801, [0, 1]],
    ["one interval if the period ends where the next one starts", 900, 1800, [0]],
    ["none for an empty period", 1800, 1800, []],
  ])("gives %s", (_, from, to, expected) => {
    const found = Array.from(generateIntervals(EPOCH + from, EPOCH + to, 30));
    expect(found.map((interval) => interval.number)).toEqual(expected);
    expect(found.map((interval) => interval.start)).toEqual(expected.map((number) => EPOCH + number * 1800));
  });
});

describe("getCaptureTime", () => {
  test.each([
    [0, 1, 1, 10],
    [0, 30, 1, 10],
    [0.5, 30, 895, 904],
    [1 - 2 ** -32, 1, 49, 58],
    [1 - 2 ** -32, 30, 1789, 1798],
  ])("phase %d of %d minutes -> second %d to %d of the interval", (phase, minutes, first, last) => {
    const site = { refs: [], sceneType: "street", key: 3, phase } as const;
    const intervals = Array.from(generateIntervals(EPOCH, EPOCH + 300 * minutes * 60, minutes));
    const seconds = new Set(intervals.map((interval) => getCaptureTime(interval, site) - interval.start));
    expect([...seconds].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => first + i));
    expect(Math.max(...seconds)).toBe(last);
  });
});

describe("getProcessingRank", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

  test.each([1, 2, 3, 6, 86, 100])("gives each of %d cameras its own rank in every interval", (count) => {
    const order = createProcessingOrder(count, 1);
    for (const interval of numbers(20)) {
      const ranks = createCameras(count, 1).map(({ camera_pk }) =>
        getProcessingRank(order, interval, camera_pk),
      );
      expect(ranks.sort((a, b) => a - b)).toEqual(numbers(count));
    }
  });
});
